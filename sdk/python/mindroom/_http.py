"""A small HTTP/1.1 client for one gateway: kept connections, no redirects, no proxies, every size and time bounded.

http.client would do, but importing it (and the e-mail parser behind it) takes longer than everything else the SDK does
before its first call.
"""

from __future__ import annotations

import os
import socket
import time
from _thread import allocate_lock

from mindroom._address import BaseURL
from mindroom._response import Reader, Reply, TransportError, read_reply

_MAX_IDLE_CONNECTIONS = 4
_MAX_IDLE_SECONDS = 30.0  # shorter than what servers and proxies in between usually allow


class _Stale(TransportError):
    """A kept connection turned out to be closed before any part of an answer arrived."""


class Gateway:
    """Sends requests to one gateway. Safe to use from many threads, and in a forked child."""

    def __init__(self, base: BaseURL, token: str, timeout: float, wait: int) -> None:
        self._base = base
        self._timeout = timeout
        self._head = (
            "Host: %s\r\nAuthorization: Bearer %s\r\nAccept: application/json\r\nAccept-Encoding: identity\r\n"
            "User-Agent: mindroom-script-sdk\r\nPrefer: wait=%d\r\n" % (base.authority, token, wait)
        )
        self._lock = allocate_lock()
        self._idle: list[tuple[socket.socket, float]] = []
        self._owner = os.getpid()
        self._tls: object = None

    def request(self, method: str, path: str, body: bytes | None) -> Reply:
        """One exchange. Raises TransportError, or ResponseTooLarge for an oversized success."""
        head = "%s %s%s HTTP/1.1\r\n%s" % (method, self._base.path, path, self._head)
        if body is not None:
            head += "Content-Type: application/json\r\nContent-Length: %d\r\n" % len(body)
        message = head.encode("ascii") + b"\r\n" + (body or b"")
        deadline = time.monotonic() + self._timeout
        while True:
            kept = self._take()
            try:
                return self._exchange(kept or self._connect(deadline), kept is not None, message, deadline)
            except _Stale:
                continue  # each turn uses up one kept connection; a fresh one is never stale
            except TransportError:
                self.close()  # what cut this one short has probably ended the idle ones too, maybe without a sign
                raise
            except (OSError, ValueError) as error:
                # ValueError: a host name the resolver cannot even encode.
                self.close()
                raise TransportError("%s: %s" % (type(error).__name__, error)) from error

    def close(self) -> None:
        """Close the connections nobody uses."""
        with self._lock:
            idle, self._idle = self._idle, []
        for connection, _ in idle:
            connection.close()

    def _exchange(self, connection: socket.socket, kept: bool, message: bytes, deadline: float) -> Reply:
        reader = Reader(connection, deadline)
        try:
            try:
                connection.settimeout(reader.remaining())
                connection.sendall(message)
                reader.fill()
            except (ConnectionError, TransportError) as error:
                if not kept:
                    raise
                raise _Stale() from error
            reply, reusable = read_reply(reader)
        except BaseException:  # also KeyboardInterrupt: half an answer must never be read as the next one
            connection.close()
            raise
        if reusable:
            self._keep(connection)
        else:
            connection.close()
        return reply

    def _connect(self, deadline: float) -> socket.socket:
        address = (self._base.host, self._base.port)
        connection = socket.create_connection(address, max(0.001, deadline - time.monotonic()))
        try:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self._base.secure:
                return self._context().wrap_socket(connection, server_hostname=self._base.host)  # type: ignore
            return connection
        except BaseException:
            connection.close()
            raise

    def _context(self) -> object:
        with self._lock:
            if self._tls is None:
                import ssl  # slow to import, and the gateway is usually plain HTTP on a private network

                self._tls = ssl.create_default_context()
            return self._tls

    def _take(self) -> socket.socket | None:
        if self._owner != os.getpid():  # a forked child must not talk over its parent's connections
            self.close()
            self._owner = os.getpid()
        while True:
            with self._lock:
                if not self._idle:
                    return None
                connection, since = self._idle.pop()
            if time.monotonic() - since <= _MAX_IDLE_SECONDS and _is_quiet(connection):
                return connection
            connection.close()

    def _keep(self, connection: socket.socket) -> None:
        with self._lock:
            if len(self._idle) < _MAX_IDLE_CONNECTIONS and self._owner == os.getpid():
                self._idle.append((connection, time.monotonic()))
                return
        connection.close()


def _is_quiet(connection: socket.socket) -> bool:
    """Whether nothing, not even an end, has arrived on an idle connection."""
    try:
        connection.settimeout(0)
        connection.recv(1, socket.MSG_PEEK)
    except BlockingIOError:
        return True
    except ValueError:
        return True  # TLS cannot peek; a closed one shows at the next write or read
    except OSError:
        return False
    return False
