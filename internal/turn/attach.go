package turn

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"

	"mindroom/internal/chat"
	"mindroom/internal/media"
	"mindroom/internal/media/scale"
	"mindroom/internal/model"
	"mindroom/internal/prompt"
	"mindroom/internal/store"
)

const (
	// maxFiles is how many files of a conversation one turn looks at, the newest.
	maxFiles = 20
	// maxPictures is how many of them are shown.
	maxPictures = 8
	// maxShown is the largest document that is shown, in bytes: providers take 5 MiB
	// in base64. Pictures are made smaller.
	maxShown = 3_700_000
	// maxText is the largest text file that is shown, in bytes.
	maxText = 64 << 10
	// fetching bounds how long one turn waits for files.
	fetching = 2 * time.Minute
)

// The reasons for which a file is not shown, as the model reads them.
const (
	noteNotNow     = "it could not be fetched just now"
	noteGone       = "it is not at the homeserver any more"
	noteTooLarge   = "it is larger than is kept"
	noteUnreadable = "it could not be decrypted"
	noteNoSight    = "you cannot see files of this kind"
	noteTooMany    = "newer ones are shown"
	noteBig        = "it is too large to be shown"
)

// loader reads the files that a transcript points at; nil where none are kept.
func (e *Engine) loader() model.MediaLoader {
	if e.Media == nil {
		return nil
	}
	return e.pictures.Load
}

// files are what the messages up to the one to answer carry, by event, but for
// those left out. A file that cannot be had is named with the reason; it never
// fails the turn.
func (r *response) files(ctx context.Context, messages []chat.Message, leftOut map[string]bool) (map[string][]prompt.File, error) {
	all := map[string][]prompt.File{}
	within, cancel := context.WithTimeout(ctx, fetching)
	defer cancel()
	last := len(messages) - 1
	for i, m := range messages {
		if m.EventID == r.row.trigger {
			last = i
		}
	}
	looked, shown := 0, 0
	for i := last; i >= 0 && looked < maxFiles; i-- {
		m := messages[i]
		f, ok := chat.ParseFile(m.Content)
		if !ok || leftOut[m.EventID] {
			continue
		}
		looked++
		a, err := r.file(within, m, f)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		named := prompt.File{ID: a.ID, Name: a.Ref.Name, Kind: f.Kind, Size: a.Ref.Size, Note: a.Problem}
		if a.Problem == "" && m.Sender != r.e.userID(r.row.account) {
			r.show(&named, a.Ref, &shown)
		}
		all[m.EventID] = []prompt.File{named}
	}
	return all, nil
}

// show decides what the model sees of a file.
func (r *response) show(f *prompt.File, ref media.Ref, shown *int) {
	text := strings.HasPrefix(ref.MIME, "text/")
	switch {
	case ref.Zero():
	case !r.sees(ref):
		f.Note = noteNoSight
	case !ref.Picture() && ref.Size > maxShown, ref.Size > scale.MaxBytes, text && ref.Size > maxText:
		f.Note = noteBig
	case text:
		f.Show = &ref
	case *shown >= maxPictures:
		f.Note = noteTooMany
	default:
		f.Show = &ref
		*shown++
	}
}

// file is what is known of the file of a message: kept already, one of our own,
// or fetched now. An attachment with a Problem has no file.
func (r *response) file(ctx context.Context, m chat.Message, f chat.File) (media.Attachment, error) {
	owner := media.Owner{Kind: media.OwnedByEvent, ID: m.EventID, Room: m.Room, Thread: r.row.threadRoot, Requester: m.Sender}
	if m.EventID == r.row.threadRoot {
		owner.Thread = "" // it began the thread and is in none
	}
	a := media.Attachment{ID: owner.AttachmentID(), Owner: owner, Ref: media.Ref{MIME: f.MIME, Name: f.Name, Size: f.Size}}
	if r.e.Media == nil {
		return a, nil
	}
	ours, known, err := r.known(ctx, owner, m)
	switch {
	case known != nil:
		return *known, nil
	case err != nil && ctx.Err() == nil:
		return a, fmt.Errorf("look up the file of %s for turn %s: %w", m.EventID, r.id, err)
	case err != nil:
		a.Problem = noteNotNow
		return a, nil
	case !ours.Zero() && r.record(ctx, func(tx *store.Tx) error { return r.e.Media.Own(tx, owner, ours) }):
		a.Ref = ours
		return a, nil
	case r.e.Download == nil:
		return a, nil
	}
	raw, err := r.e.Download(ctx, r.row.account, f, r.e.Media.Max)
	if problem, final := verdict(err); err != nil {
		r.e.Log.Warn("a file could not be fetched", "turn", r.id, "event", m.EventID, "final", final, "err", err)
		a.Problem = problem
		if final {
			r.record(ctx, func(tx *store.Tx) error { return r.e.Media.Refuse(tx, owner, a.Ref, problem) })
		}
		return a, nil
	}
	kept, err := r.e.Media.Keep(ctx, owner, bytes.NewReader(raw), f.MIME, f.Name)
	if err != nil {
		// A full disk is the operator's to hear of; the person gets an answer.
		r.e.Log.Error("a file could not be kept", "turn", r.id, "event", m.EventID, "err", err)
		a.Problem = noteNotNow
		return a, nil
	}
	a.Ref = kept
	return a, nil
}

// record writes what was found out about a file and reports whether it could:
// the next turn finds it out again. A file of our own that was deleted meanwhile
// can be owned no more.
func (r *response) record(ctx context.Context, fn func(tx *store.Tx) error) bool {
	err := r.e.DB.Write(ctx, fn)
	if err != nil {
		r.e.Log.Warn("what is known of a file could not be recorded", "turn", r.id, "err", err)
	}
	return err == nil
}

// known is the attachment as recorded; nil when there is none yet. ours is the
// file of a message that we sent ourselves.
func (r *response) known(ctx context.Context, owner media.Owner, m chat.Message) (ours media.Ref, known *media.Attachment, err error) {
	err = r.e.DB.Read(ctx, func(q *store.Reader) error {
		a, found, err := media.Owned(q, owner)
		if err != nil || found {
			known = &a
			return err
		}
		d, sent, err := chat.ByEvent(q, m.Sender, m.EventID)
		if sent {
			ours = d.Attach
		}
		return err
	})
	if err != nil {
		return media.Ref{}, nil, err
	}
	return ours, known, nil
}

// verdict is what the model is told of a file that could not be fetched, and
// whether it never will be.
func verdict(err error) (problem string, final bool) {
	switch media.KindOf(err) {
	case media.Gone:
		return noteGone, true
	case media.TooLarge:
		return noteTooLarge, true
	case media.Unreadable:
		return noteUnreadable, true
	}
	return noteNotNow, false
}
