package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"mindroom/test/story"
)

const usage = `Usage: demo [-check] [-bin DIR] [-poll SECONDS] [-dir DIR]

Plays the main job of MindRoom on real parts: a Matrix homeserver on loopback,
the runtime, a page that changes, a person and an agent.

  -check         without a person: print each step with its time and exit
  -bin DIR       where mindroom and mindroom-supervise were built (default bin)
  -poll SECONDS  how often the watcher looks (default 2; the document's own is 15)
  -dir DIR       a folder for everything, kept afterwards (default: temporary)

Examples:
  make demo
  make demo-check

EXIT STATUS
  0  every step was seen
  1  a step was not seen; its name is on standard error
  2  wrong use
`

func main() { os.Exit(run()) }

func run() int {
	flags := flag.NewFlagSet("demo", flag.ContinueOnError)
	flags.Usage = func() { fmt.Fprint(os.Stderr, usage) }
	check := flags.Bool("check", false, "")
	bin := flags.String("bin", "bin", "")
	poll := flags.Int("poll", 2, "")
	dir := flags.String("dir", "", "")
	if err := flags.Parse(os.Args[1:]); err != nil {
		if err == flag.ErrHelp {
			return 0
		}
		return 2
	}
	if *poll < 1 || flags.NArg() > 0 {
		flags.Usage()
		return 2
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := play(ctx, *bin, *dir, *poll, *check); err != nil {
		fmt.Fprintf(os.Stderr, "demo: %v\n", err)
		return 1
	}
	return 0
}

func play(ctx context.Context, bin, dir string, poll int, check bool) (err error) {
	if dir == "" {
		if dir, err = os.MkdirTemp("", "mindroom-demo-"); err != nil {
			return err
		}
		defer os.RemoveAll(dir)
	} else if err = os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if bin, err = filepath.Abs(bin); err != nil {
		return err
	}
	m := story.ChooseModel(nil)
	fmt.Printf("Model: %s\n", m.Words)
	fmt.Printf("Watcher: the document's example; its URL is the demo's page and POLL_SECONDS is %d instead of 15.\n\n", poll)
	patience := time.Minute
	if !m.Offline {
		patience = 3 * time.Minute
	}
	s, err := story.Begin(ctx, story.Options{
		Folder: dir, Bin: bin, Poll: poll, Patience: patience,
		Progress: func(line string) { fmt.Printf("%10s  %s\n", "…", line) },
		Step:     show,
	})
	if err != nil {
		return err
	}
	defer func() {
		if closeErr := s.Close(); err == nil {
			err = closeErr
		}
	}()
	if err := s.Play(ctx); err != nil {
		return err
	}
	if check {
		fmt.Println("\nEvery step was seen in the homeserver's timeline.")
		return nil
	}
	return goOn(ctx, s, bin)
}

// show prints a step with its times, an answer indented below it.
func show(step story.Step) {
	fmt.Printf("%9.2fs  %s (+%.2fs)\n", step.At.Seconds(), step.Name, step.Took.Seconds())
	for _, line := range strings.Split(strings.TrimSpace(step.Detail), "\n") {
		if line != "" {
			fmt.Printf("%10s  | %s\n", "", line)
		}
	}
}

// goOn stays up and lets the person talk, with the plain client of the product.
func goOn(ctx context.Context, s *story.Story, bin string) error {
	fmt.Printf("\nThe watcher goes on. Talk in the room here, or with any Matrix client:\n")
	fmt.Printf("  homeserver %s   user %s   password %s\n", s.Homeserver(), story.Person, s.Password)
	fmt.Printf("  change the page with: curl -d 'new text' %s\n", s.PageURL())
	fmt.Println("  /help lists the commands here; /quit or Ctrl-C ends everything.")
	fmt.Println()
	cmd := exec.CommandContext(ctx, filepath.Join(bin, "mindroom"), "chat", "--homeserver", s.Homeserver(), "--user", story.Person,
		"--room", s.Room(), "--thread", s.Thread())
	cmd.Env = append(os.Environ(), "MINDROOM_CHAT_PASSWORD="+s.Password)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	if err := cmd.Run(); err != nil && ctx.Err() == nil {
		return fmt.Errorf("the chat ended: %w", err)
	}
	return nil
}
