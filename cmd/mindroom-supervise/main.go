//go:build linux

package main

import (
	"os"
	"runtime"

	"mindroom/internal/supervise/guard"
)

// The main goroutine keeps the main thread: the kernel ties the leader's parent-death signal to the thread that forked it.
func init() { runtime.LockOSThread() }

func main() { os.Exit(guard.Run()) }
