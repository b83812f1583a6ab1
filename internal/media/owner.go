package media

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"time"

	"mindroom/internal/clock"
	"mindroom/internal/store"
)

// OwnerKind says what a file belongs to.
type OwnerKind string

// The kinds of owner. An owner has one file.
const (
	// OwnedByEvent: a message carries it; the id is the event's.
	OwnedByEvent OwnerKind = "event"
	// OwnedByTurn: it is the whole of a long answer; the id is the turn's.
	OwnedByTurn OwnerKind = "turn"
	// OwnedByCall: a call returned or sent it; the id is the call's reference and
	// the place of the file in it.
	OwnedByCall OwnerKind = "call"
)

// Owner is what a file belongs to, and where that is.
type Owner struct {
	Kind OwnerKind
	ID   string
	// Room and Thread are the conversation; no thread is the room itself. A
	// message that begins a thread is in none.
	Room, Thread string
	// Requester is the person on whose behalf it came; may be empty.
	Requester string
}

// AttachmentID is the id under which agents speak of the owner's file: the same
// in every process.
func (o Owner) AttachmentID() string {
	sum := sha256.Sum256([]byte(string(o.Kind) + "\x00" + o.ID))
	return "att_" + hex.EncodeToString(sum[:12])
}

// Attachment is a file and its owner.
type Attachment struct {
	ID    string
	Owner Owner
	// Ref is the file; its digest is empty when the file can never be had, and
	// Problem says why.
	Ref     Ref
	Problem string
	Created time.Time
}

// Keep puts a file and makes it o's at once, and returns it; the file that o has
// already, if it has one.
func (s *Store) Keep(ctx context.Context, o Owner, r io.Reader, claimed, name string) (Ref, error) {
	ref, err := s.Put(ctx, r, claimed, name)
	if err != nil {
		return Ref{}, err
	}
	err = s.DB.Write(ctx, func(tx *store.Tx) error {
		if err := s.Own(tx, o, ref); err != nil {
			return err
		}
		a, _, err := Owned(tx, o)
		ref = a.Ref
		return err
	})
	return ref, err
}

// Own makes the file o's, in the caller's transaction. An owner that has a file
// already keeps it. The file must have been Put within the last hour, or have
// another owner.
func (s *Store) Own(tx *store.Tx, o Owner, ref Ref) error {
	return s.attach(tx, o, ref, ref.Digest, "")
}

// Refuse records that o's file can never be had, so that nobody tries again.
// what is what is known of it; problem is a few words for the model.
func (s *Store) Refuse(tx *store.Tx, o Owner, what Ref, problem string) error {
	return s.attach(tx, o, what, nil, problem)
}

func (s *Store) attach(tx *store.Tx, o Owner, ref Ref, digest any, problem string) error {
	_, err := tx.Exec(`INSERT INTO media_attachments
		(attachment_id, owner_kind, owner, room_id, thread_root, requester, digest, mime, name, size, problem, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) ON CONFLICT (attachment_id) DO NOTHING`,
		o.AttachmentID(), string(o.Kind), o.ID, o.Room, o.Thread, o.Requester, digest, ref.MIME, CleanName(ref.Name), ref.Size, problem, s.Wall.Stamp())
	if err != nil {
		return fmt.Errorf("media of %s %s: %w", o.Kind, o.ID, err)
	}
	return nil
}

const attachmentColumns = `attachment_id, owner_kind, owner, room_id, thread_root, requester, coalesce(digest, ''), mime, name, size, problem, created_at`

func scanAttachment(scan func(...any) error) (a Attachment, err error) {
	var created string
	err = scan(&a.ID, &a.Owner.Kind, &a.Owner.ID, &a.Owner.Room, &a.Owner.Thread, &a.Owner.Requester,
		&a.Ref.Digest, &a.Ref.MIME, &a.Ref.Name, &a.Ref.Size, &a.Problem, &created)
	if err == nil {
		a.Created, err = clock.ParseStamp(created)
	}
	return a, err
}

// Owned is the attachment of an owner; false when it has none. Only the kind
// and the id of o are looked at.
func Owned(q store.Queryer, o Owner) (Attachment, bool, error) {
	return one(q, "attachment_id = $1", o.AttachmentID())
}

// inThread holds invariant 5; $2 is the thread.
const inThread = "(thread_root = $2 OR owner_kind = 'event' AND owner = $2 AND $2 <> '')"

// Visible is the attachment of that id as it is seen in a conversation
// (invariant 5); false when there is none to be seen.
func Visible(q store.Queryer, room, thread, id string) (Attachment, bool, error) {
	return one(q, "room_id = $1 AND "+inThread+" AND attachment_id = $3", room, thread, id)
}

// List are the newest attachments seen in a conversation, newest first.
func List(q store.Queryer, room, thread string, limit int) (all []Attachment, err error) {
	err = store.Each(q, func(rows *store.Rows) error {
		a, err := scanAttachment(rows.Scan)
		all = append(all, a)
		return err
	}, "SELECT "+attachmentColumns+" FROM media_attachments WHERE room_id = $1 AND "+inThread+" ORDER BY created_at DESC, attachment_id LIMIT $3", room, thread, limit)
	if err != nil {
		return nil, fmt.Errorf("list attachments: %w", err)
	}
	return all, nil
}

func one(q store.Queryer, where string, args ...any) (Attachment, bool, error) {
	a, err := scanAttachment(q.QueryRow("SELECT "+attachmentColumns+" FROM media_attachments WHERE "+where, args...).Scan)
	if errors.Is(err, store.ErrNoRows) {
		return Attachment{}, false, nil
	}
	if err != nil {
		return Attachment{}, false, fmt.Errorf("look up an attachment: %w", err)
	}
	return a, true, nil
}
