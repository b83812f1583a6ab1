package mode

import (
	"context"
	"errors"
	"strings"
	"testing"

	"mindroom/internal/config"
	"mindroom/internal/tool"
)

// kits are a shell as the product has it, one that needs a key, and another toolkit.
func kits(t *testing.T) *tool.Registry {
	t.Helper()
	function := func(name string) tool.Function {
		return tool.Typed(tool.Spec{Name: name}, func(context.Context, tool.Invocation, struct{}) (any, error) { return "", nil })
	}
	r, err := tool.NewRegistry(
		tool.Toolkit{Name: "shell", Fields: []config.Field{{Name: "prefix", Kind: config.KindString}}, Build: func(e tool.Env) ([]tool.Function, error) {
			if p := e.Settings.String("prefix"); p != "" {
				return nil, errors.New("no folder " + p)
			}
			return []tool.Function{function("run_shell_command"), function("check_shell_command"), function("kill_shell_command")}, nil
		}},
		tool.Toolkit{Name: "web", Build: func(tool.Env) ([]tool.Function, error) { return []tool.Function{function("run_shell_command")}, nil }},
		tool.Toolkit{Name: "broken", Build: func(tool.Env) ([]tool.Function, error) { return nil, errors.New("no key") }},
	)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func kinds(problems []Problem) string {
	var all []string
	for _, p := range problems {
		all = append(all, string(p.Kind))
	}
	return strings.Join(all, " ")
}

// M07, M15, M29, M30: every combination of what an agent and a deployment may lack.
func TestRequirements(t *testing.T) {
	t.Parallel()
	good := Deployment{API: true, EnvFile: "/srv/.env"}
	for name, c := range map[string]struct {
		agent, defaults string
		d               Deployment
		minimal, cli    string
	}{
		"everything is there":          {`tools: [shell], memory_backend: file`, ``, good, "", ""},
		"a private agent":              {`tools: [shell], private: {per: user}`, ``, good, "", ""},
		"the shell of defaults":        {`memory_backend: file`, `tools: [shell]`, good, "", ""},
		"only what Bash needs":         {`tools: [{shell: {include_tools: [run_shell_command]}}], memory_backend: file`, ``, good, "", ""},
		"another toolkit is broken":    {`tools: [broken, shell], memory_backend: file`, ``, good, "", ""},
		"no workspace":                 {`tools: [shell]`, ``, good, "no_workspace", ""},
		"no shell":                     {`tools: [web], memory_backend: file`, ``, good, "no_shell", "no_shell"},
		"defaults are refused":         {`memory_backend: file, include_default_tools: false`, `tools: [shell]`, good, "no_shell", "no_shell"},
		"a shell that does not load":   {`tools: [{shell: {prefix: /secret/place}}], memory_backend: file`, ``, good, "shell_faulty", "shell_faulty"},
		"not included":                 {`tools: [{shell: {include_tools: [kill_shell_command]}}], memory_backend: file`, ``, good, "shell_hidden", "shell_hidden"},
		"excluded by defaults":         {`tools: [shell], memory_backend: file`, `tools: [{shell: {exclude_tools: [run_shell_command]}}]`, good, "shell_hidden", "shell_hidden"},
		"only a namesake":              {`tools: [web, {shell: {exclude_tools: [run_shell_command]}}], memory_backend: file`, ``, good, "shell_hidden", "shell_hidden"},
		"no API":                       {`tools: [shell], memory_backend: file`, ``, Deployment{}, "no_api", "no_api"},
		"no API hides the program":     {`tools: [shell], memory_backend: file`, ``, Deployment{AgentCLI: errors.New("x")}, "no_api", "no_api"},
		"no program":                   {`tools: [shell], memory_backend: file`, ``, Deployment{API: true, AgentCLI: errors.New("no file /opt/x")}, "no_cli", "no_cli"},
		"nothing at all, all at once":  {`tools: [web]`, ``, Deployment{}, "no_shell no_workspace no_api", "no_shell no_api"},
		"hidden, homeless, no program": {`tools: [{shell: {exclude_tools: [run_shell_command]}}]`, ``, Deployment{API: true, AgentCLI: errors.New("x")}, "shell_hidden no_workspace no_cli", "shell_hidden no_cli"},
		"mem0 is file memory":          {`tools: [shell], memory_backend: mem0`, ``, good, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := kits(t)
			file := "models: {default: {provider: scripted, id: demo}}\nagents: {helper: {display_name: Helper, " + c.agent + "}}\ndefaults: {" + c.defaults + "}\n"
			parsed, _, err := config.Parse("config.yaml", []byte(file), r, config.Env{})
			if err != nil {
				t.Fatal(err)
			}
			snap := &config.Snapshot{Number: 1, Config: parsed}
			surface, err := r.Surface(snap, "helper")
			if err != nil {
				t.Fatal(err)
			}
			minimal := Requirements(snap, surface, c.d)
			if got := kinds(minimal); got != c.minimal {
				t.Errorf("minimal mode lacks %q, want %q", got, c.minimal)
			}
			if got := kinds(CLI(snap, surface, c.d)); got != c.cli {
				t.Errorf("the CLI lacks %q, want %q", got, c.cli)
			}
			for _, p := range minimal {
				if strings.Contains(p.Text, "/secret") || strings.Contains(p.Text, "/opt") || !strings.Contains(p.Text, ": ") || !strings.HasSuffix(p.Text, ".") {
					t.Errorf("%s reads %q", p.Kind, p.Text)
				}
				if deployed := p.Kind == NoAPI || p.Kind == NoCLI; p.Env != deployed {
					t.Errorf("%s: Env is %v", p.Kind, p.Env)
				}
				if faulty := p.Kind == ShellFaulty || p.Kind == NoCLI; (p.Err != nil) != faulty {
					t.Errorf("%s: Err is %v", p.Kind, p.Err)
				}
			}
			if lines := strings.Count(Bullets(minimal), "- "); lines != len(minimal) {
				t.Errorf("%d lines for %d problems", lines, len(minimal))
			}
		})
	}
}
