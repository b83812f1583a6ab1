package main

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"sync"

	"mindroom/internal/script"
	"mindroom/internal/store"
	"mindroom/test/rig"
)

// churn launches and ends short scripts until over ends. The returned function
// waits for those under way, each of which is carried to its end.
func (h *house) churn(ctx, over context.Context) (wait func()) {
	var all sync.WaitGroup
	for range h.plan.Churners {
		all.Go(func() {
			for over.Err() == nil {
				// One rotation for all rounds and churners: in however short a round, the
				// next act is another one.
				a := acts[int(h.played.Add(1)-1)%len(acts)]
				if err := h.play(ctx, a); err != nil && ctx.Err() == nil {
					h.wrong("the script %s: %v", a.script, err)
					return
				}
			}
		})
	}
	return all.Wait
}

// play carries one short script from its launch to its end and compares what is
// left of it.
func (h *house) play(ctx context.Context, a act) error {
	run, err := h.launch(ctx, a.script)
	if err != nil {
		return err
	}
	id := string(run.ID)
	if a.cancel {
		if !a.atOnce {
			err := h.until(ctx, "the script makes a call", func() (bool, error) { return len(h.kit.marks(id)) > 2, nil })
			if err != nil {
				return err
			}
		}
		if _, err := h.rig.Manager.Cancel(ctx, rig.Owner(owner), id, false); err != nil {
			return err
		}
		h.cancelled.Add(1)
	}
	err = h.until(ctx, "the run is terminal", func() (bool, error) {
		run, err = h.rig.Manager.Find(ctx, id)
		return err == nil && run.State.Terminal(), err
	})
	if err != nil {
		return err
	}
	return h.looked(ctx, run, a)
}

// looked holds a short run to its end and to its receipts; later it is pruned.
func (h *house) looked(ctx context.Context, run *script.Run, a act) error {
	if !slices.Contains(a.want, run.State) {
		h.wrong("run %s of the script %s is %s (%s %s), want %v", run.ID, a.script, run.State, run.Reason, run.Error, a.want)
	}
	output, err := h.rig.Manager.Output(ctx, run, -1)
	if err != nil {
		return err
	}
	text := output.Text
	if a.cancel { // it may have been ended in the middle of a line, or of its imports
		text = whole(text)
	}
	t, err := tell(text, false)
	if err != nil {
		return err
	}
	var b book
	err = h.rig.DB.Read(ctx, func(q *store.Reader) (err error) {
		b, err = read(q, run.ID)
		return err
	})
	if err != nil {
		return err
	}
	for _, wrong := range check(t, h.kit.marks(string(run.ID)), b) {
		h.wrong("run %s of the script %s: %s", run.ID, a.script, wrong)
	}
	h.checked.Add(int64(len(b.receipts)))
	h.kit.drop(string(run.ID))
	return nil
}

// callLine is a complete line about calls. A script that is told to end in the
// middle of one writes its traceback behind the piece.
var callLine = regexp.MustCompile(`^(seen \d+ \d+|failed \d+ \w+)\n$`)

// whole are the complete lines about calls in an output that ended anywhere.
func whole(text string) string {
	var kept []string
	for l := range strings.Lines(text) {
		if callLine.MatchString(l) {
			kept = append(kept, l)
		}
	}
	return strings.Join(kept, "")
}
