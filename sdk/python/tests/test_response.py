import random
import time
import unittest

from mindroom._response import Reader, ResponseTooLarge, TransportError, read_reply

ANSWERS = (
    b'HTTP/1.1 200 OK\r\nContent-Length: 11\r\nContent-Type: application/json\r\n\r\n{"a":"bcd"}',
    b"HTTP/1.1 202 Accepted\r\nTransfer-Encoding: chunked\r\nA: b\r\n\r\n4\r\nabcd\r\n7;x=y\r\nefghijk\r\n0\r\nT: u\r\n\r\n",
    b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.0 503 Busy\r\nRetry-After: 3\r\n\r\nplease wait",
    b"HTTP/1.1 204 Nothing\r\nConnection: close\r\n\r\n",
)


class Wire:
    """A connection that delivers fixed bytes in pieces and then ends."""

    def __init__(self, data, rng):
        self.data, self.rng = data, rng

    def settimeout(self, seconds):
        assert seconds > 0

    def recv(self, size):
        size = min(size, self.rng.choice((1, 3, 20, 65536)))
        piece, self.data = self.data[:size], self.data[size:]
        return piece


class Responses(unittest.TestCase):
    def read(self, data, rng):
        return read_reply(Reader(Wire(data, rng), time.monotonic() + 60))

    def test_pieces_do_not_matter(self):
        for data in ANSWERS:
            for seed in range(20):
                reply, _ = self.read(data, random.Random(seed))
                want, _ = self.read(data, random.Random(99))
                self.assertEqual((want.status, want.headers, want.body), (reply.status, reply.headers, reply.body))

    def test_damage_never_surprises(self):
        outcomes = set()
        for seed in range(4000):
            rng = random.Random(seed)
            data = bytearray(rng.choice(ANSWERS))
            for _ in range(rng.randint(1, 4)):
                at = rng.randrange(len(data))
                if rng.random() < 0.3:
                    del data[at:]
                elif rng.random() < 0.5:
                    data[at : at + rng.randint(0, 3)] = bytes(
                        rng.choices(b"0159 :;,\r\n-\x00\xffHTP/", k=rng.randint(0, 4))
                    )
                else:
                    data[at] = rng.randrange(256)
                if not data:
                    break
            with self.subTest(seed=seed):
                try:
                    reply, _ = self.read(bytes(data), rng)
                except (TransportError, ResponseTooLarge) as error:
                    outcomes.add(type(error))
                else:
                    outcomes.add(reply.status)
                    self.assertTrue(200 <= reply.status <= 999)
        self.assertLessEqual({200, 202, 503, TransportError}, outcomes)

    def test_reuse(self):
        self.assertEqual([True, True, False, False], [self.read(data, random.Random(0))[1] for data in ANSWERS])


if __name__ == "__main__":
    unittest.main()
