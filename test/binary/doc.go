// Package binary builds the project's own programs for tests that run them as
// people do: as processes. Main is what the TestMain of such tests does.
package binary
