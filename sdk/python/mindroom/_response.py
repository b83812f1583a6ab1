"""Reading one HTTP/1.1 answer from a socket, with every size and the total time bounded."""

from __future__ import annotations

import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from socket import socket

_MAX_HEAD = 64 * 1024
_MAX_BODY = 1024 * 1024  # a receipt has at most 64 KiB; proxies may add pages of their own
_MAX_RETRY_AFTER = 60.0


class TransportError(Exception):
    """No complete answer arrived. The request may or may not have been received."""


class ResponseTooLarge(Exception):
    """A successful answer is longer than any receipt."""


class Reply:
    """A complete answer. Header names are in lower case; body is empty when an error's body was too long to keep."""

    def __init__(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.status = status
        self.headers = headers
        self.body = body


class Reader:
    """Bytes from a connection until a deadline on the monotonic clock."""

    def __init__(self, connection: socket, deadline: float) -> None:
        self.buffer = bytearray()
        self._connection = connection
        self._deadline = deadline
        self._head_left = _MAX_HEAD

    def remaining(self) -> float:
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise TransportError("no complete answer in time")
        return left

    def fill(self) -> None:
        """Read some more. The end of the stream is a TransportError."""
        self._connection.settimeout(self.remaining())
        chunk = self._connection.recv(65536)
        if not chunk:
            raise TransportError("the connection was closed before the answer was complete")
        self.buffer += chunk

    def take(self, size: int) -> bytes:
        while len(self.buffer) < size:
            self.fill()
        taken = bytes(self.buffer[:size])
        del self.buffer[:size]
        return taken

    def line(self) -> str:
        """One line of the head (or around a chunk) without its end; all lines together are bounded."""
        start = 0
        while True:
            end = self.buffer.find(b"\n", start)
            if end >= 0:
                break
            start = len(self.buffer)
            if start > self._head_left:
                raise TransportError("the answer's head is too long")
            self.fill()
        self._head_left -= end + 1
        if self._head_left < 0:
            raise TransportError("the answer's head is too long")
        return self.take(end + 1).decode("latin-1").rstrip("\r\n")

    def rest(self, limit: int) -> bytes | None:
        """Everything up to the end of the stream; None when that is more than limit."""
        while len(self.buffer) <= limit:
            self._connection.settimeout(self.remaining())
            chunk = self._connection.recv(65536)
            if not chunk:
                return self.take(len(self.buffer))
            self.buffer += chunk
        return None


def read_reply(reader: Reader) -> tuple[Reply, bool]:
    """The next final answer, and whether the connection can carry another request."""
    status, version, headers = _head(reader)
    while status < 200:
        status, version, headers = _head(reader)
    coding = headers.get("transfer-encoding", "").lower()
    length = headers.get("content-length")
    body: bytes | None = b""
    delimited = True
    if status in (204, 304):
        pass
    elif coding == "chunked":
        body = _chunks(reader)
    elif coding:
        raise TransportError("the answer has a transfer coding that was not asked for")
    elif length is not None:
        size = _size(length, 10)
        body = reader.take(size) if size <= _MAX_BODY else None
    else:
        delimited = False
        body = reader.rest(_MAX_BODY)
    if body is None and 200 <= status < 300:
        raise ResponseTooLarge("the tool gateway's answer is longer than %d bytes" % _MAX_BODY)
    reusable = (
        delimited
        and body is not None
        and not reader.buffer  # bytes nobody asked for would be taken for the next answer
        and version == "HTTP/1.1"
        and "close" not in headers.get("connection", "").lower()
    )
    return Reply(status, headers, body or b""), reusable


def _head(reader: Reader) -> tuple[int, str, dict[str, str]]:
    version, _, rest = reader.line().partition(" ")
    code = rest[:3]
    if (
        version not in ("HTTP/1.1", "HTTP/1.0")
        or not (code.isascii() and code.isdigit() and len(code) == 3)
        or rest[3:4].strip()
    ):
        raise TransportError("the answer has no HTTP status line")
    headers: dict[str, str] = {}
    while True:
        line = reader.line()
        if not line:
            return int(code), version, headers
        name, colon, value = line.partition(":")
        if not colon:
            raise TransportError("the answer has a malformed header")
        name, value = name.strip().lower(), value.strip()
        # Two lengths become one that is no number, and are so refused rather than guessed at.
        headers[name] = headers[name] + ", " + value if name in headers else value


def _chunks(reader: Reader) -> bytes | None:
    body = bytearray()
    while True:
        size = _size(reader.line().partition(";")[0].strip(), 16)
        if size == 0:
            while reader.line():
                pass  # trailers carry nothing we need
            return bytes(body)
        if len(body) + size > _MAX_BODY:
            return None
        body += reader.take(size)
        if reader.line():
            raise TransportError("the answer has a malformed chunk")


def _size(text: str, base: int) -> int:
    digits = "0123456789abcdefABCDEF" if base == 16 else "0123456789"
    if not 1 <= len(text) <= 16 or any(char not in digits for char in text):
        raise TransportError("the answer has a malformed length")
    return int(text, base)


def retry_after(headers: dict[str, str]) -> float | None:
    """Seconds the server asks to wait, at most 60; None when it does not say, or not understandably."""
    value = headers.get("retry-after", "").strip()
    if value.isascii() and value.isdigit():
        return min(float(value[:9]), _MAX_RETRY_AFTER)
    if not value:
        return None
    from email.utils import mktime_tz, parsedate_tz  # slow to import, and dates are rare here

    try:
        date = parsedate_tz(value)
        seconds = None if date is None else mktime_tz(date) - time.time()
    except (ValueError, OverflowError, IndexError, TypeError):
        return None
    return None if seconds is None else max(0.0, min(seconds, _MAX_RETRY_AFTER))
