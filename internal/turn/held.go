package turn

import (
	"fmt"

	"mindroom/internal/media"
	"mindroom/internal/model"
	"mindroom/internal/store"
)

// Held lists the digests of files that turns which have not ended still need, and
// subagents that can be continued: a turn may be parked for longer than files are
// kept.
func Held(q store.Queryer) (digests []string, err error) {
	live := map[string]string{} // checkpoints by turn
	err = store.Each(q, func(rows *store.Rows) error {
		var id, checkpoint string
		err := rows.Scan(&id, &checkpoint)
		live[id] = checkpoint
		return err
	}, `SELECT turn_id, checkpoint FROM turns WHERE state IN ('clean', 'dirty', 'parked', 'ready', 'claimed')`)
	if err != nil {
		return nil, fmt.Errorf("files of turns: %w", err)
	}
	for id, checkpoint := range live {
		cp, err := decodeCheckpoint(checkpoint)
		if err != nil {
			continue // of another build: its end needs no file
		}
		for _, m := range cp.Messages {
			digests = append(digests, shownIn(m)...)
		}
		for _, c := range cp.Calls {
			digests = append(digests, c.files()...)
		}
		begun, err := begunCalls(q, id)
		if err != nil {
			return nil, err
		}
		for _, out := range begun {
			if out != nil {
				digests = append(digests, digestsOf(out.Media)...)
			}
		}
	}
	kept, err := heldBySubagents(q)
	return append(digests, kept...), err
}

var _ media.Holder = Held

func shownIn(m model.Message) (digests []string) {
	for _, p := range m.Parts {
		switch {
		case p.Kind == model.PartMedia:
			digests = append(digests, p.Media.Digest)
		case p.Kind == model.PartResult:
			digests = append(digests, digestsOf(p.Result.Media)...)
		}
	}
	return digests
}

// files are what the result of a call of an open batch holds so far.
func (c batchCall) files() (digests []string) {
	if c.Result != nil {
		digests = digestsOf(c.Result.Media)
	}
	if c.Paused != nil {
		digests = append(digests, digestsOf(c.Paused.whole().Media)...)
	}
	return digests
}

func digestsOf(refs []media.Ref) (digests []string) {
	for _, ref := range refs {
		digests = append(digests, ref.Digest)
	}
	return digests
}
