// Package canonical reads strict JSON and gives it one spelling and one digest.
//
// The arguments of a call are compared by digest wherever the same logical call may arrive twice (S33, S70), so every
// door must agree on the bytes under the digest. The form is the one CPython produces with
//
//	json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
//
// and the digest is the lower-case hex SHA-256 of its UTF-8 bytes. It is not RFC 8785: keys are ordered by code point
// rather than by UTF-16 unit, integers keep every digit, and 1 and 1.0 stay different.
//
// What holds for every accepted document:
//
//  1. The canonical form of a canonical form is itself.
//  2. Two spellings of one value (white space, key order, escapes, the earlier of two equal keys) have one digest.
//  3. No integer passes through a float: 2^53+1 and 2^53 have different digests.
//  4. Whatever is accepted can be written as UTF-8 and read by Python: no NaN, no infinity, no number that overflows a
//     double, no lone surrogate, no integer beyond Python's 4,300 digits, no nesting beyond the limit.
//  5. Reading costs time linear in the input apart from sorting keys, and its stack is bounded by the depth limit.
//
// The golden vectors in testdata/vectors.json are read by the tests of this package and of the Python SDK, so that
// neither can drift from the other unnoticed.
package canonical
