// Package homeserver runs a real Matrix homeserver (Dendrite, pinned in
// tools/dendrite) as a child process, for tests, benchmarks and the demo.
//
// The binary is built once into a cache folder, which takes minutes on a cold
// build cache, and started in about two seconds with a database of its own.
//
// Invariants:
//
//  1. However many test binaries start at once, the homeserver is built once:
//     a file lock is held over the build, and the finished file appears by a
//     rename.
//  2. The cached file is named after the versions of Dendrite and Go, so a new
//     pin is never served by an old binary.
//  3. Start returns only when the server answers; when it does not, the error
//     carries the end of its log.
//  4. The server listens on loopback only, never federates, and dies with the
//     process that started it, however that ends.
package homeserver
