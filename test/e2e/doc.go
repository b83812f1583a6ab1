// Package e2e plays the main job as its users do: the built binaries as
// processes, a real homeserver, a person.
package e2e
