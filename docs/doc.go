// Package docs holds what users read, and tests that keep it true: links lead
// somewhere, examples load and compile, every variable and key that the code
// reads is described, and docs/conformance.md names tests that exist. The parts
// that the code itself knows are written by docs/gen.
package docs
