package runtime

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"sort"
	"time"

	"mindroom/internal/config"
	"mindroom/internal/httpapi"
	"mindroom/internal/lifecycle"
	"mindroom/internal/matrix"
	"mindroom/internal/retention"
)

const (
	// stopBudget is how long an orderly stop may take.
	stopBudget = 25 * time.Second
	// staleAfter is how old an account's last sync may be before its health is
	// bad: three long polls and their retries.
	staleAfter = 3 * time.Minute
)

// Run builds the primary, runs it until a signal or the end of ctx, and stops it
// in order. An error says what happened and what to do; nil is an orderly stop.
func Run(ctx context.Context, o Options) error {
	log := o.Log
	if log == nil {
		log = slog.Default()
	}
	p := &primary{o: o, log: log, group: lifecycle.New(ctx), groups: newGroups(ctx), premises: newPremises()}
	p.enter("starting", "reading the configuration")
	if err := p.load(); err != nil {
		return err
	}
	if err := p.build(ctx); err != nil {
		return p.giveUp(err)
	}
	p.arrange()
	if _, err := p.launcher(); err != nil {
		p.log.Warn("shell commands have no mindroom-agent, and minimal mode is refused", "error", err)
	}
	p.servers.Follow(p.holder.Current().Config)
	p.starting.Go("start", p.start)
	p.group.Go("scripts", p.scripts.Maintain)
	p.group.Go("questions", p.cards.Run)
	p.group.Go("questions with options", p.choices.Run)
	p.group.Go("prepare sdk", func(ctx context.Context) error {
		if err := p.sdk.prepare(ctx, p.set.StoragePath); err != nil && ctx.Err() == nil {
			p.log.Warn("scripts may not start, or start slowly; mindroom doctor looks closer", "error", err)
		}
		return nil
	})
	p.group.Go("file of the audit", p.mirror.Run)
	p.group.Go("look at scripts and hooks", p.lookAtPrograms)
	return p.group.RunUntil(o.Signals, stopBudget, os.Exit)
}

// giveUp takes back what was built before a start failed.
func (p *primary) giveUp(err error) error {
	ctx, cancel := context.WithTimeout(context.Background(), stopBudget)
	defer cancel()
	if stopErr := p.group.Stop(ctx); stopErr != nil {
		p.log.Debug("the failed start was not taken back cleanly", "error", stopErr)
	}
	return err
}

// start brings the runtime to the homeserver and lets it answer.
func (p *primary) start(ctx context.Context) error {
	c := p.holder.Current().Config
	p.enter("starting", "waiting for the homeserver at "+p.set.Matrix.Homeserver)
	if err := p.firstAccount(ctx); err != nil {
		return ended(ctx, err)
	}
	for _, name := range c.AgentNames() {
		p.enter("starting", "preparing the account of "+name)
		if _, err := p.network.Ensure(ctx, name, c.Agents[name].DisplayName); err != nil {
			return ended(ctx, err)
		}
	}
	p.enter("starting", "preparing rooms")
	rooms, err := p.rooms(ctx, c)
	if err != nil {
		if ctx.Err() != nil {
			return nil
		}
		// Agents answer in the rooms that are there; the others are told, and tried
		// again.
		p.log.Error("not every room is ready", "error", err)
	}
	p.answers.Go("turns", p.turns.Run)
	p.answers.Go("commands", p.desk.Run)
	p.answers.Go("welcome", p.greet(rooms))
	if openErr := p.open(c); openErr != nil {
		return ended(ctx, openErr)
	}
	p.starting.Go("accounts and rooms", func(ctx context.Context) error { return p.settleIn(ctx, err) })
	p.phase.Store(&phase{ready: true, name: "ready"})
	info := p.info(c, rooms)
	p.log.Info("ready", "api", info.API, "homeserver", info.Homeserver, "agents", len(info.Agents))
	if p.o.Ready != nil {
		p.o.Ready(info)
	}
	p.starting.Go("reload", func(ctx context.Context) error { return p.reloads.Run(ctx, p.o.Reload) })
	p.group.Go("retention", retention.New(retention.Config{
		DB: p.db, Journal: p.journal, Outbox: p.outbox, Conversations: p.set.Retention.Conversations, Audit: p.set.Retention.Audit,
		Media: p.media, Files: p.set.Retention.Files,
		Wall: p.wall, Log: p.log,
	}).Run)
	return nil
}

// firstAccount makes the router's account ready, and with it waits for the
// homeserver: for ever, or as long as the operator allows.
func (p *primary) firstAccount(ctx context.Context) error {
	waiting := ctx
	if limit := p.set.Matrix.StartupTimeout; limit > 0 {
		var cancel context.CancelFunc
		waiting, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	_, err := p.network.Ensure(waiting, matrix.RouterKey, "MindRoom")
	if err != nil && waiting.Err() != nil && ctx.Err() == nil {
		return fmt.Errorf("the homeserver at %s did not answer within %s: start it, or name it with MATRIX_HOMESERVER: %w",
			p.set.Matrix.Homeserver, p.set.Matrix.StartupTimeout, err)
	}
	return err
}

// ended is nil when an error only says that the runtime is stopping.
func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

func (p *primary) enter(name, detail string) {
	p.phase.Store(&phase{name: name, detail: detail})
	p.log.Debug(detail)
}

func (p *primary) info(c *config.Config, rooms map[string]string) Info {
	info := Info{API: p.origin(), Homeserver: p.set.Matrix.Homeserver, Agents: map[string]string{}, Rooms: rooms, Models: map[string]string{}}
	accounts := p.network.Accounts()
	for _, name := range c.AgentNames() {
		info.Agents[name] = accounts[name]
	}
	for name, m := range c.Models {
		info.Models[name] = fmt.Sprintf("%s %s", m.Provider, m.ID)
	}
	return info
}

// status is what the health routes tell.
func (p *primary) status() httpapi.Status {
	now := p.phase.Load()
	s := httpapi.Status{Ready: now.ready, Phase: now.name, Detail: now.detail, ConfigRefused: p.reloads.Standing().Fault != ""}
	for key, h := range p.network.Health() {
		if h.LastSuccess.After(s.LastSync) {
			s.LastSync = h.LastSuccess
		}
		if h.LastSuccess.IsZero() || h.Silence > staleAfter {
			s.Stale = append(s.Stale, key)
		}
	}
	sort.Strings(s.Stale)
	return s
}
