package matrix

import (
	"log/slog"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"maunium.net/go/mautrix"

	"mindroom/internal/matrix/seal"
)

// RouterKey is the account key of the router; every other key is the name of
// an agent or a team.
const RouterKey = "router"

// deviceName is what the account's owner sees in a device list.
const deviceName = "mindroom_agent"

// Account is one login that is ready for use. Its exported fields
// never change.
type Account struct {
	Key      string
	UserID   string
	DeviceID string
	// Created is when we first used this account; what was said before is
	// never answered.
	Created time.Time

	login  atomic.Pointer[mautrix.Client] // replaced when the token was lost
	log    *slog.Logger
	health health
	drain  chan chan struct{} // taken by the pump; see Drain
	heard  chan struct{}      // closed once a sync response was journalled
	hears  sync.Once

	invited chan struct{} // there are new invitations; holds one

	device    seal.Device // nil without encryption; set before Start
	presented atomic.Bool // the homeserver has the device's keys
	signing   signing

	started atomic.Bool
}

// api is the client with the account's present token.
func (a *Account) api() *mautrix.Client { return a.login.Load() }

var nameForm = regexp.MustCompile(`^[a-z0-9_][a-z0-9_-]*$`)

// LocalPart is the user name of an account: mindroom_<key>[_<namespace>], in
// lower case.
// Both parts take lower-case letters, digits, "_" and "-".
func LocalPart(key, namespace string) (string, error) {
	// A Matrix user name has no capitals; a configured name may.
	key = strings.ToLower(key)
	name := "mindroom_" + key
	if namespace != "" {
		name += "_" + namespace
	}
	if !nameForm.MatchString(key) || !nameForm.MatchString(name) || len(name) > 200 {
		return "", &Fault{Kind: KindBadName, Op: "name the account of " + key,
			Hint: "agent names and the namespace may hold a-z, 0-9, _ and - only, up to 200 characters"}
	}
	return name, nil
}
