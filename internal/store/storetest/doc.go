// Package storetest serves tests and benchmarks of packages that keep rows: a
// fresh store a test, and the price of an fsync on the disk beneath.
package storetest
