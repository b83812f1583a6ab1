package script

import (
	"errors"
	"fmt"

	"mindroom/internal/identity"
	"mindroom/internal/worker"
)

// Trouble is why a run that has to end could not be settled at the last try, in
// words for an operator. It is tried again by every pass.
type Trouble struct {
	// What is in the way; Restore takes it out of the way.
	What    string `json:"what"`
	Restore string `json:"restore"`
}

// String is both as one sentence.
func (t Trouble) String() string { return t.What + ": " + t.Restore }

// Trouble is what keeps a run from being settled; nil for nothing.
func (m *Manager) Trouble(id identity.RunID) *Trouble {
	if lv := m.lookup(id); lv != nil {
		return lv.trouble.Load()
	}
	return nil
}

// note keeps why the last try to settle a run failed.
func (m *Manager) note(lv *live, err error) {
	if err == nil {
		lv.trouble.Store(nil)
		return
	}
	t := troubleOf(err, string(m.folder(lv.run.ID)))
	lv.trouble.Store(&t)
}

func troubleOf(err error, folder string) Trouble {
	var left *folderError
	var refused *Error
	switch {
	case errors.As(err, &left):
		return Trouble{fmt.Sprintf("its folder %s cannot be removed (%v)", folder, left.err),
			"make it and what is in it writable for the account of MindRoom, or remove it yourself"}
	case errors.Is(err, worker.ErrForeign):
		return Trouble{fmt.Sprintf("its processes belong to another worker backend (%v)", err),
			"restore the backend it was started with, and start MindRoom once with it"}
	case errors.As(err, &refused) && refused.Kind == KindUnconfirmed:
		return Trouble{fmt.Sprintf("its processes are not proven to be gone (%v)", refused.Err),
			fmt.Sprintf("end what still works for %s, or restart this machine", folder)}
	}
	return Trouble{fmt.Sprintf("its end cannot be stored (%v)", err), "free space where the control state lies, and make it writable"}
}
