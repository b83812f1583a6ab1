package approval

import (
	"testing"

	"mindroom/internal/tool"
)

// What might ask is told without arguments: a function that asks by itself, one
// that a rule asks about, one that a script looks at, and everything where that is
// the default (M12, M17). A deny asks nobody.
func TestMight(t *testing.T) {
	t.Parallel()
	fn := func(name string, confirm bool) *tool.Function {
		return &tool.Function{Name: tool.Name{Toolkit: "kit", Function: name}, Confirm: confirm}
	}
	for _, c := range []struct {
		config string
		f      *tool.Function
		want   bool
	}{
		{"{default: auto_approve}", fn("look", false), false},
		{"{default: require_approval}", fn("look", false), true},
		{"{default: auto_approve}", fn("look", true), true},
		{"{default: auto_approve, rules: [{match: look, action: require_approval}]}", fn("look", false), true},
		{"{default: require_approval, rules: [{match: look, action: auto_approve}]}", fn("look", false), false},
		{"{default: require_approval, rules: [{match: 'l*', action: deny}]}", fn("look", false), false},
		{"{default: auto_approve, rules: [{match: look, script: check.star}]}", fn("look", false), true},
	} {
		if got := (Rules{}).Might(snapshot(t, c.config), c.f); got != c.want {
			t.Errorf("%s: %s might ask: %v", c.config, c.f.Name.Function, got)
		}
	}
	if !(Rules{}).Might(nil, fn("look", false)) {
		t.Error("without a configuration nothing might ask")
	}
}
