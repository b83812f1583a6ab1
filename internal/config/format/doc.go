// Package format is the shape of config.yaml, written down once: which keys a section has, what may stand under each, what its
// absence means, and one sentence for people. The loader checks files against it, the JSON Schema for editors is made from it,
// and so can a reference be; a key that is not here does not exist.
//
// One file holds one section of the file. The tables are data: no code outside this package repeats a key's type, its default
// or its limits.
//
// Invariants, which the tests name by number:
//
//  1. Every key has a sentence, and every section a name and a sentence.
//  2. A default fits the shape of its key.
//  3. The schema takes whatever the loader takes, but for the differences that Schema names, and refuses every fault of shape.
//     What needs more than one place to judge (names that must exist, sums, paths) is the loader's alone.
package format
