package person

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"maunium.net/go/mautrix"
	"maunium.net/go/mautrix/crypto/attachment"
	"maunium.net/go/mautrix/event"
	"maunium.net/go/mautrix/id"
)

// SendFile uploads raw and says it in a room, in root's thread unless root is
// empty: msgtype is "m.image" or another of those with a file, caption what is
// said about it or empty. Where the room is encrypted and the client secured, the
// file is encrypted too. It returns the event id.
func (c *Client) SendFile(ctx context.Context, room, root, msgtype, name, mime, caption string, raw []byte, mention ...string) (string, error) {
	key, err := c.fileKey(ctx, id.RoomID(room))
	if err != nil {
		return "", err
	}
	content := text(name, mention)
	content["msgtype"], content["info"] = msgtype, map[string]any{"mimetype": mime, "size": len(raw)}
	if caption != "" {
		content["body"], content["filename"] = caption, name
	}
	if root != "" {
		content["m.relates_to"] = map[string]any{
			"rel_type": "m.thread", "event_id": root, "is_falling_back": true, "m.in_reply_to": map[string]any{"event_id": root},
		}
	}
	upload := mautrix.ReqUploadMedia{ContentBytes: raw, ContentType: mime, FileName: name}
	if key != nil {
		upload.ContentBytes, upload.ContentType, upload.FileName = append([]byte(nil), raw...), "application/octet-stream", ""
		key.EncryptInPlace(upload.ContentBytes)
	}
	r, err := c.api.UploadMedia(ctx, upload)
	if err != nil {
		return "", fmt.Errorf("upload %s: %w", name, err)
	}
	content["url"] = r.ContentURI.String()
	if key != nil {
		delete(content, "url")
		content["file"] = struct {
			*attachment.EncryptedFile
			URL string `json:"url"`
		}{key, r.ContentURI.String()}
	}
	return c.SendEvent(ctx, room, "m.room.message", content)
}

// fileKey is a new key for a file of a room; nil where files go in clear.
func (c *Client) fileKey(ctx context.Context, room id.RoomID) (*attachment.EncryptedFile, error) {
	if c.device == nil {
		return nil, nil
	}
	var encryption event.EncryptionEventContent
	err := c.api.StateEvent(ctx, room, event.StateEncryption, "", &encryption)
	if errors.Is(err, mautrix.MNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("ask whether %s is encrypted: %w", room, err)
	}
	return attachment.NewEncryptedFile(), nil
}

// File downloads the file that an event carries and decrypts it where it is
// encrypted.
func (c *Client) File(ctx context.Context, e Event) ([]byte, error) {
	uri, _ := e.Content["url"].(string)
	var key *attachment.EncryptedFile
	if file, ok := e.Content["file"].(map[string]any); ok {
		uri, _ = file["url"].(string)
		raw, err := json.Marshal(file)
		if err == nil {
			key = new(attachment.EncryptedFile)
			err = json.Unmarshal(raw, key)
		}
		if err != nil {
			return nil, fmt.Errorf("the file of %s: %w", e.ID, err)
		}
	}
	place, err := id.ParseContentURI(uri)
	if err != nil || place.IsEmpty() {
		return nil, fmt.Errorf("%s carries no file", e.ID)
	}
	r, err := c.api.Download(ctx, place)
	if err != nil {
		return nil, fmt.Errorf("download the file of %s: %w", e.ID, err)
	}
	defer func() { _ = r.Body.Close() }()
	raw, err := io.ReadAll(r.Body)
	if err == nil && key != nil {
		err = key.DecryptInPlace(raw)
	}
	if err != nil {
		return nil, fmt.Errorf("the file of %s: %w", e.ID, err)
	}
	return raw, nil
}
