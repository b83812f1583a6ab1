package runtime

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"mindroom/internal/approval"
	"mindroom/internal/audit"
	"mindroom/internal/authz"
	"mindroom/internal/chat"
	"mindroom/internal/clock"
	"mindroom/internal/command"
	"mindroom/internal/config"
	"mindroom/internal/config/reload"
	"mindroom/internal/control"
	"mindroom/internal/dispatch"
	"mindroom/internal/hooks"
	"mindroom/internal/httpapi"
	"mindroom/internal/interactive"
	"mindroom/internal/lifecycle"
	"mindroom/internal/matrix"
	"mindroom/internal/media"
	"mindroom/internal/mode"
	"mindroom/internal/script"
	"mindroom/internal/store"
	"mindroom/internal/tool"
	"mindroom/internal/toolkit/dynamictools"
	"mindroom/internal/toolkit/mcp"
	"mindroom/internal/toolkit/shell"
	"mindroom/internal/turn"
	"mindroom/internal/turncli"
	"mindroom/internal/worker/local"
)

// primary is everything that was built, in the order of building.
type primary struct {
	o     Options
	log   *slog.Logger
	env   config.Env
	set   config.Runtime
	wall  clock.Wall
	group *lifecycle.Group
	groups
	db      *store.DB
	journal *chat.Journal
	outbox  *chat.Outbox
	media   *media.Store

	network   *matrix.Network
	members   *membership
	authority authz.Authority
	processes *shell.Processes
	servers   *mcp.Servers
	registry  *tool.Registry
	holder    *config.Holder
	checks    *approval.Scripts
	cards     *approval.Cards
	choices   *interactive.Desk
	hooks     *hooks.Configured
	mirror    *audit.Mirror
	room      *tool.Room
	backend   *local.Backend
	scripts   *script.Manager
	models    *models
	cli       *turncli.Registry
	turns     *turn.Engine
	dispatch  *dispatch.Pump
	residents command.Residents
	desk      *command.Desk
	api       *httpapi.Server
	socket    *control.Server
	sdk       *sdkTree
	reloads   *reload.Reloader
	premises  premises

	phase atomic.Pointer[phase]
}

// phase is how far the start is, for the readiness route.
type phase struct {
	ready        bool
	name, detail string
}

// load reads the configuration and the environment beside it.
func (p *primary) load() error {
	path, err := filepath.Abs(p.o.ConfigPath)
	if err != nil {
		return err
	}
	lookup := p.o.Lookup
	if lookup == nil {
		lookup = os.LookupEnv
	}
	if p.env, err = config.ReadEnv(filepath.Dir(path), overlay(lookup, p.o)); err != nil {
		return err
	}
	if p.set, err = config.LoadRuntime(p.env, path); err != nil {
		return err
	}
	// The catalogue has the toolkits' fields without anything behind them, so
	// that a faulty file is told before anything is opened or written.
	catalog, err := Catalog()
	if err != nil {
		return err
	}
	c, warnings, err := config.Load(path, catalog, p.env)
	if err != nil {
		return err
	}
	for _, w := range warnings {
		p.log.Warn("configuration", "warning", w.String())
	}
	p.holder = config.NewHolder(c)
	p.models = &models{registry: Providers(), env: p.env, log: p.log}
	return p.models.check(p.holder.Current())
}

// overlay puts the command's own arguments over the environment.
func overlay(lookup func(string) (string, bool), o Options) func(string) (string, bool) {
	return func(name string) (string, bool) {
		if name == "MINDROOM_STORAGE_PATH" && o.StoragePath != "" {
			return o.StoragePath, true
		}
		return lookup(name)
	}
}

// Schemas are the tables of all parts, in the order in which they are made.
func Schemas() []store.Schema {
	return []store.Schema{
		chat.Schema, matrix.Schema, approval.Schema, interactive.Schema, turn.Schema, command.Schema, mode.Schema, script.Schema, audit.Schema,
		media.Schema, dynamictools.Schema,
	}
}

// openStore opens the database in the control state, which no worker ever sees.
func (p *primary) openStore(ctx context.Context) error {
	if err := os.MkdirAll(p.set.ControlPath, 0o700); err != nil {
		return fmt.Errorf("control state: %w", err)
	}
	db, err := store.Open(ctx, filepath.Join(p.set.ControlPath, "mindroom.db"), Schemas()...)
	if err != nil {
		return err
	}
	p.db = db
	p.group.OnStop(lifecycle.Step{Name: "store", Budget: 2 * time.Second, Stop: func(context.Context) error { return db.Close() }})
	if err := db.Known(ctx, Schemas()...); err != nil {
		return err
	}
	p.journal = chat.NewJournal(db, p.wall)
	if p.outbox, err = chat.OpenOutbox(ctx, db, p.wall); err != nil {
		return err
	}
	p.media, err = media.Open(media.Options{Folder: filepath.Join(p.set.StoragePath, "media"), DB: db, Wall: p.wall})
	return err
}
