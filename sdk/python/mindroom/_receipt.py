"""What the gateway answered: a receipt of exactly this call, or the error to raise."""

from __future__ import annotations

import json

from mindroom._response import retry_after

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mindroom._response import Reply

_STATES = ("pending", "completed", "failed", "indeterminate")


class MindRoomToolCallError(RuntimeError):
    """A tool call failed.

    kind is a stable word to decide by; retryable says whether a new call may succeed without any change; call_id is the
    id under which the gateway knows the call.
    """

    __module__ = "mindroom.script_sdk"  # where scripts import it from, and so what a traceback should say
    retry_after: float | None = None  # seconds the gateway asked to wait; only on errors the SDK retries by itself

    def __init__(self, message: str, *, kind: str, retryable: bool, call_id: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.retryable = retryable
        self.call_id = call_id

    def __reduce__(self) -> tuple[Any, ...]:
        # Keyword-only arguments are not pickled by themselves, and a worker process must be able to hand the error on.
        return _rebuild, (str(self), self.kind, self.retryable, self.call_id)


def _rebuild(message: str, kind: str, retryable: bool, call_id: str) -> MindRoomToolCallError:
    return MindRoomToolCallError(message, kind=kind, retryable=retryable, call_id=call_id)


def refusal(reply: Reply, call_id: str) -> MindRoomToolCallError:
    """The error for an answer outside 2xx."""
    if reply.status >= 500 or reply.status == 429:
        kind = "rate_limited" if reply.status == 429 else "gateway_unavailable"
        message = _detail(reply.body) or "the tool gateway answered HTTP %d" % reply.status
        error = MindRoomToolCallError(message, kind=kind, retryable=True, call_id=call_id)
        if reply.status in (429, 503):
            error.retry_after = retry_after(reply.headers)
        return error
    message = _detail(reply.body) or "the tool gateway refused the call with HTTP %d" % reply.status
    if 300 <= reply.status < 400:
        message = "the tool gateway answered with a redirect (HTTP %d), which is never followed" % reply.status
    return MindRoomToolCallError(message, kind="request_rejected", retryable=False, call_id=call_id)


def read_receipt(body: bytes, expected: dict[str, str]) -> dict[str, Any]:
    """The receipt in a 2xx answer. Raises when it is none, or one of another call."""
    call_id = expected["call_id"]

    def failed(message: str, kind: str = "invalid_response") -> MindRoomToolCallError:
        return MindRoomToolCallError(message, kind=kind, retryable=False, call_id=call_id)

    try:
        receipt = json.loads(body)
    except (ValueError, RecursionError):
        raise failed("the tool gateway's answer is not JSON") from None
    if not isinstance(receipt, dict):
        raise failed("the tool gateway's answer is not a receipt")
    if any(receipt.get(key) != expected[key] for key in ("run_id", "call_id")):
        raise failed("the tool gateway's answer names another run or call")
    state = receipt.get("state")
    if not isinstance(state, str) or state not in _STATES:
        raise failed("the tool gateway's answer has no known state")
    if any(receipt.get(key) != expected[key] for key in ("toolkit_name", "function_name", "arguments_digest")):
        raise failed("the call id already belongs to a different request", "stable_call_conflict")
    return receipt


def result_of(receipt: dict[str, Any], call_id: str) -> Any:
    """The result of a completed receipt; raises what any other final receipt says."""
    state = receipt["state"]
    if state == "completed":
        return receipt.get("result")
    error = receipt.get("error")
    if not isinstance(error, dict):
        error = {}
    message, kind = error.get("message"), error.get("kind")
    raise MindRoomToolCallError(
        message if isinstance(message, str) else "the tool call ended as %s" % state,
        kind=kind if isinstance(kind, str) else state,
        retryable=error.get("retryable") is True,
        call_id=call_id,
    )


def _detail(body: bytes) -> str:
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        return ""
    detail = answer.get("detail") if isinstance(answer, dict) else None
    return "" if detail is None else str(detail)
