import os
import unittest
from unittest import mock

from mindroom._address import parse_base_url
from mindroom.script_sdk import MindRoomTools
from tests.fake_gateway import TOKEN, GatewayCase


class Construction(GatewayCase):
    def setUp(self):
        super().setUp()
        os.environ["MINDROOM_SCRIPT_GATEWAY_URL"] = "http://127.0.0.1:1/api/script-gateway"

    def test_intervals_must_be_finite_and_positive(self):
        for value in (0, -1, float("nan"), float("inf")):
            for name in ("poll_interval_seconds", "http_timeout_seconds"):
                with self.subTest(name=name, value=value), self.assertRaisesRegex(ValueError, name):
                    MindRoomTools(**{name: value})
        with self.assertRaises(TypeError):
            MindRoomTools(15.0)

    def test_interval_is_checked_before_the_environment(self):
        with mock.patch.dict(os.environ, clear=True), self.assertRaises(ValueError):
            MindRoomTools(poll_interval_seconds=0)

    def test_missing_or_blank_variable_is_named(self):
        for name in ("MINDROOM_SCRIPT_GATEWAY_URL", "MINDROOM_SCRIPT_RUN_ID", "MINDROOM_SCRIPT_TOKEN_PATH"):
            with (
                mock.patch.dict(os.environ, {name: " \n"}),
                self.assertRaisesRegex(RuntimeError, name + ".*start_script"),
            ):
                MindRoomTools()
            with mock.patch.dict(os.environ):
                del os.environ[name]
                with self.assertRaisesRegex(RuntimeError, name + ".*start_script"):
                    MindRoomTools()

    def test_bad_addresses(self):
        for url in (
            "ftp://h/",
            "h:80",
            "http://",
            "http:///p",
            "http://:80",
            "http://u:p@h/",
            "http://h/?q",
            "http://h/#f",
            "http://h:x/",
            "http://h:0",
            "http://h:65536",
            "http://[::1/",
            "http://::1/",
            "http://h /",
            "http://h/\r\nX: y",
            "http://h\u00e9/",
        ):
            with self.subTest(url), self.assertRaisesRegex(RuntimeError, "MINDROOM_SCRIPT_GATEWAY_URL"):
                parse_base_url(url)

    def test_good_addresses(self):
        for url, want in {
            "http://h": (False, "h", 80, "h", ""),
            "HTTPS://h.example/a/b//": (True, "h.example", 443, "h.example", "/a/b"),
            "http://127.0.0.1:8765/api": (False, "127.0.0.1", 8765, "127.0.0.1:8765", "/api"),
            "http://[::1]:80/x": (False, "::1", 80, "[::1]:80", "/x"),
            "http://[::1]": (False, "::1", 80, "[::1]", ""),
        }.items():
            base = parse_base_url(url)
            self.assertEqual(want, (base.secure, base.host, base.port, base.authority, base.path), url)

    def test_capability_file(self):
        for content in (b"", b" \n", b"x" * 4097, b"\xff\xfe", b"two words", b"a\r\nX-Evil: 1", "\u00e9".encode()):
            with open(self.token_path, "wb") as file:
                file.write(content)
            with self.subTest(content[:20]), self.assertRaisesRegex(RuntimeError, "capability.*invalid"):
                MindRoomTools()
        os.unlink(self.token_path)
        with self.assertRaisesRegex(RuntimeError, "capability.*unavailable"):
            MindRoomTools()
        os.environ["MINDROOM_SCRIPT_TOKEN_PATH"] = os.path.dirname(self.token_path)
        with self.assertRaisesRegex(RuntimeError, "capability.*unavailable"):
            MindRoomTools()

    def test_capability_is_read_once_and_not_shown(self):
        gateway = self.gateway(self.receipt())
        tools = self.tools()
        os.unlink(self.token_path)
        tools.call("t", "f")
        self.assertEqual("Bearer " + TOKEN, gateway.requests[0].headers["Authorization"])
        self.assertNotIn(TOKEN, repr(tools))


if __name__ == "__main__":
    unittest.main()
