package config

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Load reads and judges the configuration file at path and what it includes. Faults of their content come as Errors, all at
// once; a file that cannot be read comes as an error wrapping the cause (fs.ErrNotExist among them). Warnings come with Errors
// too. catalog must not be nil.
func Load(path string, catalog Catalog, env Env) (*Config, Warnings, error) {
	c, err := readComposed(path)
	if err != nil {
		return nil, nil, err
	}
	return c.judge(catalog, env)
}

// Parse judges text that was already read, or is about to be saved. file names it in messages and says where relative paths
// start; nothing is read from disk, so the text may include nothing.
func Parse(file string, data []byte, catalog Catalog, env Env) (*Config, Warnings, error) {
	return compose(file, data, nil).judge(catalog, env)
}

// Look tells which files and folders Load would read, without judging what is in them: what to watch after a Load was refused.
// The error is that of a file at path that cannot be read; other faults end the part they are in.
func Look(path string) (Source, error) {
	c, err := readComposed(path)
	if err != nil {
		return Source{}, err
	}
	return c.source, nil
}

// readComposed reads the file at path and its includes, which are confined to its folder.
func readComposed(path string) (composed, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return composed{}, fmt.Errorf("configuration %s: %w", path, err)
	}
	data, err := readFile(absolute)
	if err != nil {
		return composed{}, fmt.Errorf("configuration %s: %w", path, err)
	}
	root, err := os.OpenRoot(filepath.Dir(absolute))
	if err != nil {
		return composed{}, fmt.Errorf("configuration %s: %w", path, err)
	}
	defer root.Close()
	return compose(absolute, data, root.FS()), nil
}

// judge turns a composed text into a Config.
func (c composed) judge(catalog Catalog, env Env) (*Config, Warnings, error) {
	if c.fault != nil {
		return nil, nil, c.fault
	}
	d := &decoder{
		file: c.source.Path, dir: filepath.Dir(c.source.Path), catalog: catalog, env: env, errs: c.errs,
		told: map[string]int{}, again: map[string]int{},
	}
	cfg := d.config(c.tree)
	sortWarnings(d.warns, c.source.Files)
	if len(d.errs) > 0 {
		sortErrors(d.errs, c.source.Files)
		return nil, d.warns, d.errs
	}
	cfg.Source = c.source
	return cfg, d.warns, nil
}

// readFile reads a file outside the configuration's folder, or the configuration itself.
func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	f, err := openRegular(path, info, func() (fs.File, error) { return os.Open(path) })
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readBounded(f)
}
