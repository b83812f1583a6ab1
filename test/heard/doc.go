// Package heard keeps what something under test writes, for a test that reads it
// meanwhile.
package heard
