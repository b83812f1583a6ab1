//go:build linux

// Command mindroom-supervise owns one process tree: one background script, or one shell command. It is started by mindroom, which finds it beside itself, and
// speaks to it over an inherited socket; see package guard. It is of no use by hand.
//
// Exit status: 0 when the tree is dead and told as such, 2 when nothing was started because it was not started by a mindroom of the same build.
package main

import (
	"os"
	"runtime"

	"mindroom/internal/supervise/guard"
)

// The main goroutine keeps the main thread: the kernel ties the leader's parent-death signal to the thread that forked it.
func init() { runtime.LockOSThread() }

func main() { os.Exit(guard.Run()) }
