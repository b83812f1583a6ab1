// Package speech is how the servers of two providers speak: their streams, their
// errors, their error bodies, without the provider that listens to them. The
// providers' own tests and the tests of whole turns play the same servers.
package speech
