// Package contextfile reads the files of a workspace that an operator wants in
// every prompt (context_files; spec/runtime.md 7.2).
//
// Invariants:
//
//  1. Nothing outside the workspace is opened, whatever links lie in it.
//  2. Only regular files of UTF-8 text are read, of at most MaxBytes.
//  3. A file that is not there is no fault; one that cannot be read costs itself alone.
package contextfile
