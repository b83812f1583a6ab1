package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"mindroom/internal/matrix"
	"mindroom/internal/matrix/seal"
	"mindroom/internal/store"
)

// encryption looks whether this build has it, whether the configuration wants it,
// and whether the keys of the accounts are where they were.
func (p *patient) encryption(ctx context.Context) []Finding {
	const check = "encryption"
	wanted := p.cfg.RoomAccess.EncryptManagedRooms
	for _, room := range p.cfg.Rooms {
		wanted = wanted || room.Encrypted != nil && *room.Encrypted
	}
	switch {
	case !seal.Included && wanted:
		return []Finding{{check, Fail, "the configuration wants encrypted rooms, and this build has no encryption", "use a build with it (make build)"}}
	case !seal.Included:
		return []Finding{{check, Warn, "this build has none: agents are silent in encrypted rooms", "use a build with it (make build)"}}
	}
	path := filepath.Join(p.set.ControlPath, "mindroom.db")
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return []Finding{{check, OK, "the first start makes the keys", ""}}
	}
	db, err := store.OpenReadOnly(ctx, path)
	if err != nil {
		return nil // the database's own line says so
	}
	defer db.Close()
	kept, err := matrix.Keepings(ctx, db, filepath.Join(p.set.ControlPath, "crypto"))
	if err != nil {
		return []Finding{{check, Warn, err.Error(), "start mindroom once: it brings the database up to date"}}
	}
	return judgeKeys(kept)
}

// judgeKeys tells what is wrong with the keys, worst first.
func judgeKeys(kept []matrix.Keeping) []Finding {
	const check = "encryption"
	var missing, exposed, unsigned []string
	for _, k := range kept {
		switch {
		case k.Missing:
			missing = append(missing, k.Account)
		case k.Exposed:
			exposed = append(exposed, k.Path)
		case !k.Recovery:
			unsigned = append(unsigned, k.Account)
		}
	}
	var out []Finding
	if len(missing) > 0 {
		out = append(out, Finding{check, Warn, "the crypto store is lost of " + strings.Join(missing, ", "),
			"restore the folder crypto of the control state from a backup; else the next start logs in as a new device, which cannot read what was said before"})
	}
	if len(exposed) > 0 {
		out = append(out, Finding{check, Warn, "others can read " + strings.Join(exposed, ", "), "chmod 600 the files: they hold keys"})
	}
	if len(unsigned) > 0 {
		out = append(out, Finding{check, Warn, "no recovery key is kept of " + strings.Join(unsigned, ", ") + ": others see the account as not verified",
			"start mindroom: it makes one, unless another program signed the account first"})
	}
	if len(out) == 0 {
		out = append(out, Finding{check, OK, fmt.Sprintf("the keys of %d accounts are there", len(kept)), ""})
	}
	return out
}
