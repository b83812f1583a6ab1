// Command prepare builds what the tests need besides Go packages, which is the
// homeserver, and says how far it is. Without it the first test that wants the
// homeserver would build it in silence.
//
// Exit status: 0 when everything is there, 1 when it could not be built.
package main
