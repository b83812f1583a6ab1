package matrix

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"maunium.net/go/mautrix"
	"maunium.net/go/mautrix/crypto/attachment"

	"mindroom/internal/chat"
	"mindroom/internal/media"
	"mindroom/internal/message"
	"mindroom/internal/store"
)

const (
	// bulkTimeout bounds one upload or download.
	bulkTimeout = 5 * time.Minute
	// maxBulk is how many files are in memory on their way, in or out.
	maxBulk = 4
)

// Where a file is, as Delivery.Uploaded says it and as most events do; see
// message.FileKeys.
const (
	inClear = "url"  // at the homeserver as it is
	sealed  = "file" // at the homeserver encrypted, with its key
)

// attached is a message with the place of its file: where an earlier attempt
// uploaded it, or where it is uploaded now. In a room that is encrypted by now,
// what was uploaded in clear is uploaded again.
func (n *Network) attached(ctx context.Context, a *Account, d chat.Delivery, o outgoing) (outgoing, error) {
	encrypted, err := n.encrypted(ctx, a, o.room)
	if err != nil {
		return o, err
	}
	if encrypted && a.device == nil {
		return o, nil // the door refuses it
	}
	var content, where map[string]json.RawMessage
	if err := json.Unmarshal(o.content, &content); err != nil {
		return o, &Fault{Kind: KindRefused, Op: "send delivery " + d.ID, err: err}
	}
	if json.Unmarshal(d.Uploaded, &where) != nil || (where[sealed] != nil) != encrypted {
		if where, err = n.upload(ctx, a, d, encrypted); err != nil {
			return o, n.hopeless(a, d, err)
		}
	}
	asItIs, withKey := message.FileKeys(d.Type)
	for from, to := range map[string]string{inClear: asItIs, sealed: withKey} {
		if said, ok := where[from]; ok {
			content[to] = said
		}
	}
	o.clear = !encrypted
	o.content, err = json.Marshal(content)
	return o, err
}

// hopeless ends a delivery whose file fails again and again while the account
// hears its homeserver well: files may lie with a server of their own, and
// whatever else is said in the room waits behind this one.
func (n *Network) hopeless(a *Account, d chat.Delivery, err error) error {
	f, ok := errors.AsType[*Fault](err)
	if !ok || d.Attempts < n.cfg.UploadTries || a.health.last().Failures > 0 || f.Kind != KindServer && f.Kind != KindLocal {
		return err
	}
	return &Fault{Kind: KindFileFailed, Op: f.Op, Hint: "look at the homeserver's media repository, and at the disk with the storage", Status: f.Status, err: f.err}
}

// upload brings a delivery's file to the homeserver and writes down where it is.
func (n *Network) upload(ctx context.Context, a *Account, d chat.Delivery, encrypted bool) (map[string]json.RawMessage, error) {
	op := fmt.Sprintf("upload %q", d.Attach.Name)
	select {
	case n.bulk <- struct{}{}:
		defer func() { <-n.bulk }()
	case <-ctx.Done():
		return nil, fmt.Errorf("%s: %w", op, context.Cause(ctx))
	}
	if limit := n.uploads.get(ctx, n, a); limit > 0 && d.Attach.Size > limit {
		return nil, tooLarge(op, limit, nil)
	}
	raw, err := n.load(ctx, op, d.Attach)
	if err != nil {
		return nil, err
	}
	req := mautrix.ReqUploadMedia{ContentBytes: raw, ContentType: d.Attach.MIME, FileName: d.Attach.Name}
	var key *attachment.EncryptedFile
	if encrypted {
		key = attachment.NewEncryptedFile()
		key.EncryptInPlace(raw)
		// Neither type nor name is the homeserver's business.
		req.ContentType, req.FileName = "application/octet-stream", ""
	}
	r, err := requestWithin(ctx, bulkTimeout, op, func(ctx context.Context) (*mautrix.RespMediaUpload, error) {
		return a.api().UploadMedia(ctx, req)
	})
	if KindOf(err) == KindTooLarge {
		return nil, tooLarge(op, 0, err)
	}
	if err != nil {
		return nil, err
	}
	if r.ContentURI.IsEmpty() {
		return nil, &Fault{Kind: KindServer, Op: op, Hint: "the homeserver answered without a place"}
	}
	where, err := place(r.ContentURI.String(), key)
	if err != nil {
		return nil, &Fault{Kind: KindLocal, Op: op, err: err}
	}
	noted, err := json.Marshal(where)
	if err == nil {
		err = n.cfg.DB.Write(ctx, func(tx *store.Tx) error { return n.cfg.Outbox.MarkUploaded(tx, d.ID, noted) })
	}
	if err != nil {
		return nil, &Fault{Kind: KindLocal, Op: op, err: err}
	}
	a.log.Debug("file uploaded", "delivery", d.ID, "bytes", len(raw), "encrypted", encrypted)
	return where, nil
}

