// Package secret keeps values that must not be seen from being printed: by
// their type where the program knows them, and by the redactor where they come
// back inside other text.
//
// Invariants:
//
//  1. No verb of fmt, no encoder of JSON or text, and no slog handler prints a
//     Value, also not as a field of another struct. Only Reveal does.
//  2. A value of at least MinLength bytes is known to the redactor from the
//     moment it is made, as it is and as JSON and URLs spell it.
//  3. Redacting takes time linear in the text, whatever is registered.
//  4. What was redacted once is not changed by redacting it again.
package secret
