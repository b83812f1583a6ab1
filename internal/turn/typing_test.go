package turn

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

func TestTypingIsRenewedAndTakenBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		var said []string
		e := New(Parts{Typing: func(ctx context.Context, account, room string, on bool) {
			if ctx.Err() != nil {
				t.Errorf("typing %v with a context that has ended", on)
			}
			said = append(said, fmt.Sprintf("%s %s %v at %v", account, room, on, time.Since(began)))
		}})
		r := newResponse(e, "turn-1", lane{})
		r.row.account, r.row.room = "watcher", roomID
		ctx, cancel := context.WithTimeout(t.Context(), 35*time.Second)
		defer cancel()
		must(t, r.typing(ctx))
		want := []string{"watcher !ops:x true at 0s", "watcher !ops:x true at 15s", "watcher !ops:x true at 30s", "watcher !ops:x false at 35s"}
		if !slices.Equal(said, want) {
			t.Errorf("said %q, want %q", said, want)
		}
	})
}
