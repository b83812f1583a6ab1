import pickle
import unittest

from mindroom.script_sdk import MindRoomToolCallError
from tests.fake_gateway import PREFIX, RUN_ID, TOKEN, GatewayCase, answer, canonical_digest, raw


class Calls(GatewayCase):
    def test_what_is_sent(self):
        gateway = self.gateway(self.receipt("pending"), self.receipt("pending"), self.receipt(result={"n": 2**70}))
        self.assertEqual({"n": 2**70}, self.tools().call("website", "read_url", url="caf\u00e9"))
        post, first, second = gateway.requests
        call_id = post.json["call_id"]
        self.assertRegex(call_id, "^[0-9a-f]{12}4[0-9a-f]{3}[89ab][0-9a-f]{15}$")
        body = '{"run_id":"%s","call_id":"%s","toolkit_name":"website","function_name":"read_url","arguments":{"url":"caf\\u00e9"}}'
        self.assertEqual((body % (RUN_ID, call_id)).encode(), post.body)
        self.assertEqual(("POST", PREFIX + "/calls", "HTTP/1.1"), (post.method, post.path, post.version))
        self.assertEqual("application/json", post.headers["Content-Type"])
        for poll in (first, second):
            self.assertEqual(("GET", "%s/runs/%s/calls/%s" % (PREFIX, RUN_ID, call_id)), (poll.method, poll.path))
            self.assertNotIn("Content-Length", poll.headers)
        for request in gateway.requests:
            self.assertEqual("Bearer " + TOKEN, request.headers["Authorization"])
            self.assertEqual("wait=10", request.headers["Prefer"])
        self.assertEqual([0.5, 0.5], self.sleeps)

    def test_every_call_has_its_own_id(self):
        gateway = self.gateway(*[self.receipt()] * 20)
        tools = self.tools()
        for _ in range(20):
            tools.call("t", "f")
        self.assertEqual(20, len({request.json["call_id"] for request in gateway.requests}))

    def test_run_id_is_one_path_segment(self):
        import os

        os.environ["MINDROOM_SCRIPT_RUN_ID"] = "a/../b?c #%\u00e9"
        gateway = self.gateway(self.receipt("pending"), self.receipt())
        self.tools().call("t", "f")
        self.assertTrue(gateway.requests[1].path.startswith(PREFIX + "/runs/a%2F..%2Fb%3Fc%20%23%25%C3%A9/calls/"))

    def test_wait_stays_below_the_timeout(self):
        for timeout, wait in ((15.0, 10), (600, 10), (6, 4), (1.0, 0)):
            gateway = self.gateway(self.receipt())
            self.tools(http_timeout_seconds=timeout).call("t", "f")
            self.assertEqual("wait=%d" % wait, gateway.requests[0].headers["Prefer"])

    def test_results(self):
        values = [None, 0, "", [], {}, False, 1.0, "\U0001f600"]
        self.gateway(*[self.receipt(result=value) for value in values])
        tools = self.tools()
        for value in values:
            result = tools.call("t", "f")
            self.assertEqual((value, type(value)), (result, type(result)))


class Failures(GatewayCase):
    def fail_with(self, *steps):
        self.gateway(*steps)
        return self.tools().call

    def test_receipt_errors_keep_everything(self):
        for state, kind, retryable in (
            ("failed", "approval_denied", False), ("failed", "approval_expired", False), ("failed", "capability_revoked", False), ("failed", "call_rejected", False),
            ("failed", "tool_failure", False), ("failed", "invalid_tool_result", False), ("failed", "result_too_large", False), ("failed", "runtime_failure", True),
            ("indeterminate", "indeterminate", False),
        ):  # fmt: skip
            with self.subTest(kind):
                call = self.fail_with(
                    self.receipt("pending"),
                    self.receipt(state, error={"kind": kind, "message": "why", "retryable": retryable}),
                )
                error = self.assertKind(kind, call, "t", "f")
                self.assertEqual(
                    ("why", retryable, self.receipt.call["call_id"]), (str(error), error.retryable, error.call_id)
                )

    def test_receipt_without_usable_error(self):
        for body in (None, [], {"kind": 1, "message": 2, "retryable": 1}, {"retryable": "true"}):
            for state in ("failed", "indeterminate"):
                error = self.assertKind(state, self.fail_with(self.receipt(state, error=body)), "t", "f")
                self.assertIn(state, str(error))
                self.assertFalse(error.retryable)

    def test_refusals(self):
        for status in (300, 301, 302, 307, 308, 400, 401, 403, 404, 405, 409, 413, 422, 499):
            with self.subTest(status):
                error = self.assertKind(
                    "request_rejected", self.fail_with(answer(status, {"detail": "no such thing"})), "t", "f"
                )
                self.assertFalse(error.retryable)
                self.assertIn("redirect" if status < 400 else "no such thing", str(error))
        error = self.assertKind("request_rejected", self.fail_with(answer(422, {"detail": [{"loc": ["x"]}]})), "t", "f")
        self.assertEqual("[{'loc': ['x']}]", str(error))
        for body in (b"", b"<html>", b"[]", b"\xff", b"[" * 100000, b'{"detail":null}', b"x" * (1 << 21)):
            self.assertIn(
                "HTTP 404", str(self.assertKind("request_rejected", self.fail_with(raw(404, body)), "t", "f"))
            )

    def test_refused_poll(self):
        call = self.fail_with(self.receipt("pending"), answer(404, {"detail": "unavailable"}))
        self.assertKind("request_rejected", call, "t", "f")

    def test_unusable_receipts(self):
        for body in (
            b"",
            b"hello",
            b"[]",
            b"null",
            b'"x"',
            b"\xff\xfe",
            b"[" * 100000,
            b'{"state":"completed"}',
            b"9" * 5000,
        ):
            with self.subTest(body[:20]):
                self.assertKind("invalid_response", self.fail_with(raw(200, body)), "t", "f")
        for changes in ({"run_id": "other"}, {"call_id": "other"}, {"call_id": None}):
            self.assertKind("invalid_response", self.fail_with(self.receipt(**changes)), "t", "f")
        for state in ("declined", "cancelled", "running", "", None, 1, [], {}, ["completed"], True):
            with self.subTest(state=state):
                self.assertFalse(
                    self.assertKind("invalid_response", self.fail_with(self.receipt(state)), "t", "f").retryable
                )

    def test_receipt_of_another_request(self):
        for key in ("toolkit_name", "function_name", "arguments_digest"):
            for value in ("other", None):
                self.assertKind("stable_call_conflict", self.fail_with(self.receipt(**{key: value})), "t", "f")
        call = self.fail_with(self.receipt("pending"), self.receipt(arguments_digest=canonical_digest({"x": 1.0})))
        self.assertKind("stable_call_conflict", call, "t", "f", x=1)

    def test_further_fields_are_ignored(self):
        self.gateway(self.receipt(result=1, updated_at="later", note={}))
        self.assertEqual(1, self.tools().call("t", "f"))

    def test_error_class(self):
        error = MindRoomToolCallError("text", kind="k", retryable=True, call_id="c")
        self.assertIsInstance(error, RuntimeError)
        copy = pickle.loads(pickle.dumps(error))
        self.assertEqual(("text", "k", True, "c"), (str(copy), copy.kind, copy.retryable, copy.call_id))
        self.assertEqual("mindroom.script_sdk", type(error).__module__)


if __name__ == "__main__":
    unittest.main()
