package script

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"mindroom/internal/identity"
	"mindroom/internal/lifecycle/step"
	"mindroom/internal/secret"
	"mindroom/internal/store"
	"mindroom/internal/tool"
	"mindroom/internal/worker"
)

const (
	// maxName bounds a run's label, in characters.
	maxName = 120
	// startWithin bounds the start of a process, so that a launch can hold up
	// neither its turn nor a shutdown for ever.
	startWithin = 30 * time.Second
)

// Request is a launch as the script toolkit asks for it.
type Request struct {
	Who   identity.Execution
	Depth int
	// LaunchedBy is the call that asks; its door and owner lead back to the
	// message. Zero when no call does.
	LaunchedBy tool.Ref
	Source     Source
	// Name is an optional label; blank means none (S24).
	Name string
	// Profile is an explicit resource profile; empty for the default (S25).
	Profile string
	// Allowed are the toolkits of the agent's allowed_tools (S02, S09, S10).
	Allowed []string
	// The limits captured with the run (S03–S06).
	MaxConcurrent     int
	MaxCallsPerMinute int
	MaxRuntime        time.Duration
	// Notify are the Events that the conversation is told of; nil for none.
	Notify []string
}

// Launch starts a run and returns once its process runs and the row says so, or
// with the run as a cancellation that came meanwhile left it. A refusal before
// the row exists leaves nothing behind; every later failure leaves a row that
// tells what happened.
func (m *Manager) Launch(ctx context.Context, req Request) (*Run, error) {
	lv, token, err := m.enrol(ctx, req)
	if err != nil {
		return nil, err
	}
	defer m.launches.Done()
	defer lv.mu.Unlock()
	// From here on the launch finishes whatever becomes of the turn that asked.
	ctx = context.WithoutCancel(ctx)
	if err := m.spawn(ctx, lv, req.Source, token); err != nil {
		return nil, err
	}
	return m.get(ctx, lv.run.ID)
}

// enrol makes the row of a run, under one configuration from its first check to
// its commit. On success the launch is counted and the run's lock is held.
func (m *Manager) enrol(ctx context.Context, req Request) (*live, secret.Value, error) {
	m.launching.RLock()
	defer m.launching.RUnlock()
	run, token, err := m.prepare(req)
	if err != nil {
		return nil, token, err
	}
	if !m.admitLaunch() {
		return nil, token, m.notAdmitted()
	}
	m.reached(step.LaunchAdmitted)
	lv := m.track(run, hashToken(token.Reveal()))
	lv.unlearn = token.Forget
	lv.mu.Lock()
	if err := m.insert(ctx, lv, req.MaxConcurrent); err != nil {
		m.forget(lv)
		lv.mu.Unlock()
		m.launches.Done()
		return nil, token, err
	}
	m.reached(step.LaunchInserted)
	return lv, token, nil
}

// prepare checks everything that can be checked before anything durable exists.
func (m *Manager) prepare(req Request) (*Run, secret.Value, error) {
	none := secret.Value{}
	if req.Who.Channel != identity.ChannelMatrix || req.Who.Room == "" || req.Who.Requester == "" {
		return nil, none, errorf(KindNoContext, "a script can only be started from a conversation in a Matrix room")
	}
	if err := m.cfg.Local(); err != nil {
		return nil, none, &Error{Kind: KindNoSandbox, Message: err.Error(), Err: err}
	}
	if m.cfg.GatewayURL() == "" {
		return nil, none, errorf(KindNoGateway, "background scripts call their tools through MindRoom's API, and this MindRoom runs without it; ask the operator to start mindroom run without --no-api")
	}
	if req.Profile != "" {
		return nil, none, errorf(KindProfiles, "resource profiles cannot be enforced by the %s backend; start the script without resource_profile", m.cfg.Backend.Name())
	}
	if runtime.GOOS != "linux" {
		return nil, none, errorf(KindPlatform, "background scripts need Linux, whose process containment they rely on; this is %s", runtime.GOOS)
	}
	snap := m.cfg.Snapshots.Current()
	surface, err := m.cfg.Registry.Surface(snap, req.Who.Agent)
	if err != nil {
		return nil, none, &Error{Kind: KindNoContext, Message: err.Error(), Err: err}
	}
	grant, err := capture(surface, req.Allowed)
	if err != nil {
		return nil, none, err
	}
	name, err := label(req.Name)
	if err != nil {
		return nil, none, err
	}
	token, _, err := mint()
	if err != nil {
		return nil, none, err
	}
	id := identity.NewRunID()
	speaker := ""
	if m.cfg.Speaker != nil && len(req.Notify) > 0 {
		speaker, _ = m.cfg.Speaker(req.Who.Agent)
	}
	return &Run{
		ID: id, Who: req.Who, Name: name, SourceDigest: req.Source.Digest, Depth: req.Depth, LaunchedBy: req.LaunchedBy,
		Grants: grant.Names, Preapprove: grant.Preapprove, Unambiguous: grant.Unambiguous,
		Key: identity.RunKey(req.Who, id), Local: true, State: Starting, Isolation: snap.Config.Isolation(req.Who.Agent),
		MaxCallsPerMinute: req.MaxCallsPerMinute, MaxRuntime: req.MaxRuntime, Notify: req.Notify, Speaker: speaker,
	}, token, nil
}

