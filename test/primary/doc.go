// Package primary starts the built `mindroom run` as a process, for tests that
// kill it, start it again or put something faulty around it, and looks at what
// it does and leaves. The scripts of such tests run on this machine.
package primary
