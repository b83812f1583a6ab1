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
	"mindroom/internal/secret"
	"mindroom/internal/store"
	"mindroom/internal/tool"
	"mindroom/internal/toolkit/attachments"
	"mindroom/internal/toolkit/delegate"
	"mindroom/internal/toolkit/dynamictools"
	"mindroom/internal/toolkit/matrixmessage"
	"mindroom/internal/toolkit/mcp"
	toolkitscript "mindroom/internal/toolkit/script"
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

// build makes every part that needs no homeserver.
func (p *primary) build(ctx context.Context) error {
	if err := p.openStore(ctx); err != nil {
		return err
	}
	var err error
	p.network, err = matrix.New(matrix.Config{
		Homeserver: p.set.Matrix.Homeserver, SkipTLSVerify: !p.set.Matrix.VerifyTLS, Namespace: p.set.Namespace,
		RegistrationToken: p.set.Matrix.RegistrationToken, RegistrationSecret: p.set.Matrix.RegistrationSharedSecret,
		DB: p.db, Journal: p.journal, Outbox: p.outbox, Log: p.log, Wall: p.wall, AcceptInvite: p.acceptInvite,
		Changed: p.roomChanged, CryptoFolder: filepath.Join(p.set.ControlPath, "crypto"), Load: p.media.Load,
	})
	if err != nil {
		return err
	}
	p.members = &membership{network: p.network}
	p.authority = authz.Authority{Membership: p.members, Powers: p.members}
	if err := p.equip(); err != nil {
		return err
	}
	p.checks = approval.NewScripts(approval.ScriptParts{Python: p.sdk.python, Environ: os.Environ(), Run: p.group, Log: p.log})
	p.hooks = hooks.New(hooks.Parts{Config: p.holder, Environ: os.Environ(), Getenv: p.env.Get, Run: p.group, Log: p.log})
	p.mirror = audit.NewMirror(p.db, filepath.Join(p.set.StoragePath, "tracking", "tool_calls.jsonl"), p.log)
	folder := Workspace(p.set.StoragePath)
	p.room = &tool.Room{
		Registry: p.registry, Config: p.holder, Policy: approval.Rules{Scripts: p.checks}, Authority: p.authority, Hooks: p.hooks,
		Audit: audit.Log{Redactor: secret.Default, Written: p.mirror.Wake}, Router: tool.Local{}, Workspace: folder, Mask: secret.Default.Redact, Run: p.group, Now: p.wall.Now,
		Keep: p.media.Keep,
	}
	if p.backend, err = local.New(); err != nil {
		return err
	}
	known := accounts{p.network}
	p.cards = p.questions(known)
	p.scripts = script.New(script.Config{
		DB: p.db, Room: p.room, Registry: p.registry, Snapshots: p.holder, Authority: p.authority, Cards: p.cards, Outbox: p.outbox, Speaker: known.speaker, Backend: p.backend,
		Local: localAllowed(p.set.Workers), Run: p.group, Now: p.wall, Folders: filepath.Join(p.set.StoragePath, "script_runs"),
		SDK: p.sdk, GatewayURL: p.gatewayURL, Workspace: folder, Environ: environ,
		Python: p.sdk.python, Retention: p.set.Scripts.Retention, Log: p.log,
	})
	p.choices = &interactive.Desk{DB: p.db, Outbox: p.outbox, Config: p.holder, Authority: p.authority, Wall: p.wall}
	p.cli = p.doors()
	p.turns = turn.New(turn.Parts{
		DB: p.db, Outbox: p.outbox, History: p.journal, Room: p.room, Config: p.holder, Models: p.models.find(p.members.RoomNames), ModelNamed: p.models.named,
		RoomName: p.members.name, Names: known.mentioned, Typing: known.typing, Mask: secret.Default.Redact, Wall: p.wall, Log: p.log,
		Media: p.media, Download: p.network.Download, Cards: p.cards, Questions: p.choices, Loaded: dynamictools.Loaded,
		Modes: p.chosen, Deployment: p.deployment, CLI: p.openDoor,
	})
	p.choices.Turns = p.turns
	p.dispatch = &dispatch.Pump{
		DB: p.db, Journal: p.journal, Outbox: p.outbox, Turns: turns{p.turns}, Config: p.holder, Accounts: known,
		Rooms: p.members, Authority: p.authority, Log: p.log,
	}
	if err := p.buildDesk(ctx, known); err != nil {
		return err
	}
	if err := p.follow(); err != nil {
		return err
	}
	if err := p.listen(ctx); err != nil {
		return err
	}
	return p.control()
}

// roomChanged has everybody look again whose decision may have hung on who is
// in a room: messages and calls that were put off, and runs whose requester left.
func (p *primary) roomChanged(string) {
	if p.dispatch != nil {
		p.dispatch.Wake()
	}
	if p.desk != nil {
		p.desk.Wake()
	}
	if p.scripts != nil {
		p.scripts.Poke()
	}
	if p.turns != nil {
		p.turns.News()
	}
}

// equip makes the registry with what its toolkits drive.
func (p *primary) equip() (err error) {
	p.sdk = &sdkTree{command: interpreter(p.env)}
	p.processes = shell.NewProcesses(shell.Supervised{}, p.group)
	p.registry, err = kits{
		processes: p.processes,
		messages: matrixmessage.Deps{
			DB: p.db, Outbox: p.outbox, Journal: p.journal, Authority: p.authority, Rooms: p.members, Accounts: accounts{p.network}, Media: p.media,
		},
		files: attachments.Deps{DB: p.db, Media: p.media},
		loading: dynamictools.Deps{
			DB: p.db, Wall: p.wall, Purpose: func(toolkit string) string { return p.registry.Purpose(toolkit) },
			Surface: func(snap *config.Snapshot, agent string) (*tool.Surface, error) {
				return p.registry.Surface(snap, agent)
			},
		},
		runs: func() toolkitscript.Runs {
			// The run manager is made after the registry, which it works with.
			if p.scripts == nil {
				return nil
			}
			return p.scripts
		},
		children: func() delegate.Children {
			// And the engine needs the room, which needs the registry.
			if p.turns == nil {
				return nil
			}
			return p.turns
		},
	}.registry()
	if err != nil {
		return err
	}
	p.servers = mcp.New(mcp.Options{Run: p.group, Environ: os.Environ(), Getenv: p.env.Get, Log: p.log})
	p.registry.Bring(p.servers)
	return nil
}
