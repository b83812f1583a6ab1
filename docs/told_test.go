package docs_test

import (
	"strings"
	"testing"
)

// What people must be told, wherever it stands on the page that is for it
// (S20, S38, S48, S56, S84, S88, M44).
func TestPeopleAreTold(t *testing.T) {
	t.Parallel()
	all := pages(t)
	const trade = "docs/explanation/minimal-mode.md"
	const trust, watcher, indeterminate = "docs/explanation/trust.md", "docs/how-to/write-a-watcher.md", "docs/explanation/indeterminate.md"
	for name, c := range map[string]struct {
		page  string
		words []string
	}{
		"scripts are trusted code (S20)":                     {trust, []string{"arbitrary program", "authority of `python` or `shell`"}},
		"the list bounds no program (S20)":                   {trust, []string{"`allowed_tools`", "does not restrict imports, files, operating system calls, subprocesses or network"}},
		"the README says so too (S20)":                       {"README.md", []string{"trusted code", "`allowed_tools` bounds", "MINDROOM_SANDBOX_EXECUTION_MODE=off"}},
		"local mode isolates nothing (S56)":                  {trust, []string{"`off`, `local` or `disabled`", "inherit its environment", "Nothing about this is isolation"}},
		"local mode is for trusted development (S88)":        {trust, []string{"trusted scripts in development"}},
		"a worker's environment and credentials (S48, S88)":  {trust, []string{"reads the environment an operator gives to workers", "no general boundary for secrets"}},
		"a worker is no network sandbox (S84, S88)":          {trust, []string{"not a network sandbox", "egress policy", "`allowed_tools` has no say"}},
		"the isolation flag makes none (S88)":                {trust, []string{"`MINDROOM_SCRIPT_GATEWAY_ISOLATED=true`", "makes no isolation"}},
		"keep the gateway's address (S88)":                   {trust, []string{"Keep the address of an isolated gateway the same over upgrades"}},
		"cancelling rolls nothing back (S88)":                {trust, []string{"cannot take back a side effect"}},
		"be edge-triggered (S88)":                            {watcher, []string{"act only on the difference"}},
		"save before sending (S88)":                          {watcher, []string{"written down *before* the message goes out"}},
		"checkpoint for a relaunch (S88)":                    {watcher, []string{"never started again by itself", "Checkpoint, for a relaunch on purpose"}},
		"a self-run from another context (S88)":              {watcher, []string{"`run_subagent`", "It is not built yet"}},
		"indeterminate is not repeated (S38)":                {indeterminate, []string{"do not repeat the call", "| not by itself |"}},
		"the SDK's page says it as well (S38)":               {"docs/reference/script-sdk.md", []string{"Never repeat such a call automatically"}},
		"the watcher's page says it as well (S38)":           {watcher, []string{"never repeat it by itself"}},
		"a checkpoint says what may be lost (S88)":           {"docs/how-to/checkpoint-a-watcher.md", []string{"never started again by itself", "does not send it again"}},
		"who can read a grant (M44)":                         {trade, []string{"Other code in the same worker can read the grant", "a copy of it works from any host that reaches MindRoom's API until it ends"}},
		"who shares a worker's trust (M44)":                  {trade, []string{"Agents and people who share a worker share its trust already"}},
		"a primary shell is trusted (M44)":                   {trade, []string{"A shell in the MindRoom process is fully trusted"}},
		"where rules and notes belong (M44)":                 {trade, []string{"Rules needed on every request belong in `minimal_instructions`; durable notes belong in the agent's memory"}},
		"what a smaller prompt proves (M44)":                 {trade, []string{"A smaller prompt alone proves neither lower cost nor better quality"}},
		"a backup holds secrets":                             {"docs/how-to/back-up-and-restore.md", []string{"every secret of the installation in the clear"}},
		"what a restore loses":                               {"docs/how-to/back-up-and-restore.md", []string{"is not answered again", "Never run two installations from one backup"}},
		"there is no way back without a backup":              {"docs/how-to/upgrade.md", []string{"forwards only", "Without a backup there is no way back"}},
		"the capability is not for reading or passing (S39)": {"docs/reference/script-sdk.md", []string{"Do not read or pass them on"}},
	} {
		text := strings.ToLower(strings.Join(strings.Fields(all[c.page]), " "))
		for _, words := range c.words {
			if !strings.Contains(text, strings.ToLower(words)) {
				t.Errorf("%s: %s does not say %q", name, c.page, words)
			}
		}
	}
}
