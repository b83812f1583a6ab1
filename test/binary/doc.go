// Package binary builds the project's own programs for tests that run them as
// people do: as processes.
package binary
