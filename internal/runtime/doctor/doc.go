// Package doctor looks whether everything that MindRoom needs is there, before
// or while it runs: each check says in one line what it found and, where
// something is wrong, what mends it. It changes nothing that lasts.
package doctor
