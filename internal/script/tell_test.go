package script_test

import (
	"encoding/json"
	"strings"
	"testing"

	"mindroom/internal/chat"
	"mindroom/internal/message"
	"mindroom/internal/script"
	"mindroom/internal/store"
)

// said are the deliveries about runs: what is told of each, by delivery id.
func (h *house) said() map[string]chat.Delivery {
	h.t.Helper()
	all := map[string]chat.Delivery{}
	must(h.t, h.db.Read(h.t.Context(), func(q *store.Reader) error {
		clear(all)
		var ids []string
		err := store.Each(q, func(rows *store.Rows) error {
			var id string
			err := rows.Scan(&id)
			ids = append(ids, id)
			return err
		}, `SELECT id FROM chat_deliveries WHERE id LIKE 'script:%'`)
		for _, id := range ids {
			d, getErr := chat.Get(q, id)
			if getErr != nil {
				return getErr
			}
			all[id] = d
		}
		return err
	}))
	return all
}

// The conversation is told what its launch asked for, once, in the agent's name,
// as a notice that wakes nobody and that no model reads.
func TestEndsAreTold(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		source string
		notify []string
		end    func(h *house, run *script.Run)
		want   []string // parts of the notice; nil: nothing is told
		state  script.State
	}{
		"failed":             {"print('before')\nraise SystemExit(3)", []string{"failed", "interrupted"}, nil, []string{"❌", "“page watcher”", "exit code 3", "before", "what the script wrote"}, script.Failed},
		"failed, not asked":  {"raise SystemExit(3)", []string{"interrupted"}, nil, nil, script.Failed},
		"nobody is told":     {"raise SystemExit(3)", nil, nil, nil, script.Failed},
		"ended":              {"print('`done`')", []string{"exited"}, nil, []string{"✅", "ended.", "Its last line: `'done'`"}, script.Exited},
		"ended, not asked":   {"print('done')", []string{"failed", "interrupted"}, nil, nil, script.Exited},
		"cancelled":          {sleeper, []string{"cancelled"}, func(h *house, run *script.Run) { _, _ = h.Cancel(h.t.Context(), owner(anna), string(run.ID), true) }, []string{"🛑", "cancelled by its owner"}, script.Cancelled},
		"interrupted":        {sleeper, []string{"interrupted"}, func(h *house, _ *script.Run) { h.publish(withoutWatcher) }, []string{"⚠️", "owning agent was removed", "administers"}, script.Interrupted},
		"interrupted, quiet": {sleeper, []string{"failed"}, func(h *house, _ *script.Run) { h.publish(withoutWatcher) }, nil, script.Interrupted},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := following(t, options{})
			req := request(t, c.source)
			req.Name, req.Notify = "page watcher", c.notify
			run, err := h.Launch(t.Context(), req)
			must(t, err)
			if c.end != nil {
				c.end(h, run)
				h.Pass(t.Context())
			}
			if end := h.terminal(run.ID); end.State != c.state {
				t.Fatalf("the run is %s: %s", end.State, end.Error)
			}
			h.Pass(t.Context())
			said := h.said()
			d, ok := said["script:"+string(run.ID)+":"+string(c.state)]
			if ok != (c.want != nil) || len(said) > 1 {
				t.Fatalf("told: %v", said)
			}
			if !ok {
				return
			}
			var content map[string]any
			must(t, json.Unmarshal(d.Content, &content))
			body, _ := content["body"].(string)
			for _, part := range append(c.want, string(run.ID)) {
				if !strings.Contains(body, part) {
					t.Errorf("it does not say %q: %s", part, body)
				}
			}
			if content["msgtype"] != "m.notice" || content[message.KeySkipMentions] != true || content[message.KeyProgram] == nil ||
				d.Account != "@mindroom_watcher:example.org" || d.Room != room || d.ThreadRoot != thread {
				t.Errorf("told by %s in %s %s: %v", d.Account, d.Room, d.ThreadRoot, content)
			}
		})
	}
}

// A run that waits for a person says so, with the question.
func TestWaitingIsTold(t *testing.T) {
	t.Parallel()
	h := opened(t, options{asking: true})
	req := request(t, "from mindroom.script_sdk import MindRoomTools\nMindRoomTools().call('probe', 'confirm')")
	req.Notify = []string{script.Waiting}
	run, err := h.Launch(t.Context(), req)
	must(t, err)
	h.passes("the conversation is told", func() bool { return len(h.said()) > 0 })
	for id, d := range h.said() {
		if !strings.HasPrefix(id, "script:"+string(run.ID)+":waiting:") || !strings.Contains(string(d.Content), "confirm") || !strings.Contains(string(d.Content), anna) {
			t.Errorf("%s: %s", id, d.Content)
		}
	}
	_, err = h.Cancel(t.Context(), owner(anna), string(run.ID), true)
	must(t, err)
}
