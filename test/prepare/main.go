package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"mindroom/test/homeserver"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	path, err := homeserver.Build(ctx, func(line string) { fmt.Println(line) })
	if err != nil {
		fmt.Fprintf(os.Stderr, "prepare: %v\n", err)
		os.Exit(1)
	}
	fmt.Println("homeserver:", path)
}
