package runtime

import (
	"mindroom/internal/config"
	"mindroom/internal/identity"
	"mindroom/internal/mode"
	"mindroom/internal/store"
	"mindroom/internal/turn"
	"mindroom/internal/turncli"
	"mindroom/internal/turncli/launcher"
)

// doors is what mindroom-agent reaches: one owner for each response that has it.
func (p *primary) doors() *turncli.Registry {
	return turncli.New(turncli.Config{
		Room: p.room, Cards: p.cards, DB: p.db, Media: p.media, Wall: p.wall, Run: p.group, Origin: p.origin, Folder: p.launcher, Log: p.log,
	})
}

// launcher is the folder that has mindroom-agent, made good where it is not (C21).
func (p *primary) launcher() (string, error) { return launcher.Lay(p.set.StoragePath) }

// openDoor opens the door of one response.
func (p *primary) openDoor(o turncli.Opening) (turn.CLIOwner, error) {
	owner, err := p.cli.Open(o)
	if err != nil {
		return nil, err // and not an interface around nothing
	}
	return owner, nil
}

// chosen is the mode in which a response starts.
func (p *primary) chosen(q store.Queryer, a *config.Agent, who identity.Execution) (mode.Mode, error) {
	return mode.Choices{Wall: p.wall}.Get(q, mode.KeyFor(a, who, p.residents.Mode(a, who.Room)))
}
