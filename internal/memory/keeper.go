package memory

import (
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

// Keeper changes memories. Make it with NewKeeper.
type Keeper struct {
	// mu is one for all workspaces: a change takes milliseconds, and two agents
	// may be given one folder.
	mu     sync.Mutex
	now    func() time.Time
	create func(root *os.Root, name string) (spooled, error)
}

// NewKeeper makes a Keeper with the time of now.
func NewKeeper(now func() time.Time) *Keeper { return &Keeper{now: now, create: create} }

// Add remembers a text, its line breaks made spaces: in MEMORY.md while all of
// that fits into the prompt, afterwards in the file of the day (UTC).
func (k *Keeper) Add(dir, text string) (Entry, error) {
	text, err := clean(text)
	if err != nil {
		return Entry{}, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	f, err := open(dir)
	if err != nil {
		return Entry{}, err
	}
	defer f.close()
	now := k.now()
	e := Entry{ID: newID(now), Text: text, File: Entrypoint}
	before, mode, err := f.read(Entrypoint)
	if err == nil && !fits(appended(before, e)) {
		e.File = Folder + "/" + now.UTC().Format("2006-01-02") + ".md"
		if err = f.makeFolder(); err == nil {
			before, mode, err = f.read(e.File)
		}
	}
	if err != nil {
		return Entry{}, err
	}
	after := appended(before, e)
	e.Line = strings.Count(after, "\n")
	return e, k.replace(f, e.File, after, mode)
}

// makeFolder makes memory/, which must not be a link.
func (f *folder) makeFolder() error {
	if err := f.root.MkdirAll(Folder, 0o700); err != nil {
		return failed(Folder, err)
	}
	info, err := f.root.Lstat(Folder)
	if err == nil && !info.IsDir() {
		return failf(Refused, "%s is no folder: links hold no memory", Folder)
	}
	return failed(Folder, err)
}

// appended is a file's text with one line more.
func appended(text string, e Entry) string {
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text + e.written() + "\n"
}

// Get is the memory with an id.
func (k *Keeper) Get(dir, id string) (Entry, error) {
	f, err := open(dir)
	if err != nil {
		return Entry{}, err
	}
	defer f.close()
	return f.find(id)
}

// find looks an id up among what there is, so that no part of an id is ever used
// as a path. Of two memories with one id the first in order is meant.
func (f *folder) find(id string) (Entry, error) {
	all, err := f.recall()
	if err != nil {
		return Entry{}, err
	}
	i := slices.IndexFunc(all.Entries, func(e Entry) bool { return e.ID == id })
	if i < 0 {
		return Entry{}, failf(Missing, "there is no memory with the id %.100q: list_memories and search_memories show those there are", id)
	}
	return all.Entries[i], nil
}

// Update gives a memory another text under the same id.
func (k *Keeper) Update(dir, id, text string) (Entry, error) {
	text, err := clean(text)
	if err != nil {
		return Entry{}, err
	}
	return k.edit(dir, id, func(e *Entry, lines []string) []string {
		e.Text = text
		lines[e.Line-1] = e.written()
		return lines
	})
}

// Delete forgets a memory and returns what it was.
func (k *Keeper) Delete(dir, id string) (Entry, error) {
	return k.edit(dir, id, func(e *Entry, lines []string) []string {
		if e.File == Entrypoint {
			return slices.Delete(lines, e.Line-1, e.Line)
		}
		// An empty line stays, because the lines below are known by their numbers.
		lines[e.Line-1] = ""
		return lines
	})
}

func (k *Keeper) edit(dir, id string, change func(*Entry, []string) []string) (Entry, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	f, err := open(dir)
	if err != nil {
		return Entry{}, err
	}
	defer f.close()
	e, err := f.find(id)
	if err != nil {
		return Entry{}, err
	}
	text, mode, err := f.read(e.File)
	if err != nil {
		return Entry{}, err
	}
	lines := strings.Split(text, "\n")
	if e.Line > len(lines) {
		return Entry{}, changed(e.File)
	}
	if now, ok := parseLine(e.File, e.Line, lines[e.Line-1], e.File != Entrypoint); !ok || now != e {
		return Entry{}, changed(e.File)
	}
	return e, k.replace(f, e.File, strings.Join(change(&e, lines), "\n"), mode)
}

func changed(file string) error {
	return failf(Changed, "%s was changed meanwhile: look at it again", file)
}
