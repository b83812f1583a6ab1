package rundir

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"mindroom/internal/supervise/wire"
)

// WriteIdentity replaces supervisor.json as a whole. It is not made durable against a power cut, on purpose: after one, nothing is left to find, and every
// launch would pay for it.
func (d Dir) WriteIdentity(id wire.Identity) error { return d.replace(identityName, id, false) }

// ReadIdentity returns supervisor.json; fs.ErrNotExist when the supervisor never came so far.
func (d Dir) ReadIdentity() (wire.Identity, error) {
	var id wire.Identity
	err := d.read(identityName, &id)
	if err == nil && id.Protocol != wire.Protocol {
		err = fmt.Errorf("%s is of protocol %d, this build speaks %d", identityName, id.Protocol, wire.Protocol)
	}
	return id, err
}

// WriteRecord writes exit.json, durable when it returns nil.
func (d Dir) WriteRecord(r wire.Record) error { return d.replace(recordName, r, true) }

// ReadRecord returns exit.json; fs.ErrNotExist when there is none yet.
func (d Dir) ReadRecord() (wire.Record, error) {
	var r wire.Record
	err := d.read(recordName, &r)
	if err == nil && r.Protocol != wire.Protocol {
		err = fmt.Errorf("%s is of protocol %d, this build speaks %d", recordName, r.Protocol, wire.Protocol)
	}
	return r, err
}

func (d Dir) read(name string, v any) error {
	b, err := os.ReadFile(d.path(name))
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, v); err != nil {
		return fmt.Errorf("read %s: %w", d.path(name), err)
	}
	return nil
}

// replace goes through a second file, so that a reader sees the old content or the new, never a part.
func (d Dir) replace(name string, v any, durable bool) error {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode %s: %w", name, err)
	}
	tmp := d.path(name + ".tmp")
	f, err := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	_, err = f.Write(append(b, '\n'))
	if err == nil && durable {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(tmp, d.path(name))
	}
	if err == nil && durable {
		err = d.sync()
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

// sync makes the folder's entries durable: without it the renamed file could be gone after a power cut although its content was written.
func (d Dir) sync() error {
	f, err := os.Open(string(d))
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
