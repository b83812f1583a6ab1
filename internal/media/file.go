package media

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
)

// spoolPattern names files that are still being written.
const spoolPattern = "*.part"

// headBytes is how much of a file tells what it is.
const headBytes = 512

var digestForm = regexp.MustCompile(`^[0-9a-f]{64}$`)

// received is a file that is whole on the disk and has no name yet.
type received struct {
	path, digest string
	size         int64
	head         []byte
}

// receive writes r into a new file and makes sure of it. After an error nothing
// is left.
func (s *Store) receive(ctx context.Context, r io.Reader, name string) (got received, err error) {
	f, err := s.spool(s.Folder)
	if err != nil {
		return got, failed(name, err)
	}
	got.path = f.Name()
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(got.path))
		}
	}()
	sum, head := sha256.New(), &beginning{}
	source := &source{ctx: ctx, r: io.LimitReader(r, s.Max+1)}
	got.size, err = io.Copy(io.MultiWriter(f, sum, head), source)
	if err != nil && source.err == nil {
		err = failed(name, err)
	}
	if err == nil && got.size > s.Max {
		err = &Error{Kind: TooLarge, File: name}
	}
	if err == nil {
		if err = f.Sync(); err != nil {
			err = failed(name, err)
		}
	}
	if closed := f.Close(); err == nil && closed != nil {
		err = failed(name, closed)
	}
	got.digest, got.head = hex.EncodeToString(sum.Sum(nil)), head.Bytes()
	return got, err
}

// source tells the errors of a reader from those of the disk, and ends with its
// context.
type source struct {
	ctx context.Context
	r   io.Reader
	err error
}

func (s *source) Read(p []byte) (int, error) {
	if s.err = s.ctx.Err(); s.err != nil {
		return 0, context.Cause(s.ctx)
	}
	n, err := s.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n, err
}

// beginning keeps the first bytes of what is written to it.
type beginning struct{ bytes.Buffer }

func (b *beginning) Write(p []byte) (int, error) {
	if room := headBytes - b.Len(); room > 0 {
		b.Buffer.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

func (s *Store) path(digest string) string { return filepath.Join(s.Folder, digest[:2], digest) }

// shelve gives a received file its name. One that is there already has the same
// bytes, or is damaged and is healed by it.
func (s *Store) shelve(f received) error {
	to := s.path(f.digest)
	err := os.Mkdir(filepath.Dir(to), 0o700)
	if errors.Is(err, fs.ErrExist) {
		err = nil
	}
	if err == nil {
		err = os.Rename(f.path, to)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.path))
	}
	return errors.Join(syncFolder(filepath.Dir(to)), syncFolder(s.Folder))
}

func syncFolder(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// Load reads a whole file. The error is an *Error of kind Gone, Damaged or
// Unwritable; a Ref that never was of this store is Gone.
func (s *Store) Load(_ context.Context, ref Ref) ([]byte, error) {
	name := ref.Name
	if name == "" {
		name = ref.Digest
	}
	if !digestForm.MatchString(ref.Digest) {
		return nil, &Error{Kind: Gone, File: name}
	}
	raw, err := os.ReadFile(s.path(ref.Digest))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &Error{Kind: Gone, File: name}
	}
	if err != nil {
		return nil, failed(name, err)
	}
	if sum := sha256.Sum256(raw); hex.EncodeToString(sum[:]) != ref.Digest {
		return nil, &Error{Kind: Damaged, File: name}
	}
	return raw, nil
}