// label is a run's name: trimmed, without control characters, bounded.
func label(name string) (string, error) {
	name = strings.TrimSpace(name)
	if utf8.RuneCountInString(name) > maxName {
		return "", errorf(KindName, "name is longer than %d characters", maxName)
	}
	if !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl) {
		return "", errorf(KindName, "name holds characters that cannot be shown; use plain text")
	}
	return name, nil
}

func (m *Manager) admitLaunch() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.admitted.Load() || m.closing.Load() {
		return false
	}
	m.launches.Add(1)
	return true
}

func (m *Manager) notAdmitted() *Error {
	if m.closing.Load() {
		return errorf(KindShuttingDown, "the runtime is shutting down; start the script again after the restart")
	}
	e := errorf(KindReconciling, "runs of an earlier start are still being settled (%s); try again shortly", m.unsettled())
	e.Retryable = true
	return e
}

// insert makes the run durable, unless its owner has as many as allowed (S03).
// One writer serves the database, so count and insert cannot interleave.
func (m *Manager) insert(ctx context.Context, lv *live, limit int) error {
	r := lv.run
	r.CreatedAt = m.cfg.Now.Now()
	return m.write(ctx, func(tx *store.Tx) error {
		var n int
		err := tx.QueryRow(`SELECT COUNT(*) FROM script_runs WHERE requester = $1 AND agent = $2 AND nonterminal = 1`,
			r.Who.Requester, r.Who.Agent).Scan(&n)
		if err != nil {
			return wrap(r.ID, err)
		}
		if n >= limit {
			return errorf(KindConcurrent, "%d scripts of yours are running with this agent, and max_concurrent_runs is %d; "+
				"cancel one with cancel_script or wait until one ends", n, limit)
		}
		return insertRun(tx, r, string(lv.token))
	})
}

// spawn takes a run from its row to a running process. It is called with the
// run's lock held.
func (m *Manager) spawn(ctx context.Context, lv *live, src Source, token secret.Value) error {
	r := lv.run
	if lv.revoked.Load() {
		return m.settleUnstarted(ctx, lv)
	}
	f := m.folder(r.ID)
	if err := f.write(src, token, m.cfg.SDK); err != nil {
		return m.launchFailed(ctx, lv, err)
	}
	m.reached(step.LaunchSnapshot)
	if lv.revoked.Load() {
		return m.settleUnstarted(ctx, lv)
	}
	spec, err := m.processSpec(r, f)
	if err != nil {
		return m.launchFailed(ctx, lv, err)
	}
	if err := os.MkdirAll(spec.Dir, 0o700); err != nil {
		return m.launchFailed(ctx, lv, fmt.Errorf("workspace: %w", err))
	}
	starting, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	h, err := m.cfg.Backend.Start(starting, spec)
	if errors.Is(err, worker.ErrNotStarted) {
		return m.launchFailed(ctx, lv, err)
	}
	if err != nil {
		return m.ambiguous(ctx, lv, err)
	}
	r.Handle = &h
	m.reached(step.LaunchStarted)
	var published bool
	err = m.write(ctx, func(tx *store.Tx) (err error) {
		if err = setHandle(tx, r.ID, h, m.cfg.Backend.Containment()); err != nil {
			return err
		}
		published, err = publishRunning(tx, r.ID, m.cfg.Now.Now())
		return err
	})
	if err != nil {
		return m.ambiguous(ctx, lv, err)
	}
	m.reached(step.LaunchRunning)
	m.watch(lv)
	if !published {
		_, err := m.settle(ctx, lv, false)
		return err
	}
	m.log.Info("run started", "run", r.ID, "agent", r.Who.Agent, "requester", r.Who.Requester, "containment", m.cfg.Backend.Containment())
	return nil
}

// processSpec is the local process of a run: isolated from the workspace until
// the shim has loaded, with the six variables over whatever is inherited (S39).
func (m *Manager) processSpec(r *Run, f folder) (worker.Spec, error) {
	python, err := m.cfg.Python()
	if err != nil {
		return worker.Spec{}, err
	}
	dir := m.cfg.Workspace(m.cfg.Snapshots.Current(), r.Who)
	env := append(m.cfg.Environ(),
		"MINDROOM_SCRIPT_GATEWAY_URL="+m.cfg.GatewayURL(),
		"MINDROOM_SCRIPT_RUN_ID="+string(r.ID),
		"MINDROOM_SCRIPT_TOKEN_PATH="+f.capability(),
		"MINDROOM_SCRIPT_SOURCE_DIGEST="+r.SourceDigest,
		"MINDROOM_SCRIPT_SNAPSHOT_ROOT="+string(f),
		"MINDROOM_SCRIPT_WORKSPACE_ROOT="+dir,
	)
	return worker.Spec{
		Run: r.ID, Key: r.Key, Folder: string(f), Dir: dir, Env: env, Deadline: r.MaxRuntime,
		Argv: []string{python, "-I", "-u", f.sdk() + "/mindroom/_shim.py", f.source(), f.capability()},
	}, nil
}
