import email.utils
import io
import os
import socket
import time
import unittest
from unittest import mock

from mindroom import script_sdk
from mindroom._response import retry_after
from tests.fake_gateway import GatewayCase, answer, drop, raw, send

BROKEN_ANSWERS = {
    "no answer": drop,
    "garbage": send(b"\x16\x03\x01 this is not HTTP\r\n\r\n"),
    "bad status line": send(b"HTTP/1.1 OK\r\n\r\n"),
    "long status": send(b"HTTP/1.1 2000 OK\r\n\r\n"),
    "status of foreign digits": send("HTTP/1.1 \u0662\u0660\u0660 OK\r\n\r\n".encode()),
    "cut head": send(b"HTTP/1.1 200 OK\r\nContent-Le"),
    "header without colon": send(b"HTTP/1.1 200 OK\r\nnonsense\r\n\r\n"),
    "endless head": send(b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 20000),
    "endless line": send(b"HTTP/1.1 200 OK\r\nX: " + b"y" * 200000),
    "cut body": send(b'HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{"run_id":'),
    "bad length": send(b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n{}"),
    "two lengths": send(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{} "),
    "cut chunk": send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n{}"),
    "bad chunk": send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}"),
    "no last chunk": send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n"),
    "other coding": send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nxx"),
    "500": answer(500, {"detail": "x"}),
    "502 page": raw(502, b"<html>" * 300000, keep=False),
    "503": answer(503, {"detail": "fenced"}),
    "429": answer(429, {"detail": "slow down"}),
}


class Retries(GatewayCase):
    def test_submission_is_repeated_byte_for_byte(self):
        for name, step in BROKEN_ANSWERS.items():
            with self.subTest(name):
                gateway = self.gateway(step, step, self.receipt(result=7))
                self.assertEqual(7, self.tools().call("t", "f", x="\u00e9"))
                self.assertEqual(["POST"] * 3, [request.method for request in gateway.requests])
                self.assertEqual(1, len({request.body for request in gateway.requests}))

    def test_poll_is_repeated(self):
        for name, step in BROKEN_ANSWERS.items():
            with self.subTest(name):
                gateway = self.gateway(self.receipt("pending"), step, self.receipt(result=7))
                self.assertEqual(7, self.tools().call("t", "f"))
                self.assertEqual(["POST", "GET", "GET"], [request.method for request in gateway.requests])
                self.assertEqual(gateway.requests[1].path, gateway.requests[2].path)

    def test_lost_after_acceptance(self):
        def accepted_then_lost(request, connection):
            self.receipt.note(request)
            return False

        gateway = self.gateway(accepted_then_lost, self.receipt("pending"), self.receipt(result=1))
        self.assertEqual(1, self.tools().call("t", "f"))
        self.assertEqual(gateway.requests[0].body, gateway.requests[1].body)

    def test_gateway_that_is_down_at_first(self):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            os.environ["MINDROOM_SCRIPT_GATEWAY_URL"] = "http://127.0.0.1:%d" % probe.getsockname()[1]
        tools = self.tools()

        def restart(seconds):
            self.sleeps.append(seconds)
            if len(self.sleeps) == 3:
                import mindroom._address as address

                tools._gateway._base = address.parse_base_url(self.gateway(self.receipt(result=1)).url)

        with mock.patch("mindroom.script_sdk.time.sleep", restart):
            self.assertEqual(1, tools.call("t", "f"))
        self.assertEqual(3, len(self.sleeps))

    def test_backoff_grows_to_five_seconds_with_full_jitter(self):
        with mock.patch("mindroom.script_sdk._fraction", lambda: 0.5):
            self.gateway(*[answer(503, {})] * 8, self.receipt("pending"), answer(503, {}), self.receipt())
            self.tools().call("t", "f")
        ceilings = [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0]
        self.assertEqual(
            [c / 2 for c in ceilings] + [0.5, 0.05], self.sleeps
        )  # then one poll, and back to the shortest
        fractions = [script_sdk._fraction() for _ in range(1000)]
        self.assertTrue(0 <= min(fractions) < 0.1 and 0.9 < max(fractions) < 1)

    def test_retry_after(self):
        date = email.utils.formatdate(time.time() + 30, usegmt=True)
        for status, value, low, high in (
            (429, "3", 3, 3.1), (503, "2", 2, 2.1), (503, "100000", 60, 60.1), (429, date, 27, 31), (503, "soon", 0, 0.1),
            (503, "-5", 0, 0.1), (503, "Thu, 01 Jan 1970 00:00:00 GMT", 0, 0.1), (500, "9", 0, 0.1), (503, "9" * 5000, 60, 60.1),
        ):  # fmt: skip
            with self.subTest(status=status, value=value[:40]):
                self.sleeps.clear()
                self.gateway(answer(status, {}, ["Retry-After: " + value]), self.receipt())
                self.tools().call("t", "f")
                (pause,) = self.sleeps or [0]
                self.assertTrue(low <= pause <= high, pause)
        self.assertIsNone(retry_after({}))

    def test_held_answer_is_followed_by_a_poll_at_once(self):
        clock = [0.0]

        def held(request, connection):
            clock[0] += 10
            return self.receipt("pending")(request, connection)

        self.gateway(held, held, self.receipt("pending"), self.receipt())
        with mock.patch("mindroom.script_sdk.time.monotonic", lambda: clock[0]):
            self.tools(http_timeout_seconds=10000).call("t", "f")
        self.assertEqual([0.5], self.sleeps)

    def test_no_answer_in_time(self):
        def drip(request, connection):
            connection.sendall(b"HTTP/1.1 200 OK\r\n")
            connection.settimeout(0.01)
            while True:
                connection.sendall(b"X: y\r\n")  # each byte is in time, the answer never is
                try:
                    if not connection.recv(1):
                        return False
                except TimeoutError:
                    pass
                except socket.timeout:
                    pass

        gateway = self.gateway(drip, self.receipt(result=1))
        self.assertEqual(1, self.tools(http_timeout_seconds=0.3).call("t", "f"))
        self.assertEqual(2, len(gateway.requests))

    def test_long_outage_is_mentioned_once(self):
        clock = [0.0]

        def sleep(seconds):
            clock[0] += 10

        self.gateway(*[answer(503, {"detail": "restarting"})] * 9, self.receipt())
        with (
            mock.patch("mindroom.script_sdk.time.sleep", sleep),
            mock.patch("mindroom.script_sdk.time.monotonic", lambda: clock[0]),
        ):
            with mock.patch("sys.stderr", io.StringIO()) as stderr:
                self.tools(http_timeout_seconds=10000).call("t", "f")
        self.assertEqual("mindroom: still trying to reach the tool gateway: restarting\n", stderr.getvalue())

    def test_interrupts_pass_through(self):
        for interrupt in (KeyboardInterrupt, SystemExit):
            gateway = self.gateway(self.receipt("pending"), self.receipt())
            with mock.patch("mindroom.script_sdk.time.sleep", side_effect=interrupt), self.assertRaises(interrupt):
                self.tools().call("t", "f")
            self.assertEqual(1, len(gateway.requests))


if __name__ == "__main__":
    unittest.main()
