// Package config reads config.yaml and the environment into values that nothing changes afterwards.
//
// Load turns one file into a Config: every key typed, every reference resolved, every complaint with file, line, column
// and key path. The whole file is judged at once, so a person repairs it in one go. What this version does not implement
// but the format knows is accepted and reported as a Warning; what nobody knows is an Error with the nearest known key.
//
// A file passes through four steps, one file each:
//
//	bytes ── parse.go ──▶ YAML nodes ── tree.go ──▶ bounded tree ── section.go and one file a section ──▶ Config ── references.go ──▶ checked
//
// Invariants, which the tests name by number:
//
//  1. Every Error and Warning of a file lies inside that file: 1 ≤ line ≤ lines + 1, column ≥ 1.
//  2. Work is bounded before it is done: 1 MiB of text, 64 levels, 100,000 values after aliases are followed.
//  3. A Config is returned only when there is no Error; Warnings never stop a start.
//  4. No message contains the value of an environment variable; a message about a value of the file quotes at most 40 characters.
//  5. A published Snapshot never changes, and its number is greater than that of every snapshot before it.
//  6. A refused reload leaves the current snapshot and the next number as they were.
//
// Toolkits are known only through the port Catalog, so this package checks inline overrides without importing a toolkit.
package config
