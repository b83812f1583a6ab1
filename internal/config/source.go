package config

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
)

// Source is where a Config came from: the text that was read, and the folders whose listing counted.
type Source struct {
	Path   string   // of the configuration file, absolute
	Digest string   // 64 hex digits over all Files; two loads with one digest read the same text
	Files  []File   // the configuration file first, then what it includes, in the order of the first inclusion
	Dirs   []string // folders that were listed, absolute: a file that appears there changes the configuration
}

// File is one file that was read.
type File struct {
	Path   string // absolute
	Digest string // SHA-256 of its bytes, 64 hex digits
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// seal computes the digest over all files. That of a single file is the file's own.
func (s *Source) seal() {
	if len(s.Files) == 1 {
		s.Digest = s.Files[0].Digest
		return
	}
	h := sha256.New()
	for _, f := range s.Files {
		fmt.Fprintf(h, "%s %s\n", f.Digest, f.Path)
	}
	s.Digest = hex.EncodeToString(h.Sum(nil))
}

// openRegular opens a file that info says is one: opening a pipe would wait for whoever writes into it.
func openRegular(name string, info fs.FileInfo, open func() (fs.File, error)) (fs.File, error) {
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file", name)
	}
	return open()
}

// readBounded reads one byte more than allowed at most, so that an endless file is refused rather than read.
func readBounded(r io.Reader) ([]byte, error) { return io.ReadAll(io.LimitReader(r, MaxFileBytes+1)) }
