"""Call the tools of the MindRoom agent that started this script.

    from mindroom.script_sdk import MindRoomTools

    tools = MindRoomTools()
    page = tools.call("website", "read_url", url="https://example.org/")

A call blocks until the tool has answered, which may be after a person approved it. Lost connections and a gateway that
restarts are waited out under the same call id, so that no side effect happens twice. What a script must decide about is
raised as MindRoomToolCallError; look at its `kind`. A call whose kind is "indeterminate" was accepted but cannot be proven:
find out what happened before you repeat it.

Standard library only. Instances may be shared between threads.
"""

from __future__ import annotations

import os
import sys
import time

from mindroom._address import parse_base_url, quote
from mindroom._arguments import InvalidArguments, digest, encode_body, wire_form
from mindroom._http import Gateway
from mindroom._receipt import MindRoomToolCallError, read_receipt, refusal, result_of
from mindroom._response import ResponseTooLarge, TransportError

TYPE_CHECKING = False  # as type checkers read it; importing typing would cost every script a few milliseconds
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Any, Mapping

__all__ = ["MindRoomToolCallError", "MindRoomTools"]

_MAX_TOKEN_BYTES = 4096
_MAX_BODY_BYTES = 65536
_MAX_WAIT_SECONDS = 10  # how long the gateway is asked to hold an answer back
_HELD_SECONDS = 1.0  # an answer later than this was held, so the next poll need not sleep first
_MIN_BACKOFF_SECONDS = 0.1
_MAX_BACKOFF_SECONDS = 5.0
_SILENT_SECONDS = 30.0  # an outage longer than this is mentioned on stderr, once


