"""Arguments of a call: checked, brought to the form that is sent, and digested.

A value is acceptable when it has one unambiguous strict JSON form. It is dumped and parsed back first, and what comes back
is both sent and digested; so a tuple is a list to the server as well as to the digest.
"""

from __future__ import annotations

import json
from hashlib import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Mapping

_MAX_DEPTH = 100  # below the gateway's own bound of 128
_MAX_VALUES = 65536  # the gateway takes 65,536 bytes, and every value costs at least one
_MAX_NAME = 128


class InvalidArguments(Exception):
    """The arguments cannot be sent; the text says which rule they break."""


def wire_form(
    toolkit_name: object, function_name: object, arguments: Mapping[str, Any] | None, keywords: dict[str, Any]
) -> dict[str, Any]:
    """Merge both ways of giving arguments and return the value to send. Raises InvalidArguments."""
    _check_name("toolkit name", toolkit_name)
    _check_name("function name", function_name)
    merged = _merge(arguments, keywords)
    try:
        _check(merged)
        text = json.dumps(merged, ensure_ascii=False, allow_nan=False)
        text.encode("utf-8")
        return json.loads(text)  # type: ignore[no-any-return]
    # RuntimeError: nesting the interpreter cannot follow, or a mapping that another thread changes meanwhile.
    except (TypeError, ValueError, RuntimeError, OverflowError) as error:
        raise InvalidArguments("arguments must be strict JSON values: %s" % _printable(error)) from None


def digest(wire: dict[str, Any]) -> str:
    """The lower-case hex SHA-256 of the canonical form; the gateway computes the same."""
    form = json.dumps(wire, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return sha256(form.encode("utf-8")).hexdigest()


def encode_body(expected: dict[str, str], wire: dict[str, Any]) -> bytes:
    """The body of the submission, to be sent again byte for byte on every retry."""
    body: dict[str, Any] = {key: value for key, value in expected.items() if key != "arguments_digest"}
    body["arguments"] = wire
    return json.dumps(body, separators=(",", ":"), allow_nan=False).encode("ascii")


def _merge(arguments: Mapping[str, Any] | None, keywords: dict[str, Any]) -> dict[Any, Any]:
    if arguments is None:
        return keywords
    try:
        merged: dict[Any, Any] = {key: arguments[key] for key in arguments.keys()}
    except (AttributeError, TypeError):
        raise InvalidArguments(
            "arguments must be a mapping of names to values, not %s" % type(arguments).__name__
        ) from None
    twice = [key for key in keywords if key in merged]
    if twice:
        raise InvalidArguments("argument %r is given both in the mapping and as a keyword" % twice[0])
    merged.update(keywords)
    return merged


def _check(root: dict[Any, Any]) -> None:
    """What json.dumps would let through or only find by exhausting the stack: mixed keys, depth, cycles, sheer number."""
    level: list[Any] = [root]
    count = 0
    for _ in range(_MAX_DEPTH):
        below: list[Any] = []
        for value in level:
            if isinstance(value, dict):
                if len({type(key) for key in value}) > 1:
                    raise TypeError("the keys of a mapping are of more than one type")
                children: Any = value.values()
            else:
                children = value
            count += len(children)
            if count > _MAX_VALUES:
                raise ValueError("there are more than %d values" % _MAX_VALUES)
            below.extend(child for child in children if isinstance(child, (dict, list, tuple)))
        if not below:
            return
        level = below
    raise ValueError("nested deeper than %d levels, or a value contains itself" % _MAX_DEPTH)


def _check_name(what: str, name: object) -> None:
    if not isinstance(name, str) or not 1 <= len(name) <= _MAX_NAME:
        raise InvalidArguments("the %s must be a string of 1 to %d characters" % (what, _MAX_NAME))
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        raise InvalidArguments("the %s cannot be encoded as UTF-8" % what) from None


def _printable(error: Exception) -> str:
    if isinstance(error, UnicodeEncodeError):
        return "a text contains a lone surrogate, which UTF-8 cannot encode"
    return str(error) or type(error).__name__
