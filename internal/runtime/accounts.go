package runtime

import (
	"context"
	"maps"
	"slices"
	"strings"

	"mindroom/internal/dispatch"
	"mindroom/internal/matrix"
	"mindroom/internal/store"
	"mindroom/internal/toolkit/matrixmessage"
	"mindroom/internal/turn"
)

// accounts joins what decides with the accounts matrix holds. Journal and outbox
// name an account by its Matrix id, matrix by the entity's configured name.
type accounts struct{ network *matrix.Network }

var (
	_ dispatch.Accounts      = accounts{}
	_ matrixmessage.Accounts = accounts{}
)

// Entity is the entity behind one of our Matrix ids.
func (a accounts) Entity(userID string) (name string, ours bool) {
	for key, id := range a.network.Accounts() {
		if id == userID {
			return key, true
		}
	}
	return "", false
}

// UserID is the Matrix id of an entity.
func (a accounts) UserID(name string) (string, bool) {
	if acc := a.network.Account(name); acc != nil {
		return acc.UserID, true
	}
	return "", false
}

// speaker is the account that says what the program has to tell of an agent: its
// own, or the router's when it has none any more.
func (a accounts) speaker(agent string) (string, bool) {
	if user, ok := a.UserID(agent); ok {
		return user, true
	}
	return a.UserID(matrix.RouterKey)
}

// Account is an entity's account as toolkits ask for it.
func (a accounts) Account(entity string) (matrixmessage.Account, bool) {
	user, ok := a.UserID(entity)
	return matrixmessage.Account{Name: user, UserID: user}, ok
}

// typing shows that an account writes.
func (a accounts) typing(ctx context.Context, account, room string, on bool) {
	if key, ours := a.Entity(account); ours {
		a.network.Typing(ctx, key, room, on)
	}
}

// Own reports whether a Matrix id is one of ours.
func (a accounts) Own(userID string) bool {
	_, ours := a.Entity(userID)
	return ours
}

// Names are the entities that have an account.
func (a accounts) Names() []string { return slices.Sorted(maps.Keys(a.network.Accounts())) }

// mentioned resolves "@name" in an answer: the configured name, in any case.
func (a accounts) mentioned(name string) (string, bool) {
	for key, id := range a.network.Accounts() {
		if strings.EqualFold(key, name) {
			return id, true
		}
	}
	return "", false
}

// turns lets dispatch record turns; the two packages do not know each other.
type turns struct{ engine *turn.Engine }

// Create records the turn that a message starts.
func (t turns) Create(tx *store.Tx, r dispatch.Request) error {
	return t.engine.Create(tx, turn.Request(r))
}

// acceptInvite follows an invitation of somebody who may act in rooms by the
// configuration, if the agent accepts invitations at all.
func (p *primary) acceptInvite(_ context.Context, account, room, inviter string) bool {
	snap := p.holder.Current()
	accepts := snap.Config.Router.AcceptInvites
	if agent, ok := snap.Config.Agents[account]; ok {
		accepts = agent.AcceptInvites
	}
	if !accepts {
		return false
	}
	return p.authority.Enters(inviter, room, snap)
}