// place is what a message says of its file; key is nil for one in clear.
func place(uri string, key *attachment.EncryptedFile) (map[string]json.RawMessage, error) {
	if key == nil {
		raw, err := json.Marshal(uri)
		return map[string]json.RawMessage{inClear: raw}, err
	}
	raw, err := json.Marshal(struct {
		*attachment.EncryptedFile
		URL string `json:"url"`
	}{key, uri})
	return map[string]json.RawMessage{sealed: raw}, err
}

// load reads the file that is to be sent.
func (n *Network) load(ctx context.Context, op string, ref media.Ref) ([]byte, error) {
	if n.cfg.Load == nil {
		return nil, &Fault{Kind: KindFileGone, Op: op, Hint: "this network was made without files"}
	}
	raw, err := n.cfg.Load(ctx, ref)
	switch media.KindOf(err) {
	case media.Gone, media.Damaged:
		return nil, &Fault{Kind: KindFileGone, Op: op, err: err}
	}
	if err != nil {
		return nil, &Fault{Kind: KindLocal, Op: op, err: err}
	}
	return raw, nil
}

func tooLarge(op string, limit int64, err error) *Fault {
	hint := "send a smaller file, or have the homeserver take larger ones"
	if limit > 0 {
		hint = fmt.Sprintf("the homeserver takes %d bytes; %s", limit, hint)
	}
	return &Fault{Kind: KindFileTooLarge, Op: op, Hint: hint, err: err}
}

// limitAge is how long the homeserver's word on the size of files is believed.
const limitAge = time.Hour

// uploadLimit is the largest file the homeserver takes, asked for when needed.
type uploadLimit struct {
	mu    sync.Mutex
	asked time.Time
	bytes int64 // 0: it does not say
}

// get is the limit in bytes; 0 when it is not known, and the upload will tell.
func (u *uploadLimit) get(ctx context.Context, n *Network, a *Account) int64 {
	u.mu.Lock()
	defer u.mu.Unlock()
	if !u.asked.IsZero() && time.Since(u.asked) < limitAge {
		return u.bytes
	}
	r, err := request(ctx, "ask for the largest file", func(ctx context.Context) (*mautrix.RespMediaConfig, error) {
		return a.api().GetMediaConfig(ctx)
	})
	if KindOf(err) == KindNotFound || KindOf(err) == KindRefused { // a homeserver from before authenticated media
		r, err = request(ctx, "ask for the largest file", func(ctx context.Context) (*mautrix.RespMediaConfig, error) {
			var r mautrix.RespMediaConfig
			_, err := a.api().MakeRequest(ctx, "GET", a.api().BuildURL(mautrix.MediaURLPath{"v3", "config"}), nil, &r)
			return &r, err
		})
	}
	if err != nil || r == nil {
		return 0
	}
	u.asked, u.bytes = time.Now(), r.UploadSize
	return u.bytes
}
