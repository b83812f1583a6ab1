package script_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"mindroom/internal/config"
	"mindroom/internal/lifecycle/step"
	"mindroom/internal/script"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// onlooker sees what a change has made durable by the time it is visible.
type onlooker struct{ commit func() }

func (onlooker) Prepare(_, _ *config.Snapshot) error { return nil }
func (o onlooker) Commit(_, _ *config.Snapshot)      { o.commit() }

// following is an opened house whose runs follow the configuration.
func following(t *testing.T, o options) *house {
	h := opened(t, o)
	h.holder.Join(h.Manager)
	return h
}

var (
	withoutWatcher = strings.Replace(houseYAML, "  watcher:", "  keeper:", 1)
	privateWatcher = strings.Replace(houseYAML, "display_name: Watcher", "display_name: Watcher\n    private: {per: user_agent}", 1)
)

// S16, S65: what may not live under the new configuration is revoked durably
// before anybody sees it; what may, goes on; and only then processes end.
func TestReloadRevokesFirst(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		yaml   string
		reason script.Reason
	}{
		"agent removed":     {withoutWatcher, script.ReasonAgentRemoved},
		"isolation changed": {privateWatcher, script.ReasonIsolation},
		"tool removed":      {strings.Replace(houseYAML, "[script, probe, second", "[probe, second", 1), script.ReasonToolRemoved},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := following(t, options{})
			doomed := h.start(sleeper)
			req := request(t, sleeper)
			req.Who.Agent = "other"
			spared, err := h.Launch(t.Context(), req)
			must(t, err)
			client := h.client(doomed)
			h.holder.Join(onlooker{func() {
				r, err := h.Find(t.Context(), string(doomed.ID))
				if err != nil || !r.Revoked() || r.State.Terminal() || r.Reason != c.reason {
					t.Errorf("when the change is visible the run is %s, revoked %v (%s), %v", r.State, r.Revoked(), r.Reason, err)
				}
				if a := client.call("late", "echo", `{"text":"x"}`); a.status != 404 {
					t.Errorf("a call of the revoked run is answered with %d", a.status)
				}
			}})
			h.publish(c.yaml)
			h.Pass(t.Context())
			if end := h.terminal(doomed.ID); end.State != script.Interrupted || end.Reason != c.reason {
				t.Errorf("state %s, reason %s", end.State, end.Reason)
			}
			if r, err := h.Find(t.Context(), string(spared.ID)); err != nil || r.Revoked() {
				t.Errorf("another agent's run is revoked: %s, %v", r.Reason, err)
			}
		})
	}
}

// A change of authorization asks for a definite yes: what cannot be told is a no.
func TestReloadOfAuthorization(t *testing.T) {
	t.Parallel()
	h := following(t, options{})
	run := h.start(sleeper)
	h.authority.set(tool.CannotTell)
	h.publish(strings.Replace(houseYAML, "Watcher", "Another name", 1))
	if r, err := h.Find(t.Context(), string(run.ID)); err != nil || r.Revoked() {
		t.Fatalf("a change that leaves authorization alone ended the run: %s, %v", r.Reason, err)
	}
	h.publish(strings.Replace(houseYAML, "default_room_access: true", "global_users: ['"+anna+"']", 1))
	h.Pass(t.Context())
	if end := h.terminal(run.ID); end.Reason != script.ReasonAuthorisation {
		t.Errorf("reason %s", end.Reason)
	}
}

// A revocation that cannot be written refuses the change: the old configuration
// stays, the run goes on, and launches are admitted again.
func TestReloadThatCannotRevoke(t *testing.T) {
	t.Parallel()
	h := following(t, options{})
	run := h.start(sleeper)
	before := h.holder.Current()
	full := h.fills(store.Full, 1)
	_, err := h.holder.Publish(load(t, h.registry, withoutWatcher))
	if !h.freed(full) || !errors.As(err, new(*store.Error)) || h.holder.Current() != before {
		t.Fatalf("published %v, %v", h.holder.Current() != before, err)
	}
	if r, err := h.Find(t.Context(), string(run.ID)); err != nil || r.State != script.Running || r.Revoked() {
		t.Errorf("the run is %s, %v", r.State, err)
	}
	h.start(sleeper)
}

// A launch that comes while a change is decided waits for it, so that none is
// missed: the agent that goes takes no run with it.
func TestLaunchWaitsForReload(t *testing.T) {
	t.Parallel()
	h := following(t, options{})
	h.start(sleeper)
	refused := make(chan error, 1)
	h.onStep(step.RunRevoked, func() {
		h.onStep(step.RunRevoked, func() {})
		begun := make(chan struct{})
		go func() {
			close(begun)
			_, err := h.Launch(t.Context(), request(t, sleeper))
			refused <- err
		}()
		<-begun
	})
	h.publish(withoutWatcher)
	var e *script.Error
	if err := <-refused; !errors.As(err, &e) || e.Kind != script.KindNoContext {
		t.Errorf("a launch for the agent that went: %v", err)
	}
	h.settled()
}

// Only what a call depends on is compared: reloads that have nothing to do with
// it refuse none of the calls that are made throughout (S65, S87).
func TestCallsThroughoutReloads(t *testing.T) {
	t.Parallel()
	h := following(t, options{})
	run := h.start(`
import sys
from mindroom.script_sdk import MindRoomTools
tools = MindRoomTools()
n = 0
while tools.call("probe", "value", value=n) is not None:
    n += 1
    if tools.call("probe", "echo", text="on") != "on":
        sys.exit(3)
    if n >= 150:
        break
`)
	reloads := 0
	for done := false; !done || reloads < 100; reloads++ {
		yaml := strings.Replace(houseYAML, "display_name: Watcher", fmt.Sprintf("display_name: Watcher\n    role: 'role %d'\n    rooms: [r%d]", reloads, reloads%3), 1)
		yaml += fmt.Sprintf("tool_approval: {rules: [{match: unrelated_%d, action: deny}]}\n", reloads)
		if reloads%2 == 0 {
			yaml = strings.Replace(yaml, "  other:", "  extra:", 1)
		}
		h.publish(yaml)
		r, err := h.Find(t.Context(), string(run.ID))
		must(t, err)
		done = r.State.Terminal()
		time.Sleep(time.Millisecond) // what is asked is that both go on, not how fast
		if reloads > 100_000 {
			t.Fatal("the script never ends")
		}
	}
	end := h.terminal(run.ID)
	if end.State != script.Exited {
		t.Errorf("after %d reloads: %s (%s)", reloads, end.State, end.Error)
	}
	standing, err := h.Standing(t.Context(), run.ID)
	must(t, err)
	if standing.Completed < 300 || standing.Failed+standing.Indeterminate > 0 {
		t.Errorf("calls: %+v", standing)
	}
}
