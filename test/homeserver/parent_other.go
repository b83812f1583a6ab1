//go:build !linux

package homeserver

import "syscall"

// dieWithParent has no equivalent here: after a killed test the server stays
// and has to be ended by hand.
func dieWithParent() *syscall.SysProcAttr { return nil }
