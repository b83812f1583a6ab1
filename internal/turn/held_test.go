package turn

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mindroom/internal/media"
	"mindroom/internal/model"
	"mindroom/internal/store"
)

// A picture that a call returned reaches the model with the call's result, is
// held while the turn lives and not after its end.
func TestMediaOfACall(t *testing.T) {
	t.Parallel()
	b := newBundle(t, "", func(p *Parts) {
		keeping(filepath.Join(t.TempDir(), "media"))(p)
		p.Room.Keep = p.Media.Keep
		p.Models = sighted(p.Models, model.Sight{Pictures: true})
	})
	reached := make(chan struct{})
	finish := make(chan struct{})
	b.model.plays(calls("picture", `{}`), func(ctx context.Context, req model.Request, sink func(model.Event)) (model.Response, error) {
		close(reached)
		<-finish
		return says("A cat.")(ctx, req, sink)
	})
	id := b.ask("$1", "draw a cat")
	<-reached
	held := func() (digests []string) {
		must(t, b.db.Read(t.Context(), func(r *store.Reader) (err error) {
			digests, err = Held(r)
			return err
		}))
		return digests
	}
	req := b.model.asked()[1]
	results := req.Messages[len(req.Messages)-1].Results()
	if len(results) != 1 || len(results[0].Media) != 1 || !results[0].Media[0].Picture() || results[0].Text != `{"drawn":"cat"}` {
		t.Fatalf("the model reads %+v", results)
	}
	ref := results[0].Media[0]
	if raw, err := req.Media(t.Context(), ref); err != nil || !strings.HasPrefix(string(raw), "\x89PNG") {
		t.Errorf("the picture %q, %v", raw, err)
	}
	if !slices.Contains(held(), ref.Digest) {
		t.Errorf("held: %v", held())
	}
	must(t, b.db.Read(t.Context(), func(r *store.Reader) error {
		o := media.Owner{Kind: media.OwnedByCall, ID: "turn:" + id + ":1.1.c0#0"}
		a, found, err := media.Visible(r, roomID, "$root", o.AttachmentID())
		if !found || a.Ref != ref || a.Owner.Requester != ann {
			t.Errorf("owned: %v %+v", found, a)
		}
		return err
	}))
	close(finish)
	b.ends(id, Answered)
	if len(held()) != 0 {
		t.Errorf("held after the end: %v", held())
	}
}

// A model that sees no pictures reads that there is one.
func TestMediaOfACallForABlindModel(t *testing.T) {
	t.Parallel()
	b := newBundle(t, "", func(p *Parts) {
		keeping(filepath.Join(t.TempDir(), "media"))(p)
		p.Room.Keep = p.Media.Keep
	})
	b.model.plays(calls("picture", `{}`), says("A cat, I am told."))
	b.ends(b.ask("$1", "draw a cat"), Answered)
	req := b.model.asked()[1]
	results := req.Messages[len(req.Messages)-1].Results()
	if len(results) != 1 || len(results[0].Media) != 0 || !strings.Contains(results[0].Text, "cat.png (image/png) is not shown: "+noteNoSight) {
		t.Errorf("the model reads %+v", results)
	}
}
