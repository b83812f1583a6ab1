package skill

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"
	"unicode/utf8"

	"mindroom/internal/config"
)

const (
	// MaxText is the largest file besides SKILL.md that is read, in bytes.
	MaxText = 1 << 20
	// MaxFiles is how many files of a skill are listed.
	MaxFiles = 100
	// maxVisited is how many entries of a folder are looked at.
	maxVisited = 1000
)

// errNone: there is no skill of that name.
var errNone = errors.New("there is no such folder")

// shelf opens the folder in which skills lie; fs.ErrNotExist when there is none. The
// workspace's is refused where it is a link; the operator's own may be one.
func shelf(dir string, own bool) (*os.Root, error) {
	if !own {
		return os.OpenRoot(dir)
	}
	workspace, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = workspace.Close() }() // only a directory handle
	return folder(workspace, config.SkillsFolder)
}

// folder opens a folder that is one and no link to one.
func folder(root *os.Root, name string) (*os.Root, error) {
	info, err := root.Lstat(name)
	switch {
	case err != nil:
		return nil, err
	case !info.IsDir():
		return nil, fmt.Errorf("%s is no folder: links and files are not followed", name)
	}
	return root.OpenRoot(name)
}

// open opens a skill's folder.
func open(shelf *os.Root, name string) (*os.Root, error) {
	if !config.IsSkillName(name) {
		return nil, errNone // and nothing is looked for under it
	}
	root, err := folder(shelf, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errNone
	}
	return root, bare(err)
}

// load reads a skill.
func load(shelf *os.Root, name string, own bool) (Skill, error) {
	root, err := open(shelf, name)
	if err != nil {
		return Skill{}, err
	}
	defer func() { _ = root.Close() }() // only a directory handle
	return whole(root, name, own)
}

// whole reads the skill in an open folder.
func whole(root *os.Root, name string, own bool) (Skill, error) {
	text, err := read(root, MainFile, MaxFile)
	if err != nil {
		return Skill{}, err
	}
	s, err := parse(name, text)
	s.Own = own
	return s, err
}

// read is a text file of a skill. O_NONBLOCK keeps a pipe from holding the answer
// before it is recognised.
func read(root *os.Root, name string, limit int) ([]byte, error) {
	file, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("it has no %s", name)
	}
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", name, bare(err))
	}
	defer func() { _ = file.Close() }() // nothing was written
	info, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", name, bare(err))
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file", name)
	}
	raw, err := io.ReadAll(io.LimitReader(file, int64(limit)+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s cannot be read: %w", name, bare(err))
	case len(raw) > limit:
		return nil, fmt.Errorf("%s has more than the %d bytes that are read", name, limit)
	case bytes.IndexByte(raw, 0) >= 0 || !utf8.Valid(raw):
		return nil, fmt.Errorf("%s is no UTF-8 text", name)
	}
	return raw, nil
}

// files lists the files of a skill besides SKILL.md by their paths in it, sorted, hidden
// ones left out; more when there are others.
func files(root *os.Root) (names []string, more bool) {
	visited := 0
	_ = fs.WalkDir(root.FS(), ".", func(at string, e fs.DirEntry, err error) error { // what cannot be listed is not listed
		visited++
		switch {
		case visited > maxVisited || len(names) == MaxFiles:
			more = true
			return fs.SkipAll
		case err != nil:
			return fs.SkipDir
		case at != "." && strings.HasPrefix(path.Base(at), "."):
			if e.IsDir() {
				return fs.SkipDir
			}
		case e.Type().IsRegular() && at != MainFile:
			names = append(names, at)
		}
		return nil
	})
	return names, more
}

// bare is an error of the file system without the path in it, which is the machine's
// and nobody's who reads of a skill.
func bare(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}
