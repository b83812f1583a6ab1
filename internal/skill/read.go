package skill

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"mindroom/internal/config"
)

// File is a file of a skill, whole.
type File struct {
	// Path is relative to the skill's folder.
	Path string
	// Text is its content; of SKILL.md, the instructions alone.
	Text string
	// Others are the other files of the skill, told with SKILL.md; More that there are
	// further ones.
	Others []string
	More   bool
	// Folder is where the skill lies: an absolute path, or relative to the workspace where
	// the skill is the agent's own.
	Folder string
	Own    bool
}

// Read reads a file of a skill by its path in the skill's folder; an empty one means
// SKILL.md. An error says to the agent what it can do.
func (p Places) Read(name, file string) (File, error) {
	if file == "" {
		file = MainFile
	}
	if file = path.Clean(file); strings.ContainsRune(file, 0) || !filepath.IsLocal(file) {
		return File{}, errors.New("a file is named by its path in the skill's folder, and nothing outside of it is read")
	}
	own := !slices.Contains(p.Given, name)
	f := File{Path: file, Folder: filepath.Join(p.Operator, name), Own: own}
	root, err := p.folder(name, own)
	if err != nil {
		return File{}, err
	}
	defer func() { _ = root.Close() }() // only a directory handle
	if own {
		f.Folder = path.Join(config.SkillsFolder, name)
	}
	if file == MainFile {
		s, err := whole(root, name, own)
		if err != nil {
			return File{}, fmt.Errorf("the skill %s cannot be used: %w", name, err)
		}
		f.Text = s.Instructions
		f.Others, f.More = files(root)
		return f, nil
	}
	text, err := read(root, file, MaxText)
	if err != nil {
		return File{}, fmt.Errorf("skill %s: %w", name, err)
	}
	f.Text = string(text)
	return f, nil
}

// folder opens a skill's folder.
func (p Places) folder(name string, own bool) (*os.Root, error) {
	dir := p.Operator
	if own {
		dir = p.Workspace
	}
	if dir == "" {
		return nil, p.unknown(name)
	}
	all, err := shelf(dir, own)
	if err == nil {
		defer func() { _ = all.Close() }() // only a directory handle
		var root *os.Root
		if root, err = open(all, name); err == nil {
			return root, nil
		}
	}
	if errors.Is(err, errNone) || errors.Is(err, fs.ErrNotExist) {
		return nil, p.unknown(name)
	}
	return nil, fmt.Errorf("the skill %.64q cannot be used: %w", name, bare(err))
}

// unknown says what there is in place of what there is not.
func (p Places) unknown(name string) error {
	var names []string
	for _, s := range p.Find().Skills {
		names = append(names, s.Name)
	}
	if len(names) == 0 {
		return fmt.Errorf("there is no skill %.64q; you have none", name)
	}
	return fmt.Errorf("there is no skill %.64q; you have: %s", name, strings.Join(names, ", "))
}
