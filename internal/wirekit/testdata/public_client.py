"""A client that behaves on the wire as the public Python SDK does. Frozen: gateways must go on serving it as it is.

Half-second polling without a hint, one connection a request, urllib with everything it does by default.
"""

import hashlib
import json
import math
import os
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from pathlib import Path

STATES = {"pending", "completed", "failed", "indeterminate"}


class MindRoomToolCallError(RuntimeError):
    def __init__(self, message, *, kind, retryable, call_id):
        super().__init__(message)
        self.kind = kind
        self.retryable = retryable
        self.call_id = call_id


class MindRoomTools:
    def __init__(self, *, http_timeout_seconds=15.0, poll_interval_seconds=0.5):
        if not math.isfinite(poll_interval_seconds) or poll_interval_seconds <= 0:
            raise ValueError("poll_interval_seconds must be finite and positive")
        self._timeout = http_timeout_seconds
        self._interval = poll_interval_seconds
        self._base = _variable("MINDROOM_SCRIPT_GATEWAY_URL").rstrip("/")
        parts = urllib.parse.urlsplit(self._base)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise RuntimeError("the gateway URL is not an http address")
        self._run_id = _variable("MINDROOM_SCRIPT_RUN_ID")
        path = Path(_variable("MINDROOM_SCRIPT_TOKEN_PATH"))
        if not path.is_file():
            raise RuntimeError("the capability is unavailable")
        if path.stat().st_size > 4096 or not path.read_text("utf-8").strip():
            raise RuntimeError("the capability is invalid")
        self._token = path.read_text("utf-8").strip()

    def call(self, toolkit_name, function_name, **arguments):
        call_id = uuid.uuid4().hex
        try:
            _check_keys(arguments, ())
            wire = json.loads(json.dumps(arguments, allow_nan=False))
            form = json.dumps(wire, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
            digest = hashlib.sha256(form.encode("utf-8")).hexdigest()
        except (TypeError, ValueError, RecursionError) as error:
            raise MindRoomToolCallError(str(error), kind="invalid_arguments", retryable=False, call_id=call_id) from None
        request = {"run_id": self._run_id, "call_id": call_id, "toolkit_name": toolkit_name, "function_name": function_name}
        expected = dict(request, arguments_digest=digest)
        body = json.dumps(dict(request, arguments=wire), separators=(",", ":")).encode()
        while True:
            try:
                receipt = self._exchange("/calls", body, expected)
                break
            except MindRoomToolCallError as error:
                if not error.retryable:
                    raise
            time.sleep(self._interval)
        segments = [urllib.parse.quote(segment, safe="") for segment in (self._run_id, call_id)]
        while receipt["state"] == "pending":
            time.sleep(self._interval)
            try:
                receipt = self._exchange("/runs/%s/calls/%s" % tuple(segments), None, expected)
            except MindRoomToolCallError as error:
                if not error.retryable:
                    raise
        if receipt["state"] == "completed":
            return receipt.get("result")
        error = receipt.get("error") or {}
        raise MindRoomToolCallError(
            error.get("message", "the call is %s" % receipt["state"]),
            kind=error.get("kind", receipt["state"]),
            retryable=error.get("retryable") is True,
            call_id=call_id,
        )

    def _exchange(self, path, body, expected):
        def failed(message, kind, retryable=False):
            return MindRoomToolCallError(message, kind=kind, retryable=retryable, call_id=expected["call_id"])

        headers = {"Authorization": "Bearer " + self._token}
        if body is not None:
            headers["Content-Type"] = "application/json"
        request = urllib.request.Request(self._base + path, data=body, headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=self._timeout) as response:
                text = response.read()
        except urllib.error.HTTPError as error:
            with error:
                detail = _detail(error.read())
            if error.code >= 500:
                raise failed(detail, "gateway_unavailable", True) from error
            if error.code == 429:
                raise failed(detail, "rate_limited", True) from error
            raise failed(detail, "request_rejected") from error
        except OSError as error:
            raise failed(str(error), "transport", True) from error
        try:
            receipt = json.loads(text)
        except ValueError:
            raise failed("not JSON", "invalid_response") from None
        state = receipt.get("state") if isinstance(receipt, dict) else None
        if not isinstance(state, str) or state not in STATES or any(receipt.get(k) != expected[k] for k in ("run_id", "call_id")):
            raise failed("not a receipt", "invalid_response")
        if any(receipt.get(k) != expected[k] for k in ("toolkit_name", "function_name", "arguments_digest")):
            raise failed("another request's receipt", "stable_call_conflict")
        return receipt


def _variable(name):
    value = os.environ.get(name, "").strip()
    if not value:
        raise RuntimeError(name + " is missing")
    return value


def _check_keys(value, above):
    if not isinstance(value, (dict, list, tuple)):
        return
    if any(value is outer for outer in above):
        raise ValueError("a value contains itself")
    if isinstance(value, dict) and len({type(key) for key in value}) > 1:
        raise TypeError("mixed key types")
    for inner in value.values() if isinstance(value, dict) else value:
        _check_keys(inner, (*above, value))


def _detail(body):
    try:
        return str(json.loads(body)["detail"])
    except (ValueError, KeyError, TypeError):
        return "the gateway refused the request"
