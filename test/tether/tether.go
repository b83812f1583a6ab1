package tether

import (
	"os/exec"
	"runtime"
	"syscall"
)

// Start starts cmd so that sig reaches it when this process is gone (on Linux;
// elsewhere such a process has to be ended by hand). while is called once it runs,
// and may read what it writes; nil does nothing. ended is closed when it was waited
// for: how it ended is in cmd.ProcessState.
//
// The kernel ties the signal to the thread that forked and not to the process. So
// that thread is kept for the whole life of the child: a goroutine elsewhere that
// pins the same thread and leaves would end it, and with it the child.
func Start(cmd *exec.Cmd, sig syscall.Signal, while func()) (ended <-chan struct{}, err error) {
	tie(cmd, sig)
	begun, over := make(chan error, 1), make(chan struct{})
	go func() {
		defer close(over)
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		begun <- err
		if err != nil {
			return
		}
		if while != nil {
			while()
		}
		_ = cmd.Wait() // how it ended is judged by who waits
	}()
	if err := <-begun; err != nil {
		<-over
		return over, err
	}
	return over, nil
}
