package file

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"mindroom/internal/tool"
)

type saveArgs struct {
	Contents  string `json:"contents" jsonschema:"The whole text of the file."`
	FileName  string `json:"file_name" jsonschema:"Path of the file, relative to the workspace."`
	Overwrite *bool  `json:"overwrite,omitempty" jsonschema:"Whether a file that exists is replaced; true if left out."`
}

type saveResult struct {
	head
	Bytes int `json:"bytes"`
	Lines int `json:"lines"`
}

func saveFile(_ context.Context, w *workspace, args saveArgs) (any, error) {
	name, fault := w.local(args.FileName)
	if fault != nil {
		return nil, fault
	}
	if name == "." || strings.HasSuffix(args.FileName, "/") {
		return nil, failf("%s names a directory; give the name of a file", args.FileName)
	}
	overwrite := args.Overwrite == nil || *args.Overwrite
	if fault := w.write(name, []byte(args.Contents), overwrite); fault != nil {
		return nil, fault
	}
	return saveResult{ok("save_file", name), len(args.Contents), len(split([]byte(args.Contents)))}, nil
}

// write puts a text in place of the file's, whole or not at all: into a new
// file beside it first, which then takes its name.
func (w *workspace) write(name string, text []byte, overwrite bool) *tool.Fault {
	if len(text) > maxText {
		return failf("the text has %d bytes, more than the %d that are written at once", len(text), maxText)
	}
	if !utf8.Valid(text) {
		return tool.Faultf(tool.FaultArguments, "the text is not UTF-8")
	}
	mode, fault := w.place(name, overwrite)
	if fault != nil {
		return fault
	}
	if dir := filepath.Dir(name); dir != "." {
		if err := w.root.MkdirAll(dir, 0o700); err != nil {
			return explain(dir, err)
		}
	}
	temporary := filepath.Join(filepath.Dir(name), "."+rand.Text()+".part")
	if err := w.create(temporary, text, mode); err != nil {
		return explain(name, errors.Join(err, w.root.Remove(temporary)))
	}
	var err error
	if overwrite {
		err = w.root.Rename(temporary, name)
	} else {
		// A link, unlike a rename, never replaces what appeared meanwhile.
		err = w.root.Link(temporary, name)
	}
	if err == nil && overwrite {
		return nil
	}
	removed := w.root.Remove(temporary)
	switch {
	case errors.Is(err, fs.ErrExist) && !overwrite:
		return exists(name)
	case err != nil:
		return explain(name, err)
	case removed != nil:
		return explain(temporary, removed)
	}
	return nil
}

// place says with which mode name may be written.
func (w *workspace) place(name string, overwrite bool) (fs.FileMode, *tool.Fault) {
	info, err := w.root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return 0o600, nil
	case err != nil:
		return 0, explain(name, err)
	case info.IsDir():
		return 0, failf("%s is a directory", name)
	case !overwrite:
		return 0, exists(name)
	case info.Mode()&fs.ModeSymlink != 0:
		return 0, failf("%s is a symbolic link; write to the file it points to", name)
	case !info.Mode().IsRegular():
		return 0, failf("%s is no regular file", name)
	}
	return info.Mode().Perm(), nil
}

func exists(name string) *tool.Fault {
	return failf("%s exists already and overwrite is false; choose another name", name)
}

func (w *workspace) create(name string, text []byte, mode fs.FileMode) error {
	f, err := w.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err == nil && mode != 0o600 {
		err = f.Chmod(mode)
	}
	// The name moves to this file next. On the disk that may come before the text
	// does, and a power cut between would leave neither the old text nor the new.
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}
