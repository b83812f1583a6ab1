package memory

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
)

const (
	maxFiles   = 1000   // files of memory that are read
	maxVisited = 10_000 // entries of memory/ that are looked at
	maxBytes   = 16 << 20
)

// Recalled are memories: those of MEMORY.md first, then those of the other files
// from the last name to the first, which for days is the newest first.
type Recalled struct {
	Entries []Entry
	// Left says of each file that was not read why; nil when all were.
	Left []string
}

// All reads every memory of a workspace. Of MEMORY.md only lines with an id are
// memories, the rest of it is prose that the prompt shows anyway. A file that
// cannot be read hides no other.
func (k *Keeper) All(dir string) (Recalled, error) {
	f, err := open(dir)
	if err != nil {
		return Recalled{}, err
	}
	defer f.close()
	return f.recall()
}

func (f *folder) recall() (Recalled, error) {
	var r Recalled
	names, left, err := f.names()
	if err != nil {
		return r, err
	}
	r.Left = left
	total := 0
	for i, name := range append([]string{Entrypoint}, names...) {
		if i > maxFiles || total > maxBytes {
			r.Left = append(r.Left, name+" and what sorts before it: there are more files of memory than are read")
			break
		}
		text, _, err := f.read(name)
		if err != nil {
			r.Left = append(r.Left, err.Error())
			continue
		}
		total += len(text)
		n := 0
		for line := range strings.SplitSeq(text, "\n") {
			n++
			if e, ok := parseLine(name, n, line, name != Entrypoint); ok {
				r.Entries = append(r.Entries, e)
			}
		}
	}
	return r, nil
}

// errEnough ends a walk.
var errEnough = errors.New("enough")

// names are the files memory/**/*.md, from the last to the first. Names with a
// line break could not be told from text and are left out, as are hidden ones.
func (f *folder) names() (names, left []string, err error) {
	info, err := f.root.Lstat(Folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil, nil
	case err != nil:
		return nil, nil, failed(Folder, err)
	case !info.IsDir():
		return nil, []string{Folder + " is no folder: links hold no memory"}, nil
	}
	visited := 0
	err = fs.WalkDir(f.root.FS(), Folder, func(path string, e fs.DirEntry, err error) error {
		if visited++; visited > maxVisited {
			left = append(left, "some of "+Folder+": more lies in it than is looked at")
			return errEnough
		}
		switch {
		case err != nil:
			left = append(left, failed(path, err).Error())
			return fs.SkipDir
		case path != Folder && strings.HasPrefix(e.Name(), "."):
			if e.IsDir() {
				return fs.SkipDir
			}
		case !e.IsDir() && strings.HasSuffix(path, ".md") && !strings.ContainsAny(path, "\n\r]"):
			names = append(names, path)
		}
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return nil, nil, failed(Folder, err)
	}
	slices.Sort(names)
	slices.Reverse(names)
	return names, left, nil
}
