package scale

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"mindroom/internal/media"
)

// Invariant 2, and a picture that is asked for with every question is made once.
func TestLoader(t *testing.T) {
	t.Parallel()
	large := padded(asPNG(t, halves(40, 30)))
	small := asPNG(t, halves(4, 3))
	files := map[string][]byte{"small": small, "text": large, "broken": padded([]byte("\x89PNG"))}
	for i := range kept + 1 {
		files[fmt.Sprint(i)] = large
	}
	var reads atomic.Int64
	l := NewLoader(func(_ context.Context, ref media.Ref) ([]byte, error) {
		reads.Add(1)
		if raw, ok := files[ref.Digest]; ok {
			return raw, nil
		}
		return nil, &media.Error{Kind: media.Gone}
	})
	ref := func(digest string) media.Ref { return media.Ref{Digest: digest, MIME: "image/png"} }
	load := func(ref media.Ref, want int64) ([]byte, error) {
		t.Helper()
		before := reads.Load()
		raw, err := l.Load(t.Context(), ref)
		if n := reads.Load() - before; n != want {
			t.Errorf("%s: read %d times, want %d", ref.Digest, n, want)
		}
		return raw, err
	}
	first, err := load(ref("0"), 1)
	if err != nil || len(first) >= len(large) {
		t.Fatalf("%d bytes, %v", len(first), err)
	}
	if again, err := load(ref("0"), 0); err != nil || !bytes.Equal(again, first) {
		t.Errorf("again %d bytes, %v", len(again), err)
	}
	for i := range kept + 1 {
		if _, err := l.Load(t.Context(), ref(fmt.Sprint(i))); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := load(ref("0"), 1); err != nil { // forgotten for newer ones
		t.Fatal(err)
	}
	if raw, err := load(ref("small"), 1); err != nil || !bytes.Equal(raw, small) {
		t.Errorf("a small one: %d bytes, %v", len(raw), err)
	}
	if raw, err := load(media.Ref{Digest: "text", MIME: "text/plain"}, 1); err != nil || !bytes.Equal(raw, large) {
		t.Errorf("no picture: %d bytes, %v", len(raw), err)
	}
	for digest, kind := range map[string]media.ErrorKind{"none": media.Gone, "broken": media.TooLarge} {
		if _, err := load(ref(digest), 1); media.KindOf(err) != kind {
			t.Errorf("%s: %v", digest, err)
		}
	}
	if _, err := load(media.Ref{Digest: "1000", MIME: "image/png", Size: MaxBytes + 1}, 0); media.KindOf(err) != media.TooLarge || !errors.Is(err, ErrTooLarge) {
		t.Errorf("too large: %v", err)
	}
}

func TestLoaderTakesTurns(t *testing.T) {
	t.Parallel()
	raw := padded(asPNG(t, halves(40, 30)))
	synctest.Test(t, func(t *testing.T) {
		var at, most atomic.Int64
		inside, leave := make(chan bool), make(chan bool)
		l := NewLoader(func(context.Context, media.Ref) ([]byte, error) {
			most.Store(max(most.Load(), at.Add(1)))
			inside <- true
			<-leave
			at.Add(-1)
			return raw, nil
		})
		done := make(chan error)
		ctx, cancel := context.WithCancel(t.Context())
		for i := range 3 {
			go func() {
				_, err := l.Load(ctx, media.Ref{Digest: fmt.Sprint(i), MIME: "image/png"})
				done <- err
			}()
		}
		<-inside
		synctest.Wait() // the two others wait for their turn
		cancel()
		for range 2 { // and need not wait for what nobody asks for any more
			if err := <-done; !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		}
		leave <- true
		if err := <-done; err != nil || most.Load() != 1 {
			t.Errorf("%v; %d at a time", err, most.Load())
		}
	})
}
