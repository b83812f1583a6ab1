package homeserver

import "syscall"

// dieWithParent lets the kernel kill the server when the test is killed.
func dieWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
