import os
import threading
import unittest
from unittest import mock

from tests.fake_gateway import GatewayCase, answer, send


class Connections(GatewayCase):
    def numbers(self, gateway):
        return [request.connection for request in gateway.requests]

    def test_kept_connection_is_reused(self):
        gateway = self.gateway(self.receipt("pending"), answer(503, {}), self.receipt(), self.receipt())
        tools = self.tools()
        tools.call("t", "f")
        tools.call("t", "f")
        self.assertEqual([0, 0, 0, 0], self.numbers(gateway))

    def test_closing_answers_are_respected(self):
        gateway = self.gateway(self.receipt("pending", headers=["Connection: Close"]), self.receipt())
        self.tools().call("t", "f")
        self.assertEqual([0, 1], self.numbers(gateway))

    def test_connection_that_closed_while_idle(self):
        gateway = self.gateway(self.receipt("pending", keep=False), self.receipt("pending", keep=False), self.receipt())
        self.tools().call("t", "f")
        self.assertEqual([0, 1, 2], self.numbers(gateway))

    def test_stale_connection_is_retried_at_once_on_a_fresh_one(self):
        def lost(request, connection):  # a kept connection that dies as soon as it is used again
            return False

        gateway = self.gateway(self.receipt("pending"), lost, self.receipt(result=1))
        self.assertEqual(1, self.tools().call("t", "f"))
        self.assertEqual([0, 0, 1], self.numbers(gateway))
        self.assertEqual([0.5], self.sleeps)  # the poll's own; none for the stale connection

    def test_stale_submission_keeps_its_call_id(self):
        gateway = self.gateway(self.receipt(), lambda *_: False, self.receipt(result=1))
        tools = self.tools()
        tools.call("t", "f", x=1)
        self.assertEqual(1, tools.call("t", "f", x=2))
        self.assertEqual(gateway.requests[1].body, gateway.requests[2].body)
        self.assertNotEqual(gateway.requests[0].body, gateway.requests[1].body)

    def test_unasked_bytes_end_a_connection(self):
        extra = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"

        def two_answers(request, connection):
            self.receipt.note(request)
            import json

            body = json.dumps(self.receipt.build("pending")).encode()
            connection.sendall(b"HTTP/1.1 202 Accepted\r\nContent-Length: %d\r\n\r\n%s%s" % (len(body), body, extra))
            return True

        gateway = self.gateway(two_answers, self.receipt(result=1))
        self.assertEqual(1, self.tools().call("t", "f"))
        self.assertEqual([0, 1], self.numbers(gateway))

    def test_framings(self):
        import json

        def framed(frame):
            def step(request, connection):
                self.receipt.note(request)
                return send(frame(json.dumps(self.receipt.build(result=5)).encode()))(request, connection)

            return step

        for frame in (
            lambda body: b"HTTP/1.0 200 OK\r\n\r\n" + body,
            lambda body: b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + body,
            lambda body: (
                b"HTTP/1.1 200\r\nTransfer-Encoding: chunked\r\n\r\n5;x=y\r\n%s\r\n%x\r\n%s\r\n0\r\nT: r\r\n\r\n"
                % (body[:5], len(body) - 5, body[5:])
            ),
            lambda body: (
                b"HTTP/1.1 103 Early\r\nLink: x\r\n\r\nHTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s"
                % (len(body), body)
            ),
        ):
            self.gateway(framed(frame))
            self.assertEqual(5, self.tools().call("t", "f"))

    def test_oversized_success_is_refused(self):
        huge = b"x" * (1024 * 1024 + 1)
        for step in (
            send(b"HTTP/1.1 200 OK\r\nContent-Length: 1048577\r\n\r\n"),
            send(b"HTTP/1.1 200 OK\r\n\r\n" + huge),
            send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n100001\r\n" + huge),
        ):
            self.gateway(step)
            self.assertKind("invalid_response", self.tools().call, "t", "f")

    def test_redirect_is_not_followed(self):
        target = self.gateway(self.receipt())
        gateway = self.gateway(answer(307, {}, ["Location: " + target.url + "/calls"]))
        self.assertKind("request_rejected", self.tools().call, "t", "f")
        self.assertEqual((1, 0), (len(gateway.requests), len(target.requests)))

    def test_proxies_are_not_used(self):
        proxy = self.gateway()
        names = ("http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy", "ALL_PROXY")
        with mock.patch.dict(os.environ, {name: proxy.url for name in names}):
            gateway = self.gateway(self.receipt(result=1))
            self.assertEqual(1, self.tools().call("t", "f"))
        self.assertEqual((1, 0), (len(gateway.requests), len(proxy.requests)))

    def test_threads_share_an_instance(self):
        def echo(request, connection):
            return answer(200, Receipt(request))(request, connection)

        def Receipt(request):
            from tests.fake_gateway import Receipts

            own = Receipts()
            own.note(request)
            return own.build(result=request.json["arguments"]["n"])

        self.gateway(*[echo] * 80)
        tools, results = self.tools(), {}

        def work(base):
            for n in range(base, base + 10):
                results[n] = tools.call("t", "f", n=n)

        threads = [threading.Thread(target=work, args=(base,)) for base in range(0, 80, 10)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual({n: n for n in range(80)}, results)

    @unittest.skipUnless(hasattr(os, "fork"), "needs fork")
    def test_forked_child_uses_its_own_connection(self):
        gateway = self.gateway(self.receipt(), self.receipt(), self.receipt())
        tools = self.tools()
        tools.call("t", "f")
        import warnings

        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore"
            )  # forking beside the fake's threads is fine: the child only calls and leaves
            child = os.fork()
        if child == 0:
            try:
                tools.call("t", "f")
            finally:
                os._exit(0)
        self.assertEqual(0, os.waitpid(child, 0)[1])
        tools.call("t", "f")
        self.assertEqual([0, 1, 0], self.numbers(gateway))


if __name__ == "__main__":
    unittest.main()
