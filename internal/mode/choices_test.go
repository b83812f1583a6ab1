package mode

import (
	"context"
	"fmt"
	"testing"
	"time"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"mindroom/internal/config"
	"mindroom/internal/identity"
	"mindroom/internal/store"
	"mindroom/internal/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func write(t rapid.TB, db *store.DB, fn func(tx *store.Tx) error) {
	t.Helper()
	if err := db.Write(context.Background(), fn); err != nil {
		t.Fatal(err)
	}
}

func get(t rapid.TB, db *store.DB, k Key) (m Mode) {
	t.Helper()
	err := db.Read(context.Background(), func(q *store.Reader) (err error) {
		m, err = Choices{}.Get(q, k)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func count(t rapid.TB, db *store.DB) (n int) {
	t.Helper()
	err := db.Read(context.Background(), func(q *store.Reader) error { return q.QueryRow(`SELECT COUNT(*) FROM agent_modes`).Scan(&n) })
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Sentences 1 and 2, against a map: choices of any agents, conversations and owners
// in any order. One transaction a case, because what reaches the disk is the store's.
func TestChoicesAreTheLastOnes(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t, Schema)
	key := rapid.Custom(func(r *rapid.T) Key {
		return Key{rapid.SampledFrom([]string{"a", "b"}).Draw(r, "agent"), rapid.SampledFrom([]string{"!r:x", "!r:x:$t", "!s:x"}).Draw(r, "session"),
			rapid.SampledFrom([]string{"", "@ann:x", "@ben:x"}).Draw(r, "owner")}
	})
	rapid.Check(t, func(r *rapid.T) {
		var c Choices
		want := map[Key]Mode{}
		keys := rapid.SliceOfN(key, 1, 30).Draw(r, "keys")
		does := rapid.SliceOfN(rapid.SampledFrom([]Mode{Minimal, Minimal, Standard, ""}), len(keys), len(keys)).Draw(r, "modes") // "" is Clear
		write(r, db, func(tx *store.Tx) error {
			if _, err := tx.Exec(`DELETE FROM agent_modes`); err != nil {
				return err
			}
			for i, k := range keys {
				m, err := does[i], error(nil)
				if m == "" {
					m, err = Standard, c.Clear(tx, k)
				} else {
					err = c.Set(tx, k, m, "@ann:x")
				}
				if want[k] = m; err != nil {
					return err
				}
				if err := agrees(tx, want); err != nil {
					return fmt.Errorf("after step %d: %w", i+1, err)
				}
			}
			return nil
		})
		for k, m := range want {
			if got := get(r, db, k); got != m {
				r.Fatalf("%+v is %s, want %s", k, got, m)
			}
		}
	})
}

// agrees compares the choices with what they have to be, and the number of rows with
// how many of those differ from the default.
func agrees(q store.Queryer, want map[Key]Mode) error {
	minimal := 0
	for k, m := range want {
		if got, err := (Choices{}).Get(q, k); err != nil || got != m {
			return fmt.Errorf("%+v is %s, want %s: %v", k, got, m, err)
		}
		if m == Minimal {
			minimal++
		}
	}
	var rows int
	if err := q.QueryRow(`SELECT COUNT(*) FROM agent_modes`).Scan(&rows); err != nil || rows != minimal {
		return fmt.Errorf("%d rows for %d choices: %v", rows, minimal, err)
	}
	return nil
}

// Sentence 3.
func TestARowThatIsNotUnderstoodIsStandard(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t, Schema)
	k := Key{Agent: "a", Session: "!r:x"}
	write(t, db, func(tx *store.Tx) error {
		_, err := tx.Exec(`INSERT INTO agent_modes VALUES ('a', '', '!r:x', 'tiny', '@ann:x', '')`)
		return err
	})
	if got := get(t, db, k); got != Standard || count(t, db) != 1 {
		t.Errorf("an unknown mode is %s, %d rows", got, count(t, db))
	}
	if err := db.Write(context.Background(), func(tx *store.Tx) error { return Choices{}.Set(tx, k, "tiny", "@ann:x") }); err == nil {
		t.Error("a mode that is none is stored")
	}
	if err := db.Write(context.Background(), func(tx *store.Tx) error { _, err := tx.Exec(`DROP TABLE agent_modes`); return err }); err != nil {
		t.Fatal(err)
	}
	err := db.Read(context.Background(), func(q *store.Reader) error { _, err := Choices{}.Get(q, k); return err })
	if err == nil {
		t.Error("a store that fails is no fault")
	}
}

// Sentence 4: of each agent and owner the newest stay, whatever the clock does.
func TestTheOldestChoicesGo(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t, Schema)
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	c := Choices{Wall: func() time.Time { return now }}
	session := func(n int) string { return fmt.Sprintf("!r:x:$%04d", n) }
	write(t, db, func(tx *store.Tx) error {
		for i := range MaxChoices { // as Set leaves them, without its work each time
			now = now.Add(time.Second)
			if _, err := tx.Exec(`INSERT INTO agent_modes VALUES ('a', '', $1, 'minimal', '@ann:x', $2)`, session(i), c.Wall.Stamp()); err != nil {
				return err
			}
		}
		for i := range 2 {
			now = now.Add(time.Second)
			if err := c.Set(tx, Key{Agent: "a", Session: session(MaxChoices + i)}, Minimal, "@ann:x"); err != nil {
				return err
			}
		}
		return c.Set(tx, Key{Agent: "a", Session: session(0), Owner: "@ann:x"}, Minimal, "@ann:x")
	})
	now = now.AddDate(-1, 0, 0) // the clock is set back
	write(t, db, func(tx *store.Tx) error { return c.Set(tx, Key{Agent: "a", Session: "late"}, Minimal, "@ann:x") })
	for k, want := range map[Key]Mode{
		{"a", session(0), ""}:              Standard,
		{"a", session(1), ""}:              Standard,
		{"a", session(2), ""}:              Standard,
		{"a", session(3), ""}:              Minimal,
		{"a", session(MaxChoices + 1), ""}: Minimal,
		{"a", "late", ""}:                  Minimal,
		{"a", session(0), "@ann:x"}:        Minimal,
	} {
		if got := get(t, db, k); got != want {
			t.Errorf("%+v is %s, want %s", k, got, want)
		}
	}
	if n := count(t, db); n != MaxChoices+1 {
		t.Errorf("%d rows", n)
	}
}

// M04 and M05: which conversation a choice is for.
func TestKeyFor(t *testing.T) {
	t.Parallel()
	shared, private := &config.Agent{Name: "a"}, &config.Agent{Name: "p", Private: &config.Private{}}
	inThread := identity.InThread("a", "@ann:x", "!r:x", "$root")
	inRoom := identity.InThread("a", "@ann:x", "!r:x", "")
	for name, c := range map[string]struct {
		agent   *config.Agent
		who     identity.Execution
		threads config.ThreadMode
		want    Key
	}{
		"a thread":                        {shared, inThread, config.ModeThread, Key{"a", "!r:x:$root", ""}},
		"the room":                        {shared, inRoom, config.ModeRoom, Key{"a", "!r:x", ""}},
		"room mode, said in a thread":     {shared, inThread, config.ModeRoom, Key{"a", "!r:x", ""}},
		"a private agent's thread":        {private, inThread, config.ModeThread, Key{"p", "!r:x:$root", "@ann:x"}},
		"a private agent's room":          {private, inRoom, config.ModeRoom, Key{"p", "!r:x", "@ann:x"}},
		"the session is that of a turn's": {shared, inThread, config.ModeThread, Key{"a", identity.SessionID("!r:x", "$root"), ""}},
	} {
		if got := KeyFor(c.agent, c.who, c.threads); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}
