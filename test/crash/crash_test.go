package crash

import (
	"flag"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"mindroom/internal/lifecycle/step"
)

var update = flag.Bool("update", false, "write docs/explanation/crash-matrix.md")

// account is what the rows came to. Each is printed when it was played, and the
// counts in the end.
type account struct {
	mu                       sync.Mutex
	cells, kills, violations int
	// copies are second events that the homeserver made and that were taken back.
	copies int
}

func (a *account) add(name string, c *cell, took time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.cells++
	a.kills += c.kills
	a.copies += c.copies
	word := "held"
	if c.t.Failed() {
		word = "VIOLATED"
		a.violations++
	}
	fmt.Printf("%-9s %5.1fs  %s\n", word, took.Seconds(), name)
}

// TestMatrix plays every row.
func TestMatrix(t *testing.T) {
	if testing.Short() {
		t.Log("short: only that every step has a row is looked at")
		return
	}
	var all account
	began := time.Now()
	t.Run("rows", func(t *testing.T) {
		for _, section := range Sections() {
			for _, row := range section.Rows {
				name := fmt.Sprintf("%s/%s dies/%s", row.Play, row.Dies, row.Step())
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					c := newCell(t, row)
					began := time.Now()
					defer func() { all.add(name, c, time.Since(began)) }()
					c.play()
					c.judge()
				})
			}
		}
	})
	fmt.Printf("crash matrix: %d cells, %d kills, %d violations, %.0f seconds; %d second events of the homeserver taken back\n",
		all.cells, all.kills, all.violations, time.Since(began).Seconds(), all.copies)
}

// Every step has a row: a step that nobody dies at is not known to be safe.
func TestEveryStepHasARow(t *testing.T) {
	t.Parallel()
	rows := map[step.Name]int{}
	names := map[string]bool{}
	for _, section := range Sections() {
		for _, row := range section.Rows {
			rows[row.At]++
			name := fmt.Sprintf("%s %s %s", row.Play, row.Dies, row.Step())
			if names[name] {
				t.Errorf("two rows are called %q", name)
			}
			names[name] = true
		}
	}
	for _, name := range step.All() {
		if rows[name] == 0 {
			t.Errorf("no row dies at %s", name)
		}
		delete(rows, name)
	}
	delete(rows, "")
	for name := range rows {
		t.Errorf("a row dies at %q, which is no step", name)
	}
}

// The page is the table.
func TestPage(t *testing.T) {
	t.Parallel()
	const path = "../../docs/explanation/crash-matrix.md"
	if *update {
		if err := os.WriteFile(path, []byte(Page()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	raw, err := os.ReadFile(path)
	if err != nil || string(raw) != Page() {
		t.Errorf("%s is out of date (%v): go test ./test/crash -run TestPage -update", path, err)
	}
}
