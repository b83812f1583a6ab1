package shell

import (
	"context"
	"fmt"
	"os"
	"time"

	"mindroom/internal/tool"
)

func (t *toolkit) run(ctx context.Context, in tool.Invocation, args runArgs) (any, error) {
	req, fault := args.check()
	if fault != nil {
		return nil, fault
	}
	if in.Workspace == "" {
		return nil, tool.Faultf(tool.FaultTool, "this agent has no workspace here, so it has nowhere to run commands")
	}
	if err := os.MkdirAll(in.Workspace, 0o700); err != nil {
		return nil, tool.Faultf(tool.FaultTool, "the workspace cannot be made: %v", err)
	}
	if in.Enclosure == nil {
		text, _, fault := t.perform(ctx, in, req, nil)
		if fault != nil {
			return nil, fault
		}
		return text, nil
	}
	scope, err := in.Enclosure.Open(ctx, in.Ref)
	if err != nil {
		return nil, &tool.Fault{Kind: tool.FaultUnavailable, Retryable: true, Message: fmt.Sprintf("the command was not started: %v", err)}
	}
	return t.enclosed(ctx, in, req, scope)
}

// enclosed runs a command that can make calls of its own. They are waited for,
// whatever became of the command, unless it goes on in the background.
func (t *toolkit) enclosed(ctx context.Context, in tool.Invocation, req request, scope tool.Scope) (any, error) {
	text, job, fault := t.perform(ctx, in, req, scope)
	e := tool.Enclosing{Value: text, Fault: fault}
	if job != nil {
		so, done := scope.Hold()
		e.Enclosed = so
		job.then(done)
		return e, nil
	}
	e.Enclosed = scope.Close(ctx)
	if fault == nil && e.Err != nil {
		e.Fault = tool.Faultf(tool.FaultTool, "a call that this command made failed inside the runtime: %v\n%s", e.Err, last(text, maxInFault))
	}
	return e, nil
}

// perform runs the command and waits for it, its time-out or the call's end. job is
// the command where it goes on in the background.
func (t *toolkit) perform(ctx context.Context, in tool.Invocation, req request, scope tool.Scope) (text string, job *record, fault *tool.Fault) {
	c := Command{Script: req.script, Dir: in.Workspace}
	if scope == nil {
		c.Env = environment(t.environ, in.Workspace, "", nil)
	} else {
		c.First = scope.Path()
		c.Env = environment(t.environ, in.Workspace, c.First, scope.Env())
	}
	if req.argv != nil {
		program, ok := search(req.argv[0], in.Workspace, c.Env, executable)
		if !ok {
			return "", nil, tool.Faultf(tool.FaultTool, "there is no program %s to run; a list names a program, a text runs in Bash", req.argv[0])
		}
		c.Argv = append([]string{program}, req.argv[1:]...)
	}
	r, err := t.processes.start(ctx, ownerOf(in), c, onlyBash(in))
	if err != nil && ctx.Err() != nil {
		return "", nil, tool.Faultf(tool.FaultTool, "the command was ended as it started, because its call was cancelled; it may have run for a moment")
	}
	if err != nil {
		return "", nil, tool.Faultf(tool.FaultTool, "the command was not started: %v", err)
	}
	timer := time.NewTimer(req.timeout)
	defer timer.Stop()
	select {
	case <-r.proc.Exited():
		text, fault = t.returned(ctx, r, in, req)
		return text, nil, fault
	case <-ctx.Done():
		return "", nil, t.stop(ctx, r, in.Workspace, req, "its call was cancelled")
	case <-timer.C:
	}
	if in.EndAtTimeout {
		return "", nil, t.stop(ctx, r, in.Workspace, req, fmt.Sprintf("its timeout of %s passed; start longer work detached (nohup … > out.log 2>&1 &) and read its log later", round(req.timeout)))
	}
	return t.background(ctx, r, in.Workspace, req)
}

// returned tells the result of a command whose own process ended.
func (t *toolkit) returned(ctx context.Context, r *record, in tool.Invocation, req request) (string, *tool.Fault) {
	workspace := in.Workspace
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endBudget)
	defer cancel()
	v, err := r.settled(ctx)
	if err != nil {
		t.processes.keep(r)
		return "", tool.Faultf(tool.FaultTool, "the command ended, and its output cannot be read: %v", err)
	}
	if v.finished {
		t.processes.forget(r)
		return result(v, workspace, req), nil
	}
	if onlyBash(in) && t.processes.crowded(r.owner) {
		return "", t.stop(ctx, r, workspace, req, fmt.Sprintf("it returned and left processes behind, and %d commands of yours run in the background already; end one with %s", MaxRunning, killing(in)))
	}
	if !t.processes.keep(r) {
		return "", t.stop(ctx, r, workspace, req, "the runtime is shutting down")
	}
	return leftBehind(v, r.handle, in, req), nil
}

// onlyBash reports whether a command is Bash of minimal mode: its agent has no
// other tool, so that a place taken by what runs in the background would lock it out.
func onlyBash(in tool.Invocation) bool {
	return in.EndAtTimeout && in.Ref.Door == tool.DoorTurn
}

// background lets a command go on that took longer than its time-out.
func (t *toolkit) background(ctx context.Context, r *record, workspace string, req request) (string, *record, *tool.Fault) {
	if !t.processes.keep(r) {
		return "", nil, t.stop(ctx, r, workspace, req, "the runtime is shutting down")
	}
	v, err := r.look(ctx)
	if err != nil {
		return "", r, tool.Faultf(tool.FaultTool, "the command goes on under the handle %s, but its output cannot be read: %v", r.handle, err)
	}
	return stillRunning(v, r.handle, workspace, req), r, nil
}

// stop ends the whole tree and tells what is known: the call failed, with the
// output so far; or, when the end cannot be shown in time, that it is not known.
func (t *toolkit) stop(ctx context.Context, r *record, workspace string, req request, why string) *tool.Fault {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endBudget)
	defer cancel()
	if err := r.finish(ctx, false); err != nil {
		// It stays recorded, so that it can be looked at, and ends with the runtime.
		t.processes.keep(r)
		return unproven(r.handle, err)
	}
	v, err := r.look(ctx)
	t.processes.forget(r)
	if err != nil {
		return tool.Faultf(tool.FaultTool, "the command was ended because %s", why)
	}
	return stopped(v, why, workspace, req)
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0
}
