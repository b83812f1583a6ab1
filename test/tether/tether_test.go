package tether

import (
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Threads that end while children live take none of them along: goroutines that
// pin a thread and leave have the runtime end it.
func TestThreadsEndWithoutTheChild(t *testing.T) {
	const children = 8
	var all []*exec.Cmd
	var ends []<-chan struct{}
	for range children {
		cmd := exec.Command("sleep", "1000")
		ended, err := Start(cmd, syscall.SIGKILL, nil)
		if err != nil {
			t.Fatal(err)
		}
		all, ends = append(all, cmd), append(ends, ended)
	}
	var group sync.WaitGroup
	for range 64 {
		group.Go(func() { runtime.LockOSThread() })
	}
	group.Wait()
	// The death signal of a thread comes with its end, which nothing tells: a child
	// that is there after all of them were looked for has survived it.
	deadline := time.Now().Add(300 * time.Millisecond)
	for time.Now().Before(deadline) {
		for i, ended := range ends {
			select {
			case <-ended:
				t.Fatalf("child %d ended with a thread: %s", i, all[i].ProcessState)
			default:
			}
		}
		runtime.Gosched()
	}
	for i, cmd := range all {
		if err := cmd.Process.Kill(); err != nil {
			t.Error(err)
		}
		<-ends[i]
	}
}

// A child dies with the process that started it, however that was ended.
func TestDiesWithItsParent(t *testing.T) {
	if os.Getenv("TETHER_PARENT") != "" {
		cmd := exec.Command("cat") // its input is the grandparent's pipe, which it holds
		cmd.Stdin = os.Stdin
		cmd.Stdout = os.Stdout
		if _, err := Start(cmd, syscall.SIGKILL, nil); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Kill(os.Getpid(), syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		select {}
	}
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells children of their parent's death")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	parent := exec.Command(self, "-test.run=^TestDiesWithItsParent$")
	parent.Env = append(os.Environ(), "TETHER_PARENT=1")
	keep, input, err := os.Pipe() // nothing is written: cat waits for ever
	if err != nil {
		t.Fatal(err)
	}
	parent.Stdin, parent.Stdout = keep, write
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	_ = write.Close()
	_ = keep.Close()
	_ = parent.Wait()
	// The pipe ends only when nobody holds it any more: neither parent nor child.
	if err := read.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	for buffer := make([]byte, 1<<10); ; {
		if _, err := read.Read(buffer); err != nil {
			if os.IsTimeout(err) {
				t.Error("the child outlived its parent")
			}
			break
		}
	}
	_ = input.Close()
	_ = read.Close()
}
