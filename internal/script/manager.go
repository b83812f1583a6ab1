package script

import (
	"context"
	"io/fs"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"mindroom/internal/approval"
	"mindroom/internal/clock"
	"mindroom/internal/config"
	"mindroom/internal/identity"
	"mindroom/internal/lifecycle"
	"mindroom/internal/lifecycle/step"
	"mindroom/internal/store"
	"mindroom/internal/tool"
	"mindroom/internal/worker"
)

// Config is what a Manager works with. Every field is required unless it says
// otherwise.
type Config struct {
	DB        *store.DB
	Room      *tool.Room
	Registry  *tool.Registry
	Snapshots *config.Holder
	Authority tool.Authority
	// Cards asks people about calls; nil has calls refused that a rule asks about.
	Cards Cards
	// Outbox takes what conversations are told of their runs; nil tells nobody.
	Outbox Outbox
	// Speaker is the account that speaks for an agent, asked at each launch; needed
	// with Outbox.
	Speaker func(agent string) (account string, ok bool)
	// Backend runs the processes of new runs.
	Backend worker.Backend
	// Local says whether unsafe local runs are permitted, and if not what the
	// operator has to set (S56).
	Local func() error
	// Run owns every goroutine of the manager.
	Run lifecycle.Runner
	Now clock.Wall
	// Folders is where run folders lie: absolute, outside every workspace.
	Folders string
	// SDK is the Python package tree that is laid out beside each run.
	SDK fs.FS
	// GatewayURL is the gateway's base as local scripts reach it; empty where there is
	// no gateway, and then every launch is refused.
	GatewayURL func() string
	// Workspace is the agent's workspace for a requester, the script's working
	// directory.
	Workspace func(*config.Snapshot, identity.Execution) string
	// Environ is the environment local scripts inherit, without the control
	// state's path.
	Environ func() []string
	// Python is the interpreter of local runs, as it is known at the launch.
	Python func() (string, error)
	// Retention is how long terminal runs are kept (S77).
	Retention time.Duration
	// Hold bounds how long a request is held for its receipt; 0 means ten seconds.
	Hold time.Duration
	// Step hears of each step in this process that was reached; nil for nobody.
	Step func(step.Name)
	Log  *slog.Logger
}

// Cards puts calls before people; *approval.Cards.
type Cards interface {
	// Ask puts a call before its requester and waits (tool.Asker).
	Ask(ctx context.Context, plan tool.Plan) (tool.Decision, *tool.Fault)
	// Withdraw ends the questions of a run without a decision (S19).
	Withdraw(tx *store.Tx, door tool.Door, owner, reason string) (int, error)
}

var _ Cards = (*approval.Cards)(nil)

// Manager launches, watches and ends the runs of this process. It is the only
// writer of run states.
type Manager struct {
	cfg Config
	log *slog.Logger

	// admitted is false until what an earlier process left behind is settled
	// (S63), and again from shutdown on.
	admitted atomic.Bool
	closing  atomic.Bool
	// launches counts admitted launches, so that shutdown can drain them.
	launches sync.WaitGroup
	// launching is held for reading from a launch's first look at the
	// configuration until its row is there, and for writing while a change of the
	// configuration is decided.
	launching sync.RWMutex

	mu      sync.Mutex
	live    map[identity.RunID]*live
	byToken map[tokenHash]*live

	poke   chan struct{}
	steady *clock.Steady
}

// New makes a manager. Nothing is admitted before Recover has settled what an
// earlier process left behind.
func New(cfg Config) *Manager {
	if cfg.Hold == 0 {
		cfg.Hold = 10 * time.Second
	}
	if cfg.Step == nil {
		cfg.Step = func(step.Name) {}
	}
	return &Manager{
		cfg: cfg, log: cfg.Log.With("part", "script"),
		live: map[identity.RunID]*live{}, byToken: map[tokenHash]*live{}, poke: make(chan struct{}, 1),
		steady: clock.NewSteady(cfg.Now),
	}
}

// get reads a run as it is stored now.
func (m *Manager) get(ctx context.Context, id identity.RunID) (*Run, error) {
	var r *Run
	err := m.cfg.DB.Read(ctx, func(q *store.Reader) (err error) {
		r, err = getRun(q, id)
		return err
	})
	return r, err
}

// write runs a write to its end whatever becomes of the caller: what was begun
// durably must be known.
func (m *Manager) write(ctx context.Context, fn func(*store.Tx) error) error {
	return m.cfg.DB.Write(context.WithoutCancel(ctx), fn)
}

// revoke makes it durable that no call of the run may begin any more, then
// closes its calls. Nothing is signalled before it returned (S16, S28).
func (m *Manager) revoke(ctx context.Context, lv *live, reason Reason, text string) error {
	if err := m.revokeDurably(ctx, lv, reason, text); err != nil {
		return err
	}
	m.closeCalls(lv)
	return nil
}

// revokeDurably is revoke without interrupting calls that began.
func (m *Manager) revokeDurably(ctx context.Context, lv *live, reason Reason, text string) error {
	if lv.revoked.Load() {
		return nil
	}
	err := m.write(ctx, func(tx *store.Tx) error {
		if _, err := revoke(tx, lv.run.ID, reason, text, m.cfg.Now.Now()); err != nil {
			return err
		}
		return m.withdraw(tx, lv.run.ID, reason)
	})
	if err != nil {
		return err
	}
	m.fence(lv)
	m.log.Info("run revoked", "run", lv.run.ID, "reason", reason)
	m.reached(step.RunRevoked)
	return nil
}

// closeCalls ends the capability in memory: calls under way are told to stop,
// new ones find no capability.
func (m *Manager) closeCalls(lv *live) {
	m.fence(lv)
	lv.calls.interrupt()
}

// fence ends the capability in memory but lets calls that began go on.
func (m *Manager) fence(lv *live) {
	lv.revoked.Store(true)
	m.silence(lv)
}

// silence has the gateway refuse the run's capability.
func (m *Manager) silence(lv *live) {
	m.mu.Lock()
	delete(m.byToken, lv.token)
	m.mu.Unlock()
	lv.calls.fence()
}

// reached says that a step was reached: here a process may die, and whoever
// follows the manager hears of it.
func (m *Manager) reached(name step.Name) {
	step.Reached(name)
	m.cfg.Step(name)
}

// Poke asks for a reconciliation pass soon: configuration or membership changed.
func (m *Manager) Poke() {
	select {
	case m.poke <- struct{}{}:
	default:
	}
}
