"""A gateway that plays a list of steps over raw sockets, so that a test can answer with anything a network can produce."""

import contextlib
import hashlib
import json
import os
import socket
import tempfile
import threading
import unittest
from unittest import mock

from mindroom.script_sdk import MindRoomTools

RUN_ID = "script-0123456789abcdef0123456789abcdef"
TOKEN = "t0ken-for_tests"
PREFIX = "/api/script-gateway"


class Request:
    def __init__(self, head, body, connection):
        lines = head.decode("latin-1").split("\r\n")
        self.method, self.path, self.version = lines[0].split(" ")
        self.headers = dict(line.split(": ", 1) for line in lines[1:])
        self.body = body
        self.connection = connection  # number of the connection it came over, from 0

    @property
    def json(self):
        return json.loads(self.body)


class FakeGateway:
    """Each request takes the next step: a function of (request, socket) that returns whether to keep the connection."""

    def __init__(self, *steps):
        self.steps = list(steps)
        self.requests = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = "http://127.0.0.1:%d%s" % (self._listener.getsockname()[1], PREFIX)
        self._lock = threading.Lock()
        self._open = []
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()

    def close(self):
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for connection in self._open:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(10)

    def _accept(self):
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self._open.append(connection)
            thread = threading.Thread(target=self._serve, args=(connection, len(self._open) - 1))
            self._threads.append(thread)
            thread.start()

    def _serve(self, connection, number):
        buffer = b""
        with connection, contextlib.suppress(OSError):
            while True:
                while b"\r\n\r\n" not in buffer:
                    chunk = connection.recv(65536)
                    if not chunk:
                        return
                    buffer += chunk
                head, _, buffer = buffer.partition(b"\r\n\r\n")
                request = Request(head, b"", number)
                length = int(request.headers.get("Content-Length", 0))
                while len(buffer) < length:
                    buffer += connection.recv(65536)
                request.body, buffer = buffer[:length], buffer[length:]
                with self._lock:
                    self.requests.append(request)
                    step = self.steps.pop(0) if self.steps else answer(404, {"detail": "the test has no step left"})
                if not step(request, connection):
                    return

    def submitted(self):
        return next(request.json for request in self.requests if request.method == "POST")


def canonical_digest(arguments):
    form = json.dumps(arguments, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(form.encode()).hexdigest()


def answer(status, value, headers=(), keep=True):
    """A well-formed answer with a JSON body."""
    return raw(status, json.dumps(value).encode(), headers, keep)


def raw(status, body, headers=(), keep=True):
    head = ["HTTP/1.1 %d Whatever" % status, "Content-Length: %d" % len(body), *headers]

    def step(request, connection):
        connection.sendall("\r\n".join(head).encode() + b"\r\n\r\n" + body)
        return keep

    return step


def send(data):
    """Exactly these bytes, then the end of the connection."""

    def step(request, connection):
        connection.sendall(data)
        return False

    return step


def drop(request, connection):
    """Close after the request has arrived, without an answer."""
    return False


class Receipts:
    """Steps that answer with a receipt of the call that was submitted."""

    def __init__(self):
        self.call = None

    def __call__(self, state="completed", result=None, error=None, status=None, keep=True, headers=(), **changes):
        def step(request, connection):
            self.note(request)
            return answer(
                status or (202 if state == "pending" else 200), self.build(state, result, error, changes), headers, keep
            )(request, connection)

        return step

    def note(self, request):
        if request.method == "POST":
            self.call = request.json

    def build(self, state="completed", result=None, error=None, changes=()):
        call = self.call
        receipt = {key: call[key] for key in ("run_id", "call_id", "toolkit_name", "function_name")}
        receipt.update(arguments_digest=canonical_digest(call["arguments"]), state=state, result=result, error=error)
        receipt.update(created_at="2026-01-01T00:00:00.000000Z", **dict(changes))
        return receipt


class GatewayCase(unittest.TestCase):
    """A test with an environment as the launcher makes it. Sleeps are recorded in self.sleeps instead of slept."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.token_path = os.path.join(folder.name, "capability")
        with open(self.token_path, "w") as file:
            file.write(TOKEN + "\n")
        environ = {"MINDROOM_SCRIPT_RUN_ID": RUN_ID, "MINDROOM_SCRIPT_TOKEN_PATH": self.token_path}
        self.start(mock.patch.dict(os.environ, environ))
        os.environ.pop("MINDROOM_SCRIPT_GATEWAY_URL", None)
        self.sleeps = []
        self.start(mock.patch("mindroom.script_sdk.time.sleep", self.sleeps.append))
        self.receipt = Receipts()

    def start(self, patch):
        patch.start()
        self.addCleanup(patch.stop)

    def gateway(self, *steps):
        gateway = FakeGateway(*steps)
        self.addCleanup(gateway.close)
        os.environ["MINDROOM_SCRIPT_GATEWAY_URL"] = gateway.url + "/"
        return gateway

    def tools(self, **options):
        tools = MindRoomTools(**options)
        self.addCleanup(tools.close)
        return tools

    def assertKind(self, kind, call, /, *arguments, **keywords):
        from mindroom.script_sdk import MindRoomToolCallError

        with self.assertRaises(MindRoomToolCallError) as caught:
            call(*arguments, **keywords)
        self.assertEqual(kind, caught.exception.kind, str(caught.exception))
        self.assertRegex(caught.exception.call_id, "^[0-9a-f]{32}$")
        return caught.exception
