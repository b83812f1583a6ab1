// Package config reads config.yaml, what it includes and the environment into values that nothing changes afterwards.
//
// Load turns files into a Config: every key typed, every reference resolved, every complaint with file, line, column and key
// path. The whole is judged at once, so a person repairs it in one go. What this version does not implement but the format knows
// is judged too and reported as a Warning; what nobody knows is an Error with the nearest known key.
//
// A file passes through five steps, each in files of its own:
//
//	bytes ── parse.go ──▶ YAML nodes ── tree.go, include*.go ──▶ bounded tree ── check.go, forms.go ──▶ tree of right shape
//	      ── section.go and one file a section ──▶ Config ── references.go ──▶ checked
//
// What may stand where is the table of package format, and nowhere else: check holds a tree against it, the section readers
// take defaults from it, and Schema shows it to editors.
//
// Invariants, which the tests name by number:
//
//  1. Every Error and Warning lies inside the file it names: 1 ≤ line ≤ lines + 1, column ≥ 1.
//  2. Work is bounded before it is done: 1 MiB of text a file, 16 MiB and 2,000 inclusions together, 16 files deep, 64 levels,
//     100,000 values after aliases and includes are followed.
//  3. A Config is returned only when there is no Error; Warnings never stop a start.
//  4. No message contains the value of an environment variable; a message about a value of the file quotes at most 40 characters.
//  5. A published Snapshot never changes, and its number is greater than that of every snapshot before it.
//  6. A refused reload leaves the current snapshot and the next number as they were.
//  7. Nothing outside the configuration's folder is read by an include, and nothing hidden in it.
//
// Toolkits are known only through the port Catalog, so this package checks inline overrides without importing a toolkit.
package config
