package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

const limitedDisk = "limited_disk"

// limitedChild is a process whose files may not grow: every write beyond fails
// in the kernel, which SQLite cannot tell from a failing disk. It prints what
// became of each closure of a group of which the middle one does not fit, then
// writes on with the limit gone.
func limitedChild() {
	signal.Ignore(syscall.SIGXFSZ)
	db, err := Open(context.Background(), os.Getenv(pathEnv), notes)
	if err != nil {
		panic(err)
	}
	var was syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
		panic(err)
	}
	limit := was
	limit.Cur = 1 << 20
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		panic(err)
	}
	reqs := []*request{}
	for _, fn := range []func(*Tx) error{
		add("a", "x"),
		// More than the page cache holds, so that it meets the disk before the commit.
		func(tx *Tx) error {
			for i := range 64 {
				if err := add(fmt.Sprint("big", i), strings.Repeat("x", 1<<20))(tx); err != nil {
					return err
				}
			}
			return nil
		},
		add("c", "x"),
	} {
		reqs = append(reqs, &request{fn: fn, done: make(chan error, 1)})
	}
	err = db.Write(context.Background(), func(tx *Tx) error {
		tx.AfterCommit(func() { db.runGroup(reqs) })
		return nil
	})
	if err != nil {
		panic(err)
	}
	for _, req := range reqs {
		var e *Error
		switch err := <-req.done; {
		case err == nil:
			fmt.Println("done")
		case errors.As(err, &e):
			fmt.Println(e.Kind)
		default:
			fmt.Println(err)
		}
	}
	fmt.Println("groups lost:", db.Stats().LostGroups)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
		panic(err)
	}
	if err := errors.Join(db.Write(context.Background(), add("z", "x")), db.Close()); err != nil {
		panic(err)
	}
	os.Exit(0)
}

// Invariants 2 and 3 when the kernel refuses to write in the middle of a group.
func TestFailingDisk(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.db")
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+limitedDisk, pathEnv+"="+path)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if want := "done\nio\ndone\ngroups lost: 1\n"; string(out) != want {
		t.Errorf("the child says %q, want %q", out, want)
	}
	if got := ids(t, openAt(t, path)); !slices.Equal(got, []string{"a", "c", "z"}) {
		t.Errorf("notes = %v", got)
	}
}

// Another process in a write transaction.
func TestBusy(t *testing.T) {
	t.Parallel()
	db := openTest(t)
	ctx := t.Context()
	err := db.Write(ctx, func(tx *Tx) error { // the wait itself is the driver's; ten seconds of it prove nothing
		_, err := tx.conn.sql.ExecContext(ctx, "PRAGMA busy_timeout = 1")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	pool := open(db.Path(), true)
	other, err := openConn(ctx, pool)
	if err != nil {
		t.Fatal(err)
	}
	if err := other.control("BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	if err := db.Write(ctx, add("a", "x")); !errors.Is(err, ErrBusy) {
		t.Errorf("Write = %v", err)
	}
	if err := errors.Join(other.control("ROLLBACK"), other.close(), pool.Close()); err != nil {
		t.Fatal(err)
	}
	if err := db.Write(ctx, add("b", "x")); err != nil { // the failed BEGIN left nothing behind
		t.Error(err)
	}
	if got := ids(t, db); !slices.Equal(got, []string{"b"}) {
		t.Errorf("notes = %v", got)
	}
}
