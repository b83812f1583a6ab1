package turn

import (
	"strings"
	"testing"

	"mindroom/internal/approval"
	"mindroom/internal/config"
	"mindroom/internal/tool"
)

// An agent becomes private while a call of it waits: the approval was given for
// the folder that all share, so the call is not made in another (S16).
func TestAnApprovalIsForOneFolder(t *testing.T) {
	t.Parallel()
	policy := &changing{}
	policy.rule(func(string) tool.Verdict { return tool.Verdict{Kind: tool.Ask, Rule: "a rule"} })
	b := newAsking(t, "", func(p *Parts) { p.Room.Policy = policy })
	b.model.plays(calls("gated", `{"key":"a"}`), says("Done."))
	id := b.ask("$1", "do it")
	b.parks(id)
	text := strings.Replace(baseConfig, "display_name: Watcher", "private: {per: user}\n    display_name: Watcher", 1)
	cfg, _, err := config.Parse("config.yaml", []byte(text), b.engine.Room.Registry, config.Env{})
	must(t, err)
	if cfg.Agents["watcher"].Private == nil {
		t.Fatal("the agent is not private")
	}
	_, err = b.holder.Publish(cfg)
	must(t, err)
	b.decides(b.cards(id)[0].Ref, approval.Approved, "")
	b.ends(id, Answered)
	results := b.model.asked()[1].Messages[2].Results()
	if b.tools.times("a") != 0 || !strings.HasPrefix(results[0].Text, "not_available: the settings of probe.gated changed") {
		t.Errorf("ran %d times, the model reads %q", b.tools.times("a"), results[0].Text)
	}
}
