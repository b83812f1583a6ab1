// Package memory keeps what an agent is to remember in files of its workspace
// (spec/runtime.md 1.11, 6.5): MEMORY.md, which stands in the agent's system
// prompt, and memory/**/*.md, which is searched.
//
// Invariants:
//
//  1. Nothing outside the workspace is opened, and no link is followed to a file
//     of memory; only regular files are read.
//  2. A file is replaced whole and durably or stays as it was, on a full disk too.
//  3. Two changes at once through one Keeper are made one after the other, and
//     neither is lost. What other programs write into the same file at that
//     moment is not guarded.
//  4. A memory keeps its id when others come, change and go.
//  5. Every file, line and list is bounded; what was left out is said.
package memory
