package script

import (
	"slices"
	"sort"
	"strings"

	"mindroom/internal/config"
	"mindroom/internal/tool"
)

// never are the toolkits no script can call, listed or not (S07), and the one that is
// part of the agent itself.
var never = map[string]bool{
	config.OwnToolkit: true,
	"browser":         true, "script": true, "compact_context": true, "delegate": true,
	"dynamic_tools": true, "dynamic_workflow": true, "memory": true, "self_config": true,
}

// neverPreapproved are the toolkits a list cannot preapprove (S08).
var neverPreapproved = map[string]bool{"claude_agent": true, "config_manager": true, "scheduler": true}

// Grant is what a launch captures: the functions a run may ever call, and those
// of them that run without a person (S09–S11, S14).
type Grant struct {
	Names       []tool.Name
	Preapprove  bool
	Unambiguous []tool.Name
}

// capture makes the grant of a launch from the agent's surface. With a list only
// its toolkits are granted; every name of the list must be a toolkit of the
// agent that scripts may use, whether or not it offers a function at the moment.
func capture(surface *tool.Surface, allowed []string) (Grant, error) {
	allowed = normalise(allowed)
	if err := checkAllowed(surface, allowed); err != nil {
		return Grant{}, err
	}
	g := Grant{Preapprove: len(allowed) > 0}
	for _, f := range surface.Functions() {
		if never[f.Name.Toolkit] || len(allowed) > 0 && !slices.Contains(allowed, f.Name.Toolkit) {
			continue
		}
		g.Names = append(g.Names, f.Name)
		if g.Preapprove && unambiguous(surface, f.Name, allowed) {
			g.Unambiguous = append(g.Unambiguous, f.Name)
		}
	}
	return g, nil
}

// unambiguous reports whether every toolkit of the agent that a script could
// reach under this bare name was listed and may be preapproved. Rules match bare
// names, so a name with one doubtful owner stays gated.
func unambiguous(surface *tool.Surface, name tool.Name, allowed []string) bool {
	for _, owner := range surface.Owners(name.Function) {
		if never[owner] {
			continue
		}
		if neverPreapproved[owner] || !slices.Contains(allowed, owner) {
			return false
		}
	}
	return true
}

func checkAllowed(surface *tool.Surface, allowed []string) error {
	var wrong, can []string
	for _, name := range allowed {
		if never[name] || !slices.Contains(surface.Toolkits(), name) {
			wrong = append(wrong, name)
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	for _, name := range surface.Toolkits() {
		if !never[name] {
			can = append(can, name)
		}
	}
	sort.Strings(wrong)
	return errorf(KindUnknownTools, "allowed_tools names what scripts of agent %s cannot use: %s. It takes toolkit names out of: %s",
		surface.Agent, strings.Join(wrong, ", "), strings.Join(can, ", "))
}

// normalise trims names, drops blanks, and keeps the first of duplicates.
func normalise(names []string) []string {
	var out []string
	for _, n := range names {
		if n = strings.TrimSpace(n); n != "" && !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}
