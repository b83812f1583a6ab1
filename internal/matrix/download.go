package matrix

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"

	"maunium.net/go/mautrix"
	"maunium.net/go/mautrix/crypto/attachment"

	"mindroom/internal/chat"
	"mindroom/internal/media"
)

// mxc is a place of a file: a server name and an id that stays one segment of a
// path.
var mxc = regexp.MustCompile(`^mxc://([A-Za-z0-9.:\[\]-]{1,255})/([A-Za-z0-9_=~-][A-Za-z0-9._=~-]{0,254})$`)

// Download fetches a file that a message carries, as the account that heard it,
// at most limit bytes, decrypted and checked. What will never succeed is a
// *media.Error: Gone, TooLarge or Unreadable; anything else may pass, and was
// tried a few times.
func (n *Network) Download(ctx context.Context, account string, f chat.File, limit int64) ([]byte, error) {
	a := n.byUser(account)
	if a == nil {
		return nil, &Fault{Kind: KindUnreachable, Op: "download as " + account, Hint: "the account is not logged in yet"}
	}
	m := mxc.FindStringSubmatch(f.URL)
	if m == nil {
		return nil, &media.Error{Kind: media.Gone, File: f.Name, Err: errors.New("it has no valid place")}
	}
	if f.Size > limit {
		return nil, &media.Error{Kind: media.TooLarge, File: f.Name}
	}
	var key *attachment.EncryptedFile
	if f.Key != nil {
		var err error
		if key, err = fileKey(f.Key); err != nil {
			return nil, &media.Error{Kind: media.Unreadable, File: f.Name, Err: err}
		}
	}
	select {
	case n.bulk <- struct{}{}:
		defer func() { <-n.bulk }()
	case <-ctx.Done():
		return nil, fmt.Errorf("download %q: %w", f.Name, context.Cause(ctx))
	}
	raw, err := retry(ctx, a.log, fmt.Sprintf("download %q", f.Name), briefTries, bulkTimeout, func(ctx context.Context) ([]byte, error) {
		return n.fetch(ctx, a, f.Name, m[1], m[2], limit)
	})
	switch KindOf(err) {
	case KindNotFound, KindForbidden, KindRefused, KindTooLarge:
		return nil, &media.Error{Kind: media.Gone, File: f.Name, Err: err}
	}
	if err != nil || key == nil {
		return raw, err
	}
	if err := key.DecryptInPlace(raw); err != nil {
		return nil, &media.Error{Kind: media.Unreadable, File: f.Name, Err: err}
	}
	return raw, nil
}

// fileKey reads the key of an encrypted file. Some clients pad what must not be.
func fileKey(raw json.RawMessage) (*attachment.EncryptedFile, error) {
	var key attachment.EncryptedFile
	if err := json.Unmarshal(raw, &key); err != nil {
		return nil, err
	}
	key.Key.Key = strings.TrimRight(key.Key.Key, "=")
	key.InitVector = strings.TrimRight(key.InitVector, "=")
	key.Hashes.SHA256 = strings.TrimRight(key.Hashes.SHA256, "=")
	return &key, key.PrepareForDecryption()
}

// fetch asks where files need an account, and at a homeserver that does not know
// that place where they did not.
func (n *Network) fetch(ctx context.Context, a *Account, name, server, id string, limit int64) ([]byte, error) {
	api := a.api()
	raw, err := n.read(ctx, a, name, api.BuildURL(mautrix.ClientURLPath{"v1", "media", "download", server, id}), limit)
	h, ok := errors.AsType[mautrix.HTTPError](err)
	if !ok || h.Response == nil || h.RespError != nil && h.RespError.ErrCode == mautrix.MNotFound.ErrCode {
		return raw, err
	}
	if s := h.Response.StatusCode; s != http.StatusNotFound && s != http.StatusMethodNotAllowed && s != http.StatusBadRequest {
		return raw, err
	}
	return n.read(ctx, a, name, api.BuildURL(mautrix.MediaURLPath{"v3", "download", server, id}), limit)
}

func (n *Network) read(ctx context.Context, a *Account, name, url string, limit int64) ([]byte, error) {
	_, resp, err := a.api().MakeFullRequestWithResp(ctx, mautrix.FullRequest{Method: http.MethodGet, URL: url, DontReadResponse: true})
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.ContentLength > limit {
		return nil, &media.Error{Kind: media.TooLarge, File: name}
	}
	raw, err := io.ReadAll(io.LimitReader(resp.Body, limit+1))
	if err == nil && int64(len(raw)) > limit {
		err = &media.Error{Kind: media.TooLarge, File: name}
	}
	return raw, err
}
