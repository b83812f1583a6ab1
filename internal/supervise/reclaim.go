package supervise

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"

	"mindroom/internal/supervise/contain"
	"mindroom/internal/supervise/proc"
	"mindroom/internal/supervise/rundir"
	"mindroom/internal/supervise/tail"
	"mindroom/internal/supervise/wire"
)

// lockPoll is how often the lock is tried again while its holder ends; the end itself is waited for, not polled.
const lockPoll = 20 * time.Millisecond

// Reclaim ends whatever a run folder's tree still is and returns its record: for a primary that finds the folder of an earlier one (S71, S74). A supervisor that lives
// is told to end its tree; of one that is dead, what it left is killed by cgroup and recorded identity. Without a record of the supervisor's own, one with CauseLost
// is made, and kept in the folder. When ctx ends before all is proven dead, it returns ErrUnproven and has changed nothing durable. It may be called again at any time.
//
// A folder that does not exist, or in which nothing was ever started, gives a lost record with ProofNothing.
func Reclaim(ctx context.Context, runDir string) (Record, error) {
	dir := rundir.Dir(runDir)
	lock, err := takeOver(ctx, dir)
	if errors.Is(err, fs.ErrNotExist) {
		return lostRecord("", "", Instant{}, wire.ProofNothing, tail.Chunk{}), nil
	}
	if err != nil {
		return Record{}, err
	}
	defer lock.Close()
	r, err := dir.ReadRecord()
	if err == nil {
		return r, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return Record{}, &Error{Kind: KindUnproven, Text: "the run's exit record cannot be read", Err: err}
	}
	if r, err = reconstruct(ctx, dir); err != nil {
		return Record{}, err
	}
	if err := dir.WriteRecord(r); err != nil {
		return Record{}, &Error{Kind: KindUnproven, Text: "the run is dead, but its record cannot be written; free the disk and try again", Err: err}
	}
	return r, nil
}

// takeOver gets the lock, which proves the supervisor dead, ending it first if it lives.
func takeOver(ctx context.Context, dir rundir.Dir) (*os.File, error) {
	told := false
	for {
		lock, err := dir.Lock(false)
		if err == nil || !errors.Is(err, rundir.ErrLocked) {
			return lock, err
		}
		if id, err := dir.ReadIdentity(); err == nil {
			if !told {
				// Stopped, it would not hear; and the SIGTERM must not be repeated, since it may be busy with a large tree.
				_ = proc.Signal(id.Supervisor, syscall.SIGCONT)
				told = proc.Signal(id.Supervisor, syscall.SIGTERM) == nil
			}
			if _, err := proc.AwaitExit(id.Supervisor, lockPoll); err != nil {
				return nil, &Error{Kind: KindUnproven, Text: "the run's supervisor lives and cannot be watched", Err: err}
			}
		}
		t := time.NewTimer(lockPoll / 10)
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
			return nil, &Error{Kind: KindUnproven, Text: fmt.Sprintf("the supervisor of %s still holds its tree; try again", dir), Err: ctx.Err()}
		}
	}
}

// reconstruct is for a dead supervisor that left no record: prove the tree dead and say what is known.
func reconstruct(ctx context.Context, dir rundir.Dir) (Record, error) {
	id, err := dir.ReadIdentity()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		// The identity is written before the leader is forked.
		return lostRecord("", "", Instant{}, wire.ProofNothing, tail.Chunk{}), nil
	case err != nil:
		if old, oldErr := beforeBoot(dir); oldErr == nil && old {
			return lostRecord("", "", Instant{}, wire.ProofBoot, lastOutput(dir)), nil
		}
		return Record{}, &Error{Kind: KindUnproven, Text: fmt.Sprintf("the identity in %s cannot be read; restart the machine, or end the run's processes and remove the folder", dir), Err: err}
	}
	proof, err := proveIdentity(ctx, id)
	if err != nil {
		return Record{}, err
	}
	return lostRecord(id.ID, id.Group.Level, id.StartedAt, proof, lastOutput(dir)), nil
}

func proveIdentity(ctx context.Context, id wire.Identity) (wire.Proof, error) {
	boot, err := proc.BootID()
	if err != nil {
		return "", &Error{Kind: KindUnproven, Text: "cannot tell whether the machine was restarted", Err: err}
	}
	if boot != id.Boot {
		return wire.ProofBoot, nil
	}
	ns, err := proc.Namespace()
	if err != nil {
		return "", &Error{Kind: KindUnproven, Text: "cannot tell which processes are visible from here", Err: err}
	}
	if ns != id.Namespace {
		return wire.ProofNamespace, nil
	}
	e := evidence{id: id.ID, group: id.Group, seen: append([]proc.Ident{id.Leader}, id.Tree...)}
	if !e.group.Holds() {
		e.group = contain.Find(id.ID)
	}
	return e.prove(ctx)
}

// beforeBoot reports whether the folder's lock is older than this start of the machine, with room for a clock that was set meanwhile.
func beforeBoot(dir rundir.Dir) (bool, error) {
	made, err := dir.LockedSince()
	if err != nil {
		return false, err
	}
	boot, err := proc.BootTime()
	if err != nil {
		return false, err
	}
	return made.Before(boot.Add(-time.Minute)), nil
}

// lastOutput is what the supervisor kept until it died; nothing when that cannot be read.
func lastOutput(dir rundir.Dir) tail.Chunk {
	f, err := dir.OpenOutput()
	if err != nil {
		return tail.Chunk{}
	}
	defer f.Close()
	c, err := tail.Read(f, 0, 0)
	if err != nil {
		return tail.Chunk{}
	}
	return c
}
