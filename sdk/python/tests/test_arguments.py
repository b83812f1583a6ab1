import enum
import json
import os
import unittest

from mindroom._arguments import digest
from tests.fake_gateway import GatewayCase

VECTORS = os.path.join(os.path.dirname(__file__), "..", "..", "..", "internal", "canonical", "testdata", "vectors.json")


class Digests(unittest.TestCase):
    def test_shared_vectors(self):
        with open(VECTORS, encoding="utf-8") as file:
            vectors = json.load(file)["accept"]
        self.assertGreater(len(vectors), 20)
        for vector in vectors:
            with self.subTest(vector["name"]):
                self.assertEqual(vector["sha256"], digest(json.loads(vector["input"])))


class Arguments(GatewayCase):
    def setUp(self):
        super().setUp()
        self.fake = self.gateway()
        self.call = self.tools().call

    def sent(self, /, *arguments, **keywords):
        """The argument object on the wire, as text."""
        self.fake.requests.clear()
        self.fake.steps.append(self.receipt(result="ok"))
        self.assertEqual("ok", self.call("kit", "fn", *arguments, **keywords))
        return self.fake.requests[0].body.decode("ascii").partition('"arguments":')[2][:-1]

    def test_wire_form(self):
        class Colour(enum.IntEnum):
            RED = 1

        for value, text in (
            ({1: "x", 10: "y", 2: "z"}, '{"1":"x","10":"y","2":"z"}'),
            ({True: 1}, '{"true":1}'),
            ({None: 1}, '{"null":1}'),
            ({1.5: 1}, '{"1.5":1}'),
            ((1, [2, ()]), "[1,[2,[]]]"),
            (
                [2**100, -(2**63), 9007199254740993],
                "[1267650600228229401496703205376,-9223372036854775808,9007199254740993]",
            ),
            ([1.0, 1e16, 1e-7, -0.0, 0.1, 1e22], "[1.0,1e+16,1e-07,-0.0,0.1,1e+22]"),
            ("\u00e9\U0001f600\u2028<\x00\x7f", '"\\u00e9\\ud83d\\ude00\\u2028<\\u0000\\u007f"'),
            (Colour.RED, "1"),
            (None, "null"),
        ):
            with self.subTest(text):
                self.assertEqual('{"v":%s}' % text, self.sent(v=value))

    def test_key_order_is_kept_on_the_wire(self):
        self.assertEqual('{"b":1,"a":{"z":1,"y":2}}', self.sent(b=1, a={"z": 1, "y": 2}))

    def test_mapping_form(self):
        self.assertEqual(
            '{"self":1,"toolkit_name":2,"arguments":3}', self.sent({"self": 1, "toolkit_name": 2}, arguments=3)
        )
        self.assertEqual('{"self":1,"function_name":2}', self.sent(self=1, function_name=2))
        self.assertEqual("{}", self.sent({}))
        self.assertEqual("{}", self.sent(None))
        self.assertEqual('{"PATH":1}', self.sent(os._Environ({"PATH": 1}, str, str, str, int)))

    def test_refused_locally(self):
        cycle, ring = {}, []
        cycle["self"] = [cycle]
        ring.append(ring)
        deep = wide = 0
        for _ in range(100):
            deep, wide = [deep], [wide, wide]
        for name, value in {
            "mixed keys": {1: 1, "1": 2},
            "mixed keys inside": [({"a": [{True: 1, 1.5: 2}]},)],
            "nan": float("nan"),
            "infinity": [float("inf")],
            "minus infinity key": {float("-inf"): 1},
            "object": object(),
            "bytes": b"x",
            "set": {1},
            "tuple key": {(1, 2): 3},
            "lone surrogate": "\ud800",
            "lone surrogate key": {"\udfff": 1},
            "cyclic mapping": cycle,
            "cyclic list": ring,
            "too deep": deep,
            "exponential": wide,
            "too many": [0] * 70000,
            "too long": "x" * 66000,
        }.items():
            with self.subTest(name):
                error = self.assertKind("invalid_arguments", self.call, "kit", "fn", v=value)
                self.assertFalse(error.retryable)
                self.assertIsNone(error.__cause__)
                self.assertTrue(error.__suppress_context__ or error.__context__ is None)
        self.assertEqual([], self.fake.requests)

    def test_digit_limit(self):
        import sys

        if hasattr(sys, "get_int_max_str_digits"):
            self.assertKind("invalid_arguments", self.call, "kit", "fn", v=10**5000)

    def test_deepest_allowed(self):
        deep = 0
        for _ in range(99):  # the argument object itself is one level
            deep = [deep]
        self.assertEqual('{"v":%s0%s}' % ("[" * 99, "]" * 99), self.sent(v=deep))

    def test_bad_names_and_mappings(self):
        for arguments in (
            ("", "f"),
            ("t", ""),
            ("t" * 129, "f"),
            (1, "f"),
            ("t", None),
            ("\ud800", "f"),
            ("t", "f", 5),
            ("t", "f", ["ab"]),
            ("t", "f", "ab"),
        ):
            with self.subTest(arguments):
                self.assertKind("invalid_arguments", self.call, *arguments)
        error = self.assertKind("invalid_arguments", self.call, "t", "f", {"self": 1, "b": 1}, self=1)
        self.assertIn("'self'", str(error))
        self.assertKind("invalid_arguments", self.call, "t", "f", {1: 1}, a=1)
        self.assertEqual([], self.fake.requests)


if __name__ == "__main__":
    unittest.main()