class MindRoomTools:
    """The tools of this run's agent. Reads the run's environment and capability once, when it is made.

    http_timeout_seconds bounds one HTTP exchange from connecting to the last byte; it does not bound a call.
    poll_interval_seconds is slept between polls when the gateway does not hold its answers.
    Raises ValueError for a number that is not finite and positive, RuntimeError outside a run.
    """

    def __init__(self, *, http_timeout_seconds: float = 15.0, poll_interval_seconds: float = 0.5) -> None:
        _check_seconds("poll_interval_seconds", poll_interval_seconds)
        _check_seconds("http_timeout_seconds", http_timeout_seconds)
        self._poll_interval = poll_interval_seconds
        base = parse_base_url(_variable("MINDROOM_SCRIPT_GATEWAY_URL"))
        self._run_id = _variable("MINDROOM_SCRIPT_RUN_ID")
        token = _read_capability(_variable("MINDROOM_SCRIPT_TOKEN_PATH"))
        # Well below the timeout, so that a held answer is never mistaken for a lost one.
        self._wait = min(_MAX_WAIT_SECONDS, int(http_timeout_seconds * 2 / 3))
        self._gateway = Gateway(base, token, http_timeout_seconds, self._wait)

    def __repr__(self) -> str:
        return "<MindRoomTools of %s>" % self._run_id

    def __enter__(self) -> MindRoomTools:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close idle connections. Never needed; the instance can be used afterwards."""
        self._gateway.close()

    def call(
        self, toolkit_name: str, function_name: str, arguments: Mapping[str, Any] | None = None, /, **keywords: Any
    ) -> Any:
        """Call one tool function and return its result, a JSON value.

        Arguments are given as keywords, or as a mapping for names that are no Python identifiers ("class", "x-y"); both
        together must not name one argument twice. Raises MindRoomToolCallError.
        """
        call_id = _new_call_id()
        try:
            wire = wire_form(toolkit_name, function_name, arguments, keywords)
        except InvalidArguments as error:
            raise MindRoomToolCallError(
                str(error), kind="invalid_arguments", retryable=False, call_id=call_id
            ) from None
        expected = {
            "run_id": self._run_id,
            "call_id": call_id,
            "toolkit_name": toolkit_name,
            "function_name": function_name,
            "arguments_digest": digest(wire),
        }
        body = encode_body(expected, wire)
        if len(body) > _MAX_BODY_BYTES:
            # The gateway refuses it unread, and that refusal can get lost on the way and be retried for ever.
            message = "the call has %d bytes, and the gateway takes %d: pass a file's path instead" % (
                len(body),
                _MAX_BODY_BYTES,
            )
            raise MindRoomToolCallError(message, kind="invalid_arguments", retryable=False, call_id=call_id)
        return result_of(self._settle(expected, body), call_id)

    def _settle(self, expected: dict[str, str], body: bytes) -> dict[str, Any]:
        """Submit until there is a receipt, then poll it until it is final. The call id never changes on the way."""
        target = "/runs/%s/calls/%s" % (quote(self._run_id), quote(expected["call_id"]))
        accepted = False
        outage = _Outage()
        while True:
            started = time.monotonic()
            try:
                receipt = self._exchange(
                    "GET" if accepted else "POST", target if accepted else "/calls", body, expected
                )
            except MindRoomToolCallError as error:
                if not error.retryable:
                    raise
                pause = outage.pause(error)
            else:
                if receipt["state"] != "pending":
                    return receipt
                accepted = True
                outage = _Outage()
                held = self._wait > 0 and time.monotonic() - started >= _HELD_SECONDS
                pause = 0.0 if held else self._poll_interval
            if pause > 0:
                time.sleep(pause)

    def _exchange(self, method: str, path: str, body: bytes, expected: dict[str, str]) -> dict[str, Any]:
        call_id = expected["call_id"]
        try:
            reply = self._gateway.request(method, path, body if method == "POST" else None)
        except TransportError as error:
            raise MindRoomToolCallError(str(error), kind="transport", retryable=True, call_id=call_id) from error
        except ResponseTooLarge as error:
            raise MindRoomToolCallError(str(error), kind="invalid_response", retryable=False, call_id=call_id) from None
        if not 200 <= reply.status < 300:
            raise refusal(reply, call_id)
        return read_receipt(reply.body, expected)


class _Outage:
    """Failures in a row: how long to sleep before the next attempt, and whether to say so."""

    def __init__(self) -> None:
        self._failures = 0
        self._since = time.monotonic()
        self._told = False

    def pause(self, error: MindRoomToolCallError) -> float:
        ceiling = min(_MAX_BACKOFF_SECONDS, _MIN_BACKOFF_SECONDS * (1 << min(self._failures, 16)))
        self._failures += 1
        if not self._told and time.monotonic() - self._since >= _SILENT_SECONDS:
            self._told = True
            _tell("mindroom: still trying to reach the tool gateway: %s" % error)
        # Full jitter keeps the scripts of a restarted gateway from coming back in step.
        return (error.retry_after or 0.0) + ceiling * _fraction()


def _fraction() -> float:
    """A random number in [0, 1). The random module would cost more to import than it does here."""
    return int.from_bytes(os.urandom(4), "big") / 4294967296.0


def _tell(text: str) -> None:
    try:
        print(text, file=sys.stderr, flush=True)
    except (OSError, ValueError, AttributeError):
        pass  # a script may close its stderr; that must not end its call


def _new_call_id() -> str:
    """A version 4 UUID as 32 hexadecimal digits, without importing uuid."""
    raw = bytearray(os.urandom(16))
    raw[6] = raw[6] & 0x0F | 0x40
    raw[8] = raw[8] & 0x3F | 0x80
    return raw.hex()


def _check_seconds(name: str, value: float) -> None:
    if not 0 < value < float("inf"):
        raise ValueError("%s must be a finite number of seconds greater than 0, not %r" % (name, value))


def _variable(name: str) -> str:
    value = os.environ.get(name, "").strip()
    if not value:
        raise RuntimeError(
            "%s is not set: MindRoomTools works in programs that an agent started with start_script" % name
        )
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise RuntimeError("%s is not valid UTF-8" % name) from None
    return value


def _read_capability(path: str) -> str:
    try:
        if not os.path.isfile(path):
            raise FileNotFoundError(path)
        with open(path, "rb") as file:
            raw = file.read(_MAX_TOKEN_BYTES + 1)
    except (OSError, ValueError):
        raise RuntimeError(
            "the capability file of this run is unavailable: the run has ended, or this program was not started with start_script"
        ) from None
    token = raw.strip()
    if not token or len(raw) > _MAX_TOKEN_BYTES or any(not 0x21 <= byte <= 0x7E for byte in token):
        raise RuntimeError("the capability file of this run is invalid: start the script again with start_script")
    return token.decode("ascii")
