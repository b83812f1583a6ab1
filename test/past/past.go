package past

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"time"

	"mindroom/internal/audit"
	"mindroom/internal/canonical"
	"mindroom/internal/chat"
	"mindroom/internal/identity"
	"mindroom/internal/media"
	"mindroom/internal/script"
	"mindroom/internal/secret"
	"mindroom/internal/store"
	"mindroom/internal/tool"
	"mindroom/internal/turn"
	"mindroom/test/rig"
)

// Who and where it happened, and what the person wrote.
const (
	Person = "@anna:example.org"
	Bot    = "@mindroom_worker:example.org"
	Room   = "!ops:example.org"
	Asked  = "Watch the page https://anna:correct-horse@example.org/ please."
)

// Story has the ids of what happened, in its order.
type Story struct {
	Message string   // the person's event
	Turn    string   // answered it
	Start   tool.Ref // its call that launched Run
	Run     identity.RunID
	// Done completed and sent Relay; Refused had arguments that do not fit.
	Done, Refused tool.Ref
	Relay         string // the event that Done sent
	Woken         string // the turn which Relay began
}

// Path is where the database of dir lies.
func Path(dir string) string { return filepath.Join(dir, "mindroom.db") }

// Write plays the story into a fresh database in dir, which must exist. All of it
// is closed when it returns.
func Write(ctx context.Context, dir string) (Story, error) {
	s := Story{Message: "$asked", Relay: "$relay"}
	if err := s.inTheRoom(ctx, dir, s.message); err != nil {
		return s, err
	}
	if err := s.script(ctx, dir); err != nil {
		return s, err
	}
	return s, s.inTheRoom(ctx, dir, s.relay)
}

// room is the Matrix side of the database.
type room struct {
	db      *store.DB
	journal *chat.Journal
	outbox  *chat.Outbox
	turns   *turn.Engine
}

func (s *Story) inTheRoom(ctx context.Context, dir string, play func(context.Context, room) error) error {
	db, err := store.Open(ctx, Path(dir), chat.Schema, turn.Schema, script.Schema, audit.Schema, media.Schema)
	if err != nil {
		return err
	}
	r := room{db: db, journal: chat.NewJournal(db, nil)}
	if r.outbox, err = chat.OpenOutbox(ctx, db, nil); err == nil {
		r.turns = turn.New(turn.Parts{DB: db, Outbox: r.outbox, History: r.journal})
		err = play(ctx, r)
	}
	return errors.Join(err, db.Close())
}

// message is heard and begins a turn, which calls start_script.
func (s *Story) message(ctx context.Context, r room) (err error) {
	if s.Turn, err = r.heard(ctx, s.Message, Person, Asked, 0); err != nil {
		return err
	}
	s.Start = tool.Ref{Door: tool.DoorTurn, Owner: s.Turn, ID: "1.1.call"}
	args, err := canonical.FromValue(map[string]any{"name": "watcher"})
	if err != nil {
		return err
	}
	return r.db.Write(ctx, func(tx *store.Tx) error {
		return audit.Log{Redactor: &secret.Redactor{}}.Record(tx, tool.AuditEntry{
			Call: tool.Call{Ref: s.Start, Name: tool.Name{Toolkit: "script", Function: "start_script"}, Args: args,
				Who: identity.InThread(rig.Agent, Person, Room, "")},
			Verdict: tool.Verdict{Kind: tool.Allow, Rule: "tool_approval.default"},
			Outcome: tool.Completed(json.RawMessage(`"started"`)), Began: true, At: time.Now(), Duration: time.Millisecond,
		})
	})
}

// relay is sent by Done, heard again and begins a turn.
func (s *Story) relay(ctx context.Context, r room) (err error) {
	id := "matrix_message:" + s.Done.String()
	err = r.db.Write(ctx, func(tx *store.Tx) error {
		_, err := r.outbox.Enqueue(tx, chat.Delivery{
			ID: id, Conversation: chat.Conversation{Account: Bot, Room: Room}, Kind: chat.KindMessage, Type: "m.room.message",
			Content: json.RawMessage(`{"msgtype":"m.text","body":"The page changed."}`),
		})
		return err
	})
	if err != nil {
		return err
	}
	if _, _, err := r.outbox.Next(ctx, Bot); err != nil {
		return err
	}
	err = r.db.Write(ctx, func(tx *store.Tx) error {
		_, err := r.outbox.MarkSent(tx, id, s.Relay)
		return err
	})
	if err != nil {
		return err
	}
	s.Woken, err = r.heard(ctx, s.Relay, Bot, "The page changed.", 1)
	return err
}

// heard records a message and the turn that answers it.
func (r room) heard(ctx context.Context, event, sender, body string, depth int) (id string, err error) {
	content, err := json.Marshal(map[string]string{"msgtype": "m.text", "body": body})
	if err != nil {
		return "", err
	}
	err = r.db.Write(ctx, func(tx *store.Tx) error {
		_, err := r.journal.RecordSync(tx, Bot, "", []chat.Event{{
			EventID: event, Room: Room, Sender: sender, Type: "m.room.message", OriginTS: time.Now().UnixMilli(), Content: content, Live: true,
		}})
		if err != nil {
			return err
		}
		err = r.turns.Create(tx, turn.Request{
			Agent: rig.Agent, Account: Bot, Who: identity.InThread(rig.Agent, Person, Room, ""), Room: Room, TriggerEvent: event, Depth: depth,
		})
		if err != nil {
			return err
		}
		return tx.QueryRow(`SELECT turn_id FROM turns WHERE trigger_event = $1`, event).Scan(&id)
	})
	return id, err
}

// script launches a run without a process and plays its script.
func (s *Story) script(ctx context.Context, dir string) (err error) {
	r, err := rig.Open(ctx, dir, rig.Options{WithoutProcesses: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	req, err := rig.Request(Person, "pass\n")
	if err != nil {
		return err
	}
	req.Name, req.LaunchedBy = "watcher", s.Start
	run, err := r.Manager.Launch(ctx, req)
	if err != nil {
		return err
	}
	s.Run = run.ID
	s.Done = tool.Ref{Door: tool.DoorScript, Owner: string(run.ID), ID: "done"}
	s.Refused = tool.Ref{Door: tool.DoorScript, Owner: string(run.ID), ID: "refused"}
	if err := call(ctx, r, s.Done, tool.Name{Toolkit: rig.Toolkit, Function: "noop"}, `{"n":7}`); err != nil {
		return err
	}
	return call(ctx, r, s.Refused, tool.Name{Toolkit: rig.Toolkit, Function: "noop"}, `{"n":"seven"}`)
}

// call makes one call at the gateway and waits for its receipt.
func call(ctx context.Context, r *rig.Rig, ref tool.Ref, name tool.Name, arguments string) error {
	token, err := r.Capability(identity.RunID(ref.Owner))
	if err != nil {
		return err
	}
	body, err := json.Marshal(map[string]any{
		"run_id": ref.Owner, "call_id": ref.ID, "toolkit_name": name.Toolkit, "function_name": name.Function, "arguments": json.RawMessage(arguments),
	})
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.URL+"/calls", bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s was answered with %s: %s", ref, res.Status, raw)
	}
	return err
}
