//go:build linux

package supervise_test

import (
	"bufio"
	"io"
	"strings"
	"testing"

	"mindroom/internal/supervise"
)

// A piped leader is talked to through its descriptors 0 and 1; what it says on descriptor 2 is its output and disturbs nothing.
func TestPipedLeader(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{"", runDir(t)} { // the descriptors are counted differently with a lock
		spec := sh(`echo noise >&2; while read -r line; do echo "heard $line"; done; echo "last words"; echo more noise >&2`)
		spec.Piped, spec.RunDir = true, dir
		p := start(t, spec)
		talk := p.Talk()
		replies := bufio.NewReader(talk)
		for _, word := range []string{"one", "two"} {
			if _, err := io.WriteString(talk, word+"\n"); err != nil {
				t.Fatal(err)
			}
			if line, err := replies.ReadString('\n'); err != nil || line != "heard "+word+"\n" {
				t.Fatalf("%q, %v", line, err)
			}
		}
		if err := talk.CloseWrite(); err != nil {
			t.Fatal(err)
		}
		if rest, err := io.ReadAll(replies); err != nil || string(rest) != "last words\n" {
			t.Errorf("after the end of what it reads: %q, %v", rest, err)
		}
		if r := record(t, p); r.Tail != "noise\nmore noise\n" || r.Exit.Code == nil || *r.Exit.Code != 0 {
			t.Errorf("output %q, exit %+v", r.Tail, r.Exit)
		}
	}
}

// Whoever waits for an answer is told when the tree dies, even when a child of the leader holds the other end too.
func TestPipedLeaderDies(t *testing.T) {
	t.Parallel()
	spec := sh(`sleep 1000 & setsid sleep 1000 & echo ready; wait`)
	spec.Piped = true
	p := start(t, spec)
	replies := bufio.NewReader(p.Talk())
	if line, err := replies.ReadString('\n'); err != nil || line != "ready\n" {
		t.Fatalf("%q, %v", line, err)
	}
	if err := p.End(bounded(t), supervise.EndForce); err != nil {
		t.Fatal(err)
	}
	if rest, err := io.ReadAll(replies); err != nil || len(rest) > 0 {
		t.Errorf("read %q, %v after the end", rest, err)
	}
	wait(t, "the proof", p.Dead())
	if _, err := io.WriteString(p.Talk(), "hello\n"); err == nil {
		t.Error("a dead leader can be written to")
	}
	if err := p.Close(bounded(t)); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Talk().Read(make([]byte, 1)); err == nil {
		t.Error("a closed process can be read from")
	}
}

func TestOrdinaryLeaderHasNoTalk(t *testing.T) {
	t.Parallel()
	if p := start(t, sh("true")); p.Talk() != nil {
		t.Error("there is a way to a leader that was not piped")
	}
	spec := sh("true")
	spec.Piped, spec.Stdin = true, []byte("x")
	if _, err := supervise.Start(bounded(t), spec); err == nil || !strings.Contains(err.Error(), "no stdin of its own") {
		t.Errorf("pipes and stdin together: %v", err)
	}
}
