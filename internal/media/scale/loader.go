package scale

import (
	"context"
	"sync"

	"mindroom/internal/media"
)

// kept is how many pictures that were made smaller a Loader remembers: those of a
// conversation are asked for with every question.
const kept = 8

// Loader loads files, pictures among them small enough to be shown. Make one with
// NewLoader. It may be used from several goroutines.
type Loader struct {
	load func(ctx context.Context, ref media.Ref) ([]byte, error)
	// turn is held by whoever decodes.
	turn chan struct{}

	mu    sync.Mutex
	small map[string][]byte // by the digest of the original
	order []string          // oldest first
}

// NewLoader makes a Loader over what reads files as they are.
func NewLoader(load func(ctx context.Context, ref media.Ref) ([]byte, error)) *Loader {
	return &Loader{load: load, turn: make(chan struct{}, 1), small: map[string][]byte{}}
}

// Load reads a file; of a picture that is too large to be shown it makes a smaller
// JPEG. The error is a media.Error of kind
// TooLarge where that cannot be done, or the reader's.
func (l *Loader) Load(ctx context.Context, ref media.Ref) ([]byte, error) {
	if !ref.Picture() {
		return l.load(ctx, ref)
	}
	if small, known := l.remembered(ref.Digest); known {
		return small, nil
	}
	if ref.Size > MaxBytes {
		return nil, &media.Error{Kind: media.TooLarge, File: ref.Name, Err: ErrTooLarge}
	}
	select {
	case l.turn <- struct{}{}:
		defer func() { <-l.turn }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if small, known := l.remembered(ref.Digest); known { // whoever was before needed it too
		return small, nil
	}
	raw, err := l.load(ctx, ref)
	if err != nil {
		return nil, err
	}
	shown, smaller, err := Fit(raw)
	if err != nil {
		return nil, &media.Error{Kind: media.TooLarge, File: ref.Name, Err: err}
	}
	if smaller {
		l.remember(ref.Digest, shown)
	}
	return shown, nil
}

func (l *Loader) remembered(digest string) ([]byte, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	small, known := l.small[digest]
	return small, known
}

func (l *Loader) remember(digest string, small []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.order) == kept {
		delete(l.small, l.order[0])
		l.order = l.order[1:]
	}
	l.small[digest], l.order = small, append(l.order, digest)
}
