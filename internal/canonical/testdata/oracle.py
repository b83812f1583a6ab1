"""CPython's own answer for each document: one hexadecimal line in, one line out (hexadecimal canonical form, or "!")."""
import json
import sys


def refuse(word):
    raise ValueError(word)


def depth(value):
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return 0 if inner is None else 1 + max(map(depth, inner), default=0)


def finite(digits):
    return float(digits) if abs(float(digits)) < float("inf") else refuse(digits)


def members(pairs):
    """Values lost to a later equal key must be well-formed too, so look before they go."""
    json.dumps(pairs, ensure_ascii=False).encode("utf-8")
    return dict(pairs)


def canonical(text):
    value = json.loads(text.decode("utf-8"), parse_constant=refuse, parse_float=finite, object_pairs_hook=members)
    if depth(value) > 128:
        refuse("depth")
    form = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return form.encode("utf-8")


for line in sys.stdin:
    try:
        print(canonical(bytes.fromhex(line.strip())).hex(), flush=True)
    except (ValueError, RecursionError):
        print("!", flush=True)
