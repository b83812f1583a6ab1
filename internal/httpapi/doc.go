// Package httpapi is the primary's HTTP listener: health, readiness, and the
// routes that other packages register on it. Each route authenticates by
// itself; the listener adds bounds that hold for all of them.
package httpapi
