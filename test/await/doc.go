// Package await waits in tests for what no event announces: the end of a process
// that is nobody's child, a line in a file.
package await
