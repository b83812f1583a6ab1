package main

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"mindroom/internal/agentcli"
)

func main() {
	ctx, cancel := context.WithCancelCause(context.Background())
	os.Exit(agentcli.Run(ctx, agentcli.World{
		Args: os.Args[1:], Getenv: os.Getenv, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Slow: sync.OnceFunc(func() { listen(cancel) }),
	}))
}

// listen lets a signal end the order, which then prints what it knows, instead of the program.
func listen(cancel context.CancelCauseFunc) {
	ends := []os.Signal{syscall.SIGTERM}
	// A shell starts its background commands deaf to the interrupt key, and they stay so.
	if !signal.Ignored(syscall.SIGINT) {
		ends = append(ends, syscall.SIGINT)
	}
	told, _ := signal.NotifyContext(context.Background(), ends...)
	context.AfterFunc(told, func() { cancel(context.Cause(told)) })
}
