package turn

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"mindroom/internal/config"
	"mindroom/internal/identity"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// Each question offers what the conversation has loaded by then; a call of what is
// not loaded says how to load it.
func TestLoadedTools(t *testing.T) {
	t.Parallel()
	var loaded atomic.Bool
	more := func(name, function string, run func()) tool.Toolkit {
		return tool.Toolkit{Name: name, Build: func(tool.Env) ([]tool.Function, error) {
			return []tool.Function{tool.Typed(tool.Spec{Name: function}, func(context.Context, tool.Invocation, struct{}) (any, error) {
				run()
				return function + " done", nil
			})}, nil
		}}
	}
	b := newBundle(t, "", func(p *Parts) {
		registry, err := tool.NewRegistry(more("mail", "send_mail", func() {}), more("dynamic_tools", "load_tool", func() { loaded.Store(true) }))
		must(t, err)
		cfg, _, err := config.Parse("config.yaml", []byte(strings.Replace(baseConfig, "[probe]", "[{name: mail, defer: true}]", 1)), registry, config.Env{})
		must(t, err)
		p.Config = config.NewHolder(cfg)
		p.Room.Registry, p.Room.Config = registry, p.Config
		p.Loaded = func(_ store.Queryer, _ *config.Snapshot, who identity.Execution) (map[string]bool, error) {
			return map[string]bool{"mail": loaded.Load() && who.Session == identity.SessionID(roomID, "$t")}, nil
		}
	})
	b.model.plays(calls("send_mail", `{}`), calls("load_tool", `{}`), calls("send_mail", `{}`), says("Sent."))
	id := b.askIn("$t", "$1", "write to her")
	b.ends(id, Answered)
	var offers []string
	for _, q := range b.model.asked() {
		var names []string
		for _, m := range q.Tools {
			names = append(names, m.Name)
		}
		offers = append(offers, strings.Join(names, "+"))
	}
	if got := strings.Join(offers, " "); got != "load_tool load_tool send_mail+load_tool send_mail+load_tool" {
		t.Errorf("the questions offered %s", got)
	}
	asked := b.model.asked()
	last := asked[len(asked)-1].Messages
	var results []string
	for _, m := range last {
		for _, p := range m.Parts {
			if p.Result != nil {
				results = append(results, p.Result.Text)
			}
		}
	}
	if got := strings.Join(results, "|"); !strings.Contains(got, "belongs to the toolkit mail, which is not loaded: call load_tool") || !strings.HasSuffix(got, "|load_tool done|send_mail done") {
		t.Errorf("results %s", got)
	}
	if !strings.Contains(asked[0].System, "load_tool loads one of mail") {
		t.Errorf("the prompt says nothing of mail:\n%s", asked[0].System)
	}
}
