package script

import (
	"testing"

	"mindroom/internal/tool"
)

// The table of spec/scripts.md 6.8 (S63, S65, S69, S72, S79).
func TestJudgeInherited(t *testing.T) {
	t.Parallel()
	whole := inherited{
		kept: true, agent: true, tool: true, isolation: true, contract: true, attested: true, may: tool.Yes, worker: present, process: present,
	}
	for name, c := range map[string]struct {
		change func(*inherited)
		want   course
		reason Reason
	}{
		"all is as it was":               {func(*inherited) {}, adopt, ""},
		"no contract, as every local":    {func(f *inherited) { *f = inherited{} }, interrupt, ReasonRestart},
		"no contract, whatever is there": {func(f *inherited) { f.kept = false }, interrupt, ReasonRestart},
		"revoked before":                 {func(f *inherited) { f.settled = true }, settle, ""},
		"revoked before, no contract":    {func(f *inherited) { *f = inherited{settled: true} }, settle, ""},
		"revoked before, in doubt":       {func(f *inherited) { f.settled, f.worker = true, unseen }, settle, ""},
		"agent removed":                  {func(f *inherited) { f.agent, f.tool = false, false }, interrupt, ReasonAgentRemoved},
		"script tool removed":            {func(f *inherited) { f.tool = false }, interrupt, ReasonToolRemoved},
		"isolation changed":              {func(f *inherited) { f.isolation = false }, interrupt, ReasonIsolation},
		"a field of the contract":        {func(f *inherited) { f.contract = false }, interrupt, ReasonContract},
		"attestation removed":            {func(f *inherited) { f.attested = false }, interrupt, ReasonContract},
		"access lost":                    {func(f *inherited) { f.may = tool.No }, interrupt, ReasonAuthorisation},
		"worker gone":                    {func(f *inherited) { f.worker, f.process = absent, unseen }, interrupt, ReasonSupervisor},
		"handle unknown to its worker":   {func(f *inherited) { f.process = absent }, interrupt, ReasonSupervisor},
		"access cannot be told":          {func(f *inherited) { f.may = tool.CannotTell }, wait, ""},
		"worker cannot be reached":       {func(f *inherited) { f.worker, f.process = unseen, unseen }, wait, ""},
		"handle cannot be asked":         {func(f *inherited) { f.process = unseen }, wait, ""},
		"mismatch beside a doubt":        {func(f *inherited) { f.isolation, f.worker = false, unseen }, interrupt, ReasonIsolation},
		"worker gone beside a doubt":     {func(f *inherited) { f.worker, f.may = absent, tool.CannotTell }, interrupt, ReasonSupervisor},
		"ended meanwhile":                {func(f *inherited) { f.ended = true }, settle, ""},
		"ended, access lost":             {func(f *inherited) { f.ended, f.may = true, tool.No }, interrupt, ReasonAuthorisation},
	} {
		f := whole
		c.change(&f)
		if got, reason := f.judge(); got != c.want || reason != c.reason {
			t.Errorf("%s: %s %s, want %s %s", name, got, reason, c.want, c.reason)
		}
	}
}
