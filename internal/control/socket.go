package control

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
)

// socketName is the socket's name in the control state folder.
const socketName = "control.sock"

// ErrNotRunning says that no primary answers on the socket.
var ErrNotRunning = errors.New("no running MindRoom answers on the control socket")

// at gives a short name to a path in dir: a Unix socket's own path may have at
// most 107 bytes, which a storage path easily exceeds.
func at(dir string, use func(path string) error) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	return use(filepath.Join("/proc/self/fd", strconv.Itoa(int(f.Fd())), socketName))
}

// listen opens the socket for the runtime's account alone. The store's lock
// makes sure that no other primary lives, so a socket that is there is stale.
func listen(dir string) (net.Listener, error) {
	if err := os.Remove(filepath.Join(dir, socketName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("control socket: %w", err)
	}
	var l net.Listener
	err := at(dir, func(path string) error {
		var err error
		l, err = net.Listen("unix", path)
		if err != nil {
			return err
		}
		// The path it was opened by is not there any more when it is closed.
		l.(*net.UnixListener).SetUnlinkOnClose(false)
		return os.Chmod(path, 0o600)
	})
	if err != nil {
		return nil, fmt.Errorf("control socket: %w", err)
	}
	return l, nil
}

func dial(ctx context.Context, dir string) (net.Conn, error) {
	var c net.Conn
	err := at(dir, func(path string) error {
		var err error
		c, err = (&net.Dialer{}).DialContext(ctx, "unix", path)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotRunning, err)
	}
	return c, nil
}
