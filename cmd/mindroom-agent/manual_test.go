package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mindroom/internal/agentcli"
)

// TestHelpNeedsNothing holds that every help is there without an environment, in an empty folder, and is no JSON (C01).
func TestHelpNeedsNothing(t *testing.T) {
	t.Parallel()
	for _, h := range agentcli.Helps() {
		p := agent(t, nil, append(strings.Fields(h.Command)[1:], "--help")...)
		p.Env, p.Dir = []string{}, t.TempDir()
		o := p.run(t)
		o.holds(t, 0, h.Text)
		if o.errors != "" || !strings.Contains(o.out, "EXIT STATUS") || !strings.Contains(o.out, "EXAMPLES") {
			t.Errorf("%s: %s%s", h.Command, o.out, o.errors)
		}
	}
	agent(t, nil, "calls", "-h").run(t).holds(t, 0, "calls get", "calls wait")
}

// TestHelpSays holds what an agent that reads only the help must know (C29, spec/agentcli.md 1.1), and that the reference says it too.
func TestHelpSays(t *testing.T) {
	t.Parallel()
	help := strings.Join(strings.Fields(agentcli.Helps()[0].Text), " ")
	page, err := os.ReadFile("../../docs/reference/mindroom-agent.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, words := range []string{
		"tools list|search|describe|call", "calls get|wait", "context list|read",
		"while it is queued, running or waiting", "mindroom-agent context read interactive",
		"Under 'set -e'", "Do not chain the wait with &&", "calling again with a fresh id may repeat a side effect",
	} {
		if !strings.Contains(help, words) {
			t.Errorf("the help does not say %q", words)
		}
	}
	told := strings.Join(strings.Fields(string(page)), " ")
	for _, words := range []string{"under `set -e`", "never chain the wait with `&&`", "calling again with a fresh id may repeat a side effect", "check its own call id"} {
		if !strings.Contains(told, words) {
			t.Errorf("the reference does not say %q", words)
		}
	}
}

// TestBuildID holds that the program says which build it is of, without an environment.
func TestBuildID(t *testing.T) {
	t.Parallel()
	p := agent(t, nil, "--build-id")
	p.Env = []string{}
	p.run(t).holds(t, 0, agentcli.Build+"\n")
}

// TestSnippet runs the document's shell snippet as it stands, in the shells that agents have (C14).
func TestSnippet(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("jq"); err != nil {
		t.Skip("jq is not installed: the snippet reads receipts with it. Install it (apt-get install jq) and run this again")
	}
	snippet, err := os.ReadFile("testdata/snippet.sh")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../docs/reference/mindroom-agent.md")
	if err != nil {
		t.Fatal(err)
	}
	shown := "    " + strings.ReplaceAll(strings.TrimSpace(string(snippet)), "\n", "\n    ") + "\n"
	if !strings.Contains(string(page), shown) {
		t.Error("the reference shows another snippet")
	}
	const wait = "GET /api/agent-cli/calls/$ID?wait=20\n200 "
	for _, c := range []struct {
		name, play string
		status     int
		words      []string
	}{
		{"done at once", "POST *\n200 " + receipt("completed", "1") + "\n" + wait + receipt("completed", "1"), 0, []string{`"status":"completed"`}},
		{"pending, then waited for", "POST *\n200 " + receipt("running", "null") + "\nGET *\n401 {}\n" + wait + receipt("completed", "2"), 0,
			[]string{`"status":"running"`, `"outcome":2`}},
		{"waited for, and failed", "POST *\n200 " + receipt("waiting", "null") + "\nGET *\n401 {}\n" + wait + receipt("failed", `"denied"`), 1,
			[]string{`"status":"waiting"`, `"outcome":"denied"`}},
		{"failed at once", "POST *\n200 " + receipt("failed", `"no"`), 1, []string{`"outcome":"no"`}},
		{"refused", "POST *\n409 {\"detail\":\"no window\"}", 2, []string{"no window", "call_id"}},
		{"lost", "POST *\nclose", 4, []string{"call_id"}},
	} {
		for _, shell := range []string{"sh", "bash"} {
			t.Run(c.name+"/"+shell, func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				if err := os.WriteFile(filepath.Join(dir, "arguments.json"), []byte(`{"x": 1}`), 0o600); err != nil {
					t.Fatal(err)
				}
				d := play(t, c.play)
				p := prepare(t, append(d.environment(), "TOOLKIT=a", "FUNCTION=b"), shell, "-e", "-c", string(snippet))
				p.Dir = dir
				p.run(t).holds(t, c.status, c.words...)
			})
		}
	}
}
