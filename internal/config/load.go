package config

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Source is where a Config came from.
type Source struct {
	Path   string // of the file, absolute
	Digest string // SHA-256 of its bytes, 64 hex digits; two loads with one digest read the same text
}

// Load reads and judges the configuration file at path. Faults of its content come as Errors, all at once; a file that cannot
// be read comes as an error wrapping the cause (fs.ErrNotExist among them). Warnings come with Errors too. catalog must not be nil.
func Load(path string, catalog Catalog, env Env) (*Config, Warnings, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, nil, fmt.Errorf("configuration %s: %w", path, err)
	}
	data, err := readFile(absolute)
	if err != nil {
		return nil, nil, fmt.Errorf("configuration %s: %w", path, err)
	}
	return Parse(absolute, data, catalog, env)
}

// Parse judges text that was already read, or is about to be saved. file names it in messages and says where relative paths
// start; nothing is read from disk.
func Parse(file string, data []byte, catalog Catalog, env Env) (*Config, Warnings, error) {
	root, fault := parse(file, data)
	if fault != nil {
		return nil, nil, Errors{*fault}
	}
	d := &decoder{file: file, dir: filepath.Dir(file), catalog: catalog, env: env, unheeded: map[string]int{}, unheededN: map[string]int{}}
	b := &builder{file: file, errs: &d.errs}
	tree := b.build(root, Pos{file, 1, 1}, "")
	switch {
	case tree.kind == kindNull && len(d.errs) == 0:
		return nil, nil, Errors{{Pos: tree.pos, Message: emptyFile}}
	case tree.kind != kindMap && len(d.errs) == 0:
		return nil, nil, Errors{{Pos: tree.pos, Message: "the file must be a mapping, with keys such as models and agents at its left margin"}}
	case tree.kind != kindMap || b.full:
		return nil, nil, d.errs
	}
	c := d.config(tree)
	sortWarnings(d.warns)
	if len(d.errs) > 0 {
		sortErrors(d.errs)
		return nil, d.warns, d.errs
	}
	digest := sha256.Sum256(data)
	c.Source = Source{Path: file, Digest: hex.EncodeToString(digest[:])}
	return c, d.warns, nil
}

// readFile reads one byte more than allowed at most, so that an endless file is refused rather than read.
func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, MaxFileBytes+1))
}
