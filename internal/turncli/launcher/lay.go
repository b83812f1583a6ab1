package launcher

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// Folder is the name of the folder in the storage.
const Folder = "agent_cli_bin"

// one lays at a time, and remembers the program whose build was checked, so that it is started once and not before every shell.
var one struct {
	sync.Mutex
	path    string
	checked os.FileInfo
}

// Lay makes <storage>/agent_cli_bin what it must be and returns its path, which is absolute. It is called at the start and before each
// shell: a folder that is right costs a few looks at it. Its errors are *Error; with one, no shell may be given the folder.
func Lay(storage string) (dir string, err error) {
	one.Lock()
	defer one.Unlock()
	from, err := proven()
	if err != nil {
		return "", err
	}
	p, err := enter(storage, true)
	if err != nil {
		return "", err
	}
	defer p.leave()
	for _, step := range []func() error{p.private, p.alone, func() error { return p.hold(from) }} {
		if err := step(); err != nil {
			return "", p.fault(err)
		}
	}
	return p.dir, nil
}

// Inspect tells what Lay would fail with, and changes nothing: for who only looks, perhaps beside a running primary.
func Inspect(ctx context.Context, storage string) error {
	from, err := Locate()
	if err != nil {
		return err
	}
	if err := Check(ctx, from); err != nil {
		return err
	}
	p, err := enter(storage, false)
	if err != nil || p == nil {
		return err
	}
	p.leave()
	return nil
}

// proven is the program to lay, known to be of this build.
func proven() (string, error) {
	path, err := Locate()
	if err != nil {
		return "", err
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", &Error{Kind: KindMissing, Text: "the program was there and is not; install it again", Err: err}
	}
	if one.path == path && one.checked != nil && os.SameFile(info, one.checked) && same(info, one.checked) {
		return path, nil
	}
	if err := Check(context.Background(), path); err != nil {
		return "", err
	}
	one.path, one.checked = path, info
	return path, nil
}

// same tells whether two files are one content as far as a look can tell.
func same(a, b fs.FileInfo) bool { return a.Size() == b.Size() && a.ModTime().Equal(b.ModTime()) }

// place is the folder, open, so that what is done in it is done in this very folder whatever happens to its name.
type place struct {
	dir  string
	root *os.Root
	info fs.FileInfo
}

// enter opens the folder, which it makes if told to and else may miss: then it returns nil. It refuses what is no folder of ours.
func enter(storage string, create bool) (*place, error) {
	dir, err := filepath.Abs(filepath.Join(storage, Folder))
	if err != nil {
		return nil, &Error{Kind: KindFolder, Text: "the path of the storage cannot be told", Err: err}
	}
	p := &place{dir: dir}
	info, err := os.Lstat(dir)
	if os.IsNotExist(err) {
		if !create {
			return nil, nil
		}
		if err := os.Mkdir(dir, 0o700); err != nil {
			return nil, p.fault(err)
		}
		info, err = os.Lstat(dir)
	}
	switch {
	case err != nil:
		return nil, p.fault(err)
	case !info.IsDir():
		return nil, p.refuse("is no folder")
	case !ours(info):
		return nil, p.refuse("belongs to another account")
	}
	if p.root, err = os.OpenRoot(dir); err != nil {
		return nil, p.fault(err)
	}
	// Between the two looks the name may have been given to a link.
	if p.info, err = p.root.Stat("."); err != nil || !os.SameFile(info, p.info) {
		p.leave()
		return nil, p.refuse("changes while it is looked at")
	}
	return p, nil
}

// leave closes the folder; nothing was written through it that closing could lose.
func (p *place) leave() { _ = p.root.Close() }

func (p *place) refuse(what string) error {
	return &Error{Kind: KindFolder, Text: fmt.Sprintf("%s %s; remove it, and mindroom makes it anew", p.dir, what)}
}

func (p *place) fault(err error) error {
	return &Error{Kind: KindFolder, Text: fmt.Sprintf("%s cannot be laid out; see that its account may write in the storage", p.dir), Err: err}
}
