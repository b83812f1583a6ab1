// Package workertest is the suite that every backend passes: what package worker
// promises, held by real processes (S05, S28, S29, S71, S72, S75).
//
// A backend's test makes a Place, which says how the suite looks at the machine
// where the backend's processes live, and calls Run.
package workertest
