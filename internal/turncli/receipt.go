package turncli

import (
	"encoding/json"

	"mindroom/internal/media"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

const (
	// maxAttachments bounds the files that a receipt lists.
	maxAttachments = 64
	// receiptParts are the places of files that a call shows and did not keep
	// itself, apart from those that it did.
	receiptParts = 1 << 20
)

// attachment is one file of a result, as a receipt lists it.
type attachment struct {
	Kind string `json:"kind"`
	MIME string `json:"mime_type"`
	// ID is set, or Error says why there is none.
	ID    string `json:"attachment_id,omitempty"`
	Error string `json:"error,omitempty"`
}

// attach makes the files of a result the call's own where they are not, so that
// the conversation's agents find them under an id (C12).
func (l *ledger) attach(tx *store.Tx, out tool.Outcome) ([]attachment, error) {
	var files []attachment
	for i, ref := range out.Media {
		if i == maxAttachments {
			break
		}
		a := attachment{Kind: string(ref.Kind()), MIME: ref.MIME}
		if l.o.reg.Media == nil {
			a.Error = "no files are kept here"
		} else {
			id, err := l.own(tx, i, ref)
			if err != nil {
				return nil, err
			}
			a.ID = id
		}
		files = append(files, a)
	}
	return files, nil
}

func (l *ledger) own(tx *store.Tx, i int, ref media.Ref) (string, error) {
	kept := tool.FileOwner(l.c.Call, i)
	known, found, err := media.Owned(tx, kept)
	if err != nil {
		return "", err
	}
	if found && known.Ref.Digest == ref.Digest {
		return known.ID, nil
	}
	shown := tool.FileOwner(l.c.Call, receiptParts+i)
	return shown.AttachmentID(), l.o.reg.Media.Own(tx, shown, ref)
}

// receipt is a call as it stands (spec/agentcli.md 2.4): these seven members and no
// other.
type receipt struct {
	Attachments []attachment    `json:"attachments"`
	ID          string          `json:"call_id"`
	Function    string          `json:"function"`
	Outcome     json.RawMessage `json:"outcome"`
	Parent      *string         `json:"parent_bash_call_id"`
	Status      status          `json:"status"`
	Toolkit     string          `json:"toolkit"`
}

func (o *Owner) receipt(c *call) receipt {
	o.mu.Lock()
	defer o.mu.Unlock()
	r := receipt{
		Attachments: c.attachments, ID: c.ID, Function: c.Name.Function, Toolkit: c.Name.Toolkit,
		Outcome: c.outcome, Status: c.status,
	}
	if r.Attachments == nil {
		r.Attachments = []attachment{}
	}
	if r.Outcome == nil {
		r.Outcome = json.RawMessage("null")
	}
	if c.bash != "" {
		r.Parent = &c.bash
	}
	return r
}
