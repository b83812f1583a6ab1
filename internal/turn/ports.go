package turn

import (
	"context"
	"log/slog"
	"time"

	"mindroom/internal/approval"
	"mindroom/internal/chat"
	"mindroom/internal/clock"
	"mindroom/internal/config"
	"mindroom/internal/identity"
	"mindroom/internal/media"
	"mindroom/internal/message"
	"mindroom/internal/mode"
	"mindroom/internal/model"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// Outbox takes what is to be sent, in the caller's transaction; *chat.Outbox.
type Outbox interface {
	Enqueue(tx *store.Tx, d chat.Delivery) (fresh bool, err error)
	EnqueueProgress(tx *store.Tx, d chat.Delivery) (shown bool, err error)
	Withdraw(tx *store.Tx, id string) (bool, error)
}

// History reads what an account heard; *chat.Journal.
type History interface {
	History(ctx context.Context, c chat.Conversation, limit int) ([]chat.Message, error)
	Find(q store.Queryer, account, eventID string) (chat.Event, bool, error)
	Withdrawn(q store.Queryer, account, eventID string) (bool, error)
}

// Cards puts calls before people and keeps how they decided; *approval.Cards.
type Cards interface {
	Draw(ctx context.Context, plan tool.Plan) (approval.Card, *tool.Fault)
	Put(tx *store.Tx, card approval.Card) error
	Decision(q store.Queryer, ref tool.Ref) (d tool.Decision, over bool, err error)
	Withdraw(tx *store.Tx, door tool.Door, owner, reason string) (int, error)
	// Ask puts a call and waits: a subagent's, whose caller waits for it in place.
	Ask(ctx context.Context, plan tool.Plan) (tool.Decision, *tool.Fault)
}

var (
	_ Cards   = (*approval.Cards)(nil)
	_ Outbox  = (*chat.Outbox)(nil)
	_ History = (*chat.Journal)(nil)
)

// Model is a model that an agent may ask.
type Model struct {
	// Provider does the asking. It repeats failed attempts itself where that
	// is right (model.Retrying); the engine asks once.
	Provider model.Provider
	// Name is the configured name, Kind and ID the provider's kind and model id.
	Name, Kind, ID string
	// Window is the context window in tokens; 0 means unknown.
	Window int
	// MaxTokens bounds one answer; 0 is the provider's default.
	MaxTokens int
	// Temperature is the provider's; nil is its default.
	Temperature *float64
	// Sees is what it reads besides text.
	Sees model.Sight
}

// Download fetches a file that a message carries, as the account that heard it,
// at most limit bytes. A *media.Error of kind Gone, TooLarge or Unreadable is
// final; anything else may pass.
type Download func(ctx context.Context, account string, f chat.File, limit int64) ([]byte, error)

// Models finds the model of an agent in a room under one configuration. Its
// error is shown in the room, so it says what to do and holds no secret.
type Models func(snap *config.Snapshot, agent, room string) (Model, error)

// Parts are what an Engine is built from. DB, Outbox, History, Room, Config and
// Models are never nil; everything else has a use when it is.
type Parts struct {
	DB      *store.DB
	Outbox  Outbox
	History History
	Room    *tool.Room
	Config  *config.Holder
	Models  Models
	// ModelNamed finds a configured model for a subagent that is to use another one
	// than its agent's; nil finds none.
	ModelNamed func(snap *config.Snapshot, name string) (Model, error)
	// Media keeps the files of conversations; nil keeps none: a long answer is
	// cut, and a file that somebody sends is named to the model and not shown.
	Media *media.Store
	// Download fetches what people send; nil fetches nothing.
	Download Download
	// UserID is the Matrix id of an account as journal and outbox name it; nil
	// where they name it by that id.
	UserID func(account string) string
	// Loaded is what was loaded and unloaded of an agent's deferred toolkits in a
	// conversation (tool.Surface.With); nil leaves them as they are at the start.
	Loaded func(q store.Queryer, snap *config.Snapshot, who identity.Execution) (map[string]bool, error)
	// RoomName is a room's name for the prompt; nil or "" means none.
	RoomName func(room string) string
	// Names turns "@name" in an answer into a mention; nil mentions nobody.
	Names func(name string) (userID string, ok bool)
	// Typing shows that an account writes; it is called again every typingEvery
	// and gives up with its context. nil shows nothing.
	Typing func(ctx context.Context, account, room string, on bool)
	// Mask hides secrets in the previews of traces; nil hides nothing.
	Mask message.Mask
	// Cards asks people about calls; nil has calls refused that a rule asks about.
	Cards Cards
	// Questions keeps the questions that answers ask; nil has a block that asks one
	// shown as it is.
	Questions Questions
	// Modes says which mode a response starts in; nil is standard mode for all.
	Modes Modes
	// Deployment is what minimal mode and mindroom-agent need of the installation;
	// nil is an installation that does not have it.
	Deployment func() mode.Deployment
	// CLI opens the door of mindroom-agent; nil lets no response have one.
	CLI  CLI
	Wall clock.Wall
	// Log hears of faults; nil is slog.Default().
	Log *slog.Logger
	// Grace is how long begun calls may go on after the engine was told to
	// stop; 0 means ten seconds.
	Grace time.Duration
}
