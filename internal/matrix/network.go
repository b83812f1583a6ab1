package matrix

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"maunium.net/go/mautrix"
	"maunium.net/go/mautrix/id"

	"mindroom/internal/chat"
	"mindroom/internal/clock"
	"mindroom/internal/lifecycle"
	"mindroom/internal/media"
	"mindroom/internal/secret"
	"mindroom/internal/store"
)

// Config is what a Network needs. Homeserver, DB, Journal and Outbox are
// required.
type Config struct {
	Homeserver string // base URL of the client API
	// SkipTLSVerify takes any certificate: for a homeserver of one's own whose
	// certificate nobody signed, on a network one trusts (MATRIX_SSL_VERIFY=false).
	SkipTLSVerify bool
	// Namespace is appended to local parts and aliases, so that several
	// installations can share a homeserver; may be empty.
	Namespace string
	// RegistrationToken opens a homeserver that registers by token only; empty
	// means there is none (MATRIX_REGISTRATION_TOKEN).
	RegistrationToken secret.Value
	// RegistrationSecret is the homeserver's own registration_shared_secret,
	// which opens it whatever else it asks for; empty means there is none
	// (MATRIX_REGISTRATION_SHARED_SECRET).
	RegistrationSecret secret.Value

	DB      *store.DB // opened with Schema and chat.Schema
	Journal *chat.Journal
	Outbox  *chat.Outbox

	// CryptoFolder is where the keys of encrypted rooms are kept, a file an
	// account; made when it is not there. Empty means no encryption: encrypted
	// rooms are not written to.
	CryptoFolder string

	// Load reads a file that a delivery carries; nil has none. An error that is a
	// *media.Error of kind Gone or Damaged ends the delivery.
	Load func(ctx context.Context, ref media.Ref) ([]byte, error)

	// AcceptInvite decides whether an account follows an invitation; nil
	// accepts none.
	AcceptInvite func(ctx context.Context, account, room, inviter string) bool

	// Changed is told each room whose members or state were loaded, changed, or
	// can be relied upon again: what was answered CannotTell is worth asking
	// again. It is called in the account's sync, after the view changed and
	// before the events are journalled, so it must not block. May be nil.
	Changed func(room string)

	Log  *slog.Logger // nil: slog.Default
	Wall clock.Wall   // nil: the system clock

	// Bounds; 0 means the default.
	LongPoll      time.Duration // how long the homeserver may hold a sync; 30 s
	TimelineLimit int           // events a room in one sync response; 100
	BackfillLimit int           // events fetched to fill one gap; 1000
	UploadTries   int           // attempts to upload one file, where all else works; 10
	// UnreadAfter is how long after its event a key may come before the room is told
	// that a message cannot be read; a minute, and up to a LongPoll more.
	UnreadAfter time.Duration
}

// Network is our side of a homeserver: the accounts we speak as, the rooms
// they are in, and the two pumps of each. Make one with New, add accounts with
// Ensure, let each run with Start.
type Network struct {
	cfg       Config
	rows      accountRows
	transport *http.Transport
	view      *view
	bulk      chan struct{} // a place for each file that is in memory
	uploads   uploadLimit

	mu       sync.RWMutex
	accounts map[string]*Account
}

// New makes a network. It opens no connection.
func New(cfg Config) (*Network, error) {
	if _, err := mautrix.ParseAndNormalizeBaseURL(cfg.Homeserver); err != nil || cfg.Homeserver == "" {
		return nil, fmt.Errorf("homeserver address %q: want something like https://matrix.example.org: %w", cfg.Homeserver, err)
	}
	if cfg.Log == nil {
		cfg.Log = slog.Default()
	}
	if cfg.LongPoll == 0 {
		cfg.LongPoll = 30 * time.Second
	}
	if cfg.TimelineLimit == 0 {
		cfg.TimelineLimit = 100
	}
	if cfg.UnreadAfter == 0 {
		cfg.UnreadAfter = time.Minute
	}
	if cfg.BackfillLimit == 0 {
		cfg.BackfillLimit = 1000
	}
	if cfg.UploadTries == 0 {
		cfg.UploadTries = 10
	}
	t := http.DefaultTransport.(*http.Transport).Clone()
	// One long poll and several sends an account, all to one host.
	t.MaxIdleConnsPerHost, t.MaxIdleConns = 64, 64
	t.ResponseHeaderTimeout = 0 // each request has a deadline of its own
	if cfg.SkipTLSVerify {
		t.TLSClientConfig = &tls.Config{InsecureSkipVerify: true}
	}
	return &Network{cfg: cfg, rows: accountRows{cfg.DB}, transport: t, view: newView(), bulk: make(chan struct{}, maxBulk), accounts: map[string]*Account{}}, nil
}

// Close drops idle connections and closes the crypto stores. Call it once, after
// the group given to Start ended.
func (n *Network) Close() {
	n.transport.CloseIdleConnections()
	n.mu.RLock()
	defer n.mu.RUnlock()
	for _, a := range n.accounts {
		if a.device == nil {
			continue
		}
		if err := a.device.Close(); err != nil {
			a.log.Warn("crypto store not closed", "error", err)
		}
	}
}

// Account returns an account that Ensure made ready; nil when there is none of
// that key.
func (n *Network) Account(key string) *Account {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return n.accounts[key]
}

// byUser finds a ready account by its user id; nil when there is none.
func (n *Network) byUser(user string) *Account {
	n.mu.RLock()
	defer n.mu.RUnlock()
	for _, a := range n.accounts {
		if a.UserID == user {
			return a
		}
	}
	return nil
}

// Accounts returns the user id of each ready account by key.
func (n *Network) Accounts() map[string]string {
	n.mu.RLock()
	defer n.mu.RUnlock()
	out := make(map[string]string, len(n.accounts))
	for key, a := range n.accounts {
		out[key] = a.UserID
	}
	return out
}

// Start runs an account's sync loop, its outbox pump and its following of invitations in a group until the
// group ends. Both start again by themselves after every failure and never end
// the group; Health tells how they do.
func (n *Network) Start(run lifecycle.Runner, key string) error {
	a := n.Account(key)
	if a == nil {
		return fmt.Errorf("start account %q: it is not ready; call Ensure first", key)
	}
	if a.started.Swap(true) {
		return fmt.Errorf("start account %q: it runs already", key)
	}
	for name, fn := range map[string]func(context.Context, *Account) error{"sync": n.syncLoop, "outbox": n.pump, "invitations": n.followInvites} {
		if !run.Go("matrix "+name+" "+key, func(ctx context.Context) error { return fn(ctx, a) }) {
			return fmt.Errorf("start account %q: the process is stopping", key)
		}
	}
	return nil
}

// client makes an API client. The library never retries by itself (its
// default): each caller here knows what a retry of its request means.
func (n *Network) client(user id.UserID, device id.DeviceID, token string) (*mautrix.Client, error) {
	c, err := mautrix.NewClient(n.cfg.Homeserver, user, token)
	if err != nil {
		return nil, fmt.Errorf("homeserver address %q: %w", n.cfg.Homeserver, err)
	}
	c.DeviceID = device
	c.Client = &http.Client{Transport: n.transport}
	return c, nil
}
