package primary

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"mindroom/internal/message"
	"mindroom/internal/person"
	"mindroom/internal/store"
)

// pace is how often another process is looked at, which wakes nobody here.
const pace = 50 * time.Millisecond

// Until looks until ok says yes, or fails. The error of a ctx that ends names what.
func Until(ctx context.Context, what string, ok func() (bool, error)) error {
	tick := time.NewTicker(pace)
	defer tick.Stop()
	for {
		done, err := ok()
		if done || err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("never: %s: %w", what, context.Cause(ctx))
		}
	}
}

// Read looks into the database of the primary in folder, beside whoever writes it.
func Read(ctx context.Context, folder string, fn func(*store.Reader) error) error {
	db, err := store.OpenReadOnly(ctx, filepath.Join(folder, "storage", "control_state", "mindroom.db"))
	if err != nil {
		return err
	}
	defer db.Close()
	return db.Read(ctx, fn)
}

// LogTail is the last lines of what primaries wrote in folder; empty where there is
// nothing.
func LogTail(folder string, lines int) string {
	log, _ := os.ReadFile(filepath.Join(folder, "mindroom.log"))
	all := strings.Split(string(log), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}

// Finished reports whether an answer will not change any more.
func Finished(e person.Event) bool {
	status, _ := e.Content[message.KeyStreamStatus].(string)
	return status != "" && message.Status(status).Terminal()
}

// Said is what there is to see and what was to be sent, for whoever has to find out
// what went wrong.
func Said(ctx context.Context, folder string, seen []person.Event) string {
	var b strings.Builder
	for _, e := range seen {
		fmt.Fprintf(&b, "in the room: %s %v %q\n", e.ID, e.Content[message.KeyStreamStatus], e.Body())
	}
	err := Read(ctx, folder, func(q *store.Reader) error {
		return store.Each(q, func(rows *store.Rows) error {
			var id, state, event, kind string
			var attempts int
			err := rows.Scan(&id, &state, &event, &kind, &attempts)
			fmt.Fprintf(&b, "to be sent: %s %s %s %s, %d attempts\n", id, state, event, kind, attempts)
			return err
		}, `SELECT id, state, event_id, error_kind, attempts FROM chat_deliveries ORDER BY seq`)
	})
	if err != nil {
		fmt.Fprintln(&b, err)
	}
	return b.String()
}
