package runtime

import (
	"context"
	"os"
	"path/filepath"

	"mindroom/internal/approval"
	"mindroom/internal/audit"
	"mindroom/internal/authz"
	"mindroom/internal/config"
	"mindroom/internal/dispatch"
	"mindroom/internal/hooks"
	"mindroom/internal/identity"
	"mindroom/internal/interactive"
	"mindroom/internal/matrix"
	"mindroom/internal/script"
	"mindroom/internal/secret"
	"mindroom/internal/tool"
	"mindroom/internal/toolkit/attachments"
	"mindroom/internal/toolkit/delegate"
	"mindroom/internal/toolkit/dynamictools"
	"mindroom/internal/toolkit/matrixmessage"
	"mindroom/internal/toolkit/mcp"
	toolkitscript "mindroom/internal/toolkit/script"
	"mindroom/internal/toolkit/shell"
	"mindroom/internal/turn"
	"mindroom/internal/worker/local"
)

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
	folder := Workspace(p.set.StoragePath)
	p.buildRoom(folder)
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

// buildRoom makes the room of every call, with its inspectors; folder is where the
// workspaces lie.
func (p *primary) buildRoom(folder func(*config.Snapshot, identity.Execution) string) {
	p.checks = approval.NewScripts(approval.ScriptParts{Python: p.sdk.python, Environ: os.Environ(), Run: p.group, Log: p.log})
	p.hooks = hooks.New(hooks.Parts{Config: p.holder, Environ: os.Environ(), Getenv: p.env.Get, Run: p.group, Log: p.log})
	p.mirror = audit.NewMirror(p.db, filepath.Join(p.set.StoragePath, "tracking", "tool_calls.jsonl"), p.log)
	p.room = &tool.Room{
		Registry: p.registry, Config: p.holder, Policy: approval.Rules{Scripts: p.checks}, Authority: p.authority, Hooks: p.hooks,
		Audit: audit.Log{Redactor: secret.Default, Written: p.mirror.Wake}, Router: tool.Local{}, Workspace: folder, Mask: secret.Default.Redact, Run: p.group, Now: p.wall.Now,
		Keep: p.media.Keep,
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
