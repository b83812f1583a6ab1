package backup

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mindroom/internal/config"
)

// configuration copies the configuration, what it includes, and the .env and the skills
// beside it.
func (w *writer) configuration(ctx context.Context, o Options) error {
	if o.Config == "" {
		return nil
	}
	base := filepath.Dir(o.Config)
	all := append([]string{o.Config, filepath.Join(base, ".env")}, o.Includes...)
	for i, from := range all {
		rel, err := filepath.Rel(base, from)
		if err != nil || !filepath.IsLocal(rel) {
			w.m.LeftOut = append(w.m.LeftOut, from)
			continue
		}
		path := configDir + "/" + filepath.ToSlash(rel)
		if _, done := w.m.Files[path]; done {
			continue
		}
		switch err := w.copyFile(from, path); {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return err
		}
		if i == 0 {
			w.m.Config = path
		}
	}
	return w.tree(ctx, filepath.Join(base, config.SkillsFolder), configDir+"/"+config.SkillsFolder)
}

// files copies the files that messages carry, and the workspaces if they are
// wanted.
func (w *writer) files(ctx context.Context, o Options) error {
	if err := w.tree(ctx, filepath.Join(o.Storage, "media"), mediaDir); err != nil {
		return err
	}
	if !o.Workspaces {
		return nil
	}
	for _, name := range workspaces {
		if err := w.tree(ctx, filepath.Join(o.Storage, name), workspaceDir+"/"+name); err != nil {
			return err
		}
	}
	return nil
}

// tree copies the regular files of a folder. Files that vanish meanwhile are not
// in the backup; links and pipes never are, and are told.
func (w *writer) tree(ctx context.Context, root, to string) error {
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case d.IsDir():
			return nil
		case !d.Type().IsRegular():
			w.m.LeftOut = append(w.m.LeftOut, path)
			return nil
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if err := w.copyFile(path, to+"/"+filepath.ToSlash(rel)); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	})
}

// copyFile copies one file. The copy is readable by its owner only; the manifest
// keeps the mode.
func (w *writer) copyFile(from, path string) error {
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	to, err := w.place(path)
	if err != nil {
		return err
	}
	if err := transfer(from, to, 0o600); err != nil {
		return err
	}
	return w.took(path, info.Mode().Perm())
}

// transfer copies the bytes of a file to a new one and makes them durable.
func transfer(from, to string, mode fs.FileMode) error {
	f, err := os.Open(from)
	if err != nil {
		return err
	}
	defer f.Close()
	return put(to, f, mode)
}

// lay writes a new file durably.
func lay(to string, raw []byte, mode fs.FileMode) error { return put(to, bytes.NewReader(raw), mode) }

func put(to string, from io.Reader, mode fs.FileMode) error {
	f, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, from)
	return errors.Join(err, f.Sync(), f.Close())
}

func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// under lists the files of a backup in a folder of it, sorted.
func (m Manifest) under(dir string) []string {
	var out []string
	for path := range m.Files {
		if strings.HasPrefix(path, dir+"/") {
			out = append(out, path)
		}
	}
	slices.Sort(out)
	return out
}
