package runtime

import (
	"context"
	"os"

	"mindroom/internal/approval"
	"mindroom/internal/config"
	"mindroom/internal/config/reload"
	"mindroom/internal/hooks"
	"mindroom/internal/skill"
)

// followers hear of a new configuration after it is in force.
type followers struct{ p *primary }

var _ config.Participant = followers{}

// Prepare agrees: who follows has no say.
func (followers) Prepare(_, _ *config.Snapshot) error { return nil }

// Commit has everybody look again whose decisions hung on the configuration.
func (f followers) Commit(_, _ *config.Snapshot) {
	f.p.roomChanged("")
	f.p.cards.News()
	f.p.premises.look()
	f.p.group.Go("look at scripts and hooks", f.p.lookAtPrograms)
}

// lookAtPrograms tells what is wrong with approval scripts, with the programs of
// hooks and with skills before a call or an answer finds out.
func (p *primary) lookAtPrograms(ctx context.Context) error {
	c := p.holder.Current().Config
	faults, _ := approval.Validate(ctx, c.Approval, p.sdk.python)
	for _, fault := range faults {
		p.log.Error("an approval script cannot be asked; every call that its rule matches is denied", "error", fault)
	}
	for _, fault := range hooks.Validate(c.ToolHooks) {
		p.log.Error("the program of a hook cannot be run", "error", fault)
	}
	for _, w := range skill.Validate(c) {
		p.log.Warn("configuration", "warning", w.String())
	}
	return nil
}

// follow takes part in changes of the configuration: those who may refuse one,
// then the runs that may not outlive one, then who only follows.
func (p *primary) follow() error {
	for _, participant := range []config.Participant{p.models, p.scripts, p.servers, followers{p}} {
		p.holder.Join(participant)
	}
	catalog, err := Catalog()
	if err != nil {
		return err
	}
	lookup := p.o.Lookup
	if lookup == nil {
		lookup = os.LookupEnv
	}
	p.reloads = reload.New(reload.Options{
		Path: p.holder.Current().Config.Source.Path, Catalog: catalog, Holder: p.holder, Env: p.env, Process: overlay(lookup, p.o),
		Now: p.wall.Now, Log: p.log,
	})
	return nil
}
