package config

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

// schemaFor is the schema as an editor reads it.
func schemaFor(t testing.TB, c Catalog) *jsonschema.Resolved {
	t.Helper()
	text, err := json.Marshal(Schema(c))
	if err != nil {
		t.Fatal(err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return resolved
}

// instance is a configuration as an editor sees it: its YAML with anchors followed, as JSON values.
func instance(t testing.TB, text string) any {
	t.Helper()
	c := compose("config.yaml", []byte(text), nil)
	if c.fault != nil || len(c.errs) > 0 {
		t.Fatal(c.fault, c.errs)
	}
	data, err := json.Marshal((&decoder{}).free(c.tree))
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// The schema takes the documents' examples and every file the loader takes (format's invariant 3).
func TestSchemaTakes(t *testing.T) {
	t.Parallel()
	schema := schemaFor(t, toolkits())
	for _, path := range glob(t, "testdata/accepted/*.yaml") {
		if err := schema.Validate(instance(t, string(read(t, path)))); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	for name, text := range map[string]string{
		"minimal": minimal,
		"nulls":   minimal + "teams:\nrooms: {lobby: }\nmemory:\ndefaults: {tools: , streaming: , worker_scope: }\nmindroom_user:\ntool_approval: {rules: }\n",
		"shorts":  minimal + "memory: none\nplugins: [p, {path: q}]\ndefaults: {tools: [shell, {website: }, {script: {max_runtime_hours: 0.5}}, {name: file, overrides: {include_tools: [a]}}]}\n",
		"taken back": minimal + "defaults: {tools: [{website: {follow: false}}]}\n" +
			"teams: {t: {display_name: T, role: '', agents: [watcher], num_history_runs: 1, num_history_messages: }}\n",
		"inherit":  strings.Replace(minimal, "rooms: [operations]", "tools: [{script: {max_concurrent_runs: __MINDROOM_INHERIT__}}]", 1),
		"deferred": strings.Replace(minimal, "rooms: [operations]", "tools: [{shell: {defer: true}}, {name: file, defer: true, initial: true}]", 1),
		"open":     minimal + "memory: {auto_flush: {batch: 7, extractor: {model: x}}}\nvoice: {anything: [1]}\n",
	} {
		if _, _, err := Parse("config.yaml", []byte(text), toolkits(), Env{}); err != nil {
			t.Errorf("%s: the loader refuses it: %v", name, err)
		}
		if err := schema.Validate(instance(t, text)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// bad are faults of shape, each in an otherwise right file: loader and schema refuse them both.
var bad = map[string]string{
	"unknown root key":        "agnets: {}",
	"not a mapping":           "models: 7",
	"missing id":              "models: {default: {provider: scripted}}",
	"provider":                "models: {default: {provider: antropic, id: demo}}",
	"unknown section key":     "router: {modell: default}",
	"nested unknown key":      "defaults: {streaming: {interval: 1}}",
	"word":                    "matrix_room_access: {mode: multi}",
	"number for text":         "mindroom_user: {display_name: 5}",
	"text for boolean":        "router: {accept_invites: 'yes'}",
	"zero":                    "defaults: {num_history_runs: 0}",
	"fraction":                "defaults: {num_history_runs: 1.5}",
	"not over zero":           "tool_approval: {timeout_days: 0}",
	"too many days":           "tool_approval: {timeout_days: 36501}",
	"both histories":          "defaults: {num_history_runs: 1, num_history_messages: 1}",
	"rule without action":     "tool_approval: {rules: [{match: x}]}",
	"rule with both":          "tool_approval: {rules: [{match: x, action: deny, script: a.py}]}",
	"rule without match":      "tool_approval: {rules: [{action: deny}]}",
	"null rule":               "tool_approval: {rules: [null]}",
	"item of a list":          "bot_accounts: [7]",
	"listed twice":            "bot_accounts: ['@a:b', '@a:b']",
	"user id":                 "authorization: {global_users: [alice]}",
	"user as a key":           "authorization: {aliases: {alice: []}}",
	"pattern":                 "authorization: {agent_reply_permissions: {'*': [alice]}}",
	"policy":                  "authorization: {agent_reply_permissions: {'*': yes}}",
	"policy's key":            "authorization: {agent_reply_permissions: {'*': {rooms: []}}}",
	"room key":                "rooms: {'#a:b': {}}",
	"local part":              "mindroom_user: {username: '@x'}",
	"unknown tool":            "defaults: {tools: [shel]}",
	"unknown tool, inline":    "defaults: {tools: [{shel: {}}]}",
	"unknown tool, long":      "defaults: {tools: [{name: shel}]}",
	"two tools in one":        "defaults: {tools: [{shell: {}, file: {}}]}",
	"setting":                 "defaults: {tools: [{script: {max_runtime: 1}}]}",
	"setting's kind":          "defaults: {tools: [{script: {max_concurrent_runs: many}}]}",
	"setting's limit":         "defaults: {tools: [{script: {max_concurrent_runs: 0}}]}",
	"setting, long":           "defaults: {tools: [{name: script, overrides: {max_concurrent_runs: 0}}]}",
	"deferred default":        "defaults: {tools: [{shell: {defer: true}}]}",
	"deferred default, long":  "defaults: {tools: [{name: shell, defer: true}]}",
	"list for a tool":         "defaults: {tools: [[shell]]}",
	"tools as text":           "defaults: {tools: shell}",
	"memory":                  "memory: disk",
	"memory's list":           "memory: [file]",
	"memory search":           "memory: {search: {mode: fuzzy}}",
	"embedder":                "memory: {embedder: {config: {size: 1}}}",
	"flush":                   "memory: {auto_flush: {enabled: maybe}}",
	"compaction both":         "defaults: {compaction: {threshold_tokens: 1, threshold_percent: 0.5}}",
	"compaction percent":      "defaults: {compaction: {threshold_percent: 70}}",
	"compaction key":          "defaults: {compaction: {percent: 0.7}}",
	"team's mode":             "teams: {t: {display_name: T, role: r, agents: [watcher], mode: vote}}",
	"team without agents":     "teams: {t: {display_name: T, role: r}}",
	"team's thread mode":      "teams: {t: {display_name: T, role: r, agents: [watcher], thread_mode: room}}",
	"team's name":             "teams: {my-team: {display_name: T, role: r, agents: [watcher]}}",
	"sync mode":               "matrix_sync: {mode: fast}",
	"space":                   "matrix_space: {enabled: 1}",
	"prompt's name":           "prompts: {system: text}",
	"prompt's text":           "prompts: {SYSTEM: [text]}",
	"journal":                 "event_journal: {backend: mysql}",
	"debug":                   "debug: {log: true}",
	"plugin without path":     "plugins: [{enabled: true}]",
	"plugin's key":            "plugins: [{path: p, hook: x}]",
	"MCP server":              "mcp_servers: {a: [1]}",
	"MCP server's name":       "mcp_servers: {a-b: {command: x}}",
	"MCP server of nothing":   "mcp_servers: {a: {args: [x]}}",
	"MCP server of both":      "mcp_servers: {a: {command: x, url: \"https://x.example\"}}",
	"MCP server's transport":  "mcp_servers: {a: {command: x, transport: sse}}",
	"MCP server's argument":   "mcp_servers: {a: {command: x, args: [1]}}",
	"culture's mode":          "cultures: {c: {mode: always}}",
	"culture's key":           "cultures: {c: {members: []}}",
	"room model":              "room_models: {operations: }",
	"thread summary":          "room_thread_summary_models: {operations: 7}",
	"coalescing":              "defaults: {coalescing: {debounce_ms: -1}}",
	"removed key of defaults": "defaults: {sandbox_tools: []}",
}

// instead is minimal with line in the place of the line of the same key, if it has one.
func instead(line string) (text string) {
	key, _, _ := strings.Cut(line, ":")
	for l := range strings.Lines(minimal) {
		if !strings.HasPrefix(l, key+":") {
			text += l
		}
	}
	return text + line + "\n"
}

func TestSchemaRefuses(t *testing.T) {
	t.Parallel()
	schema := schemaFor(t, toolkits())
	for name, line := range bad {
		text := instead(line)
		if schema.Validate(instance(t, text)) == nil {
			t.Errorf("%s: the schema takes %s", name, line)
		}
		if _, _, err := Parse("config.yaml", []byte(text), toolkits(), Env{}); err == nil {
			t.Errorf("%s: the loader takes %s", name, line)
		}
	}
	for name, keys := range map[string]string{
		"private and scope": "private: {per: user}, worker_scope: user",
		"private's per":     "private: {}",
		"knowledge":         "private: {per: user, knowledge: {chunk_size: 100}}",
		"thread mode":       "thread_mode: threads",
		"removed":           "memory_dir: x",
		"memory search":     "memory_search: {mode: x}",
		"worker tools":      "worker_tools: [shel]",
		"instructions":      "instructions: [7]",
		"rooms":             "rooms: ['two words']",
	} {
		text := strings.Replace(minimal, "display_name: Watcher", "display_name: Watcher, "+keys, 1)
		if name == "rooms" {
			text = strings.Replace(minimal, "rooms: [operations]", keys, 1)
		}
		if schema.Validate(instance(t, text)) == nil {
			t.Errorf("%s: the schema takes %s", name, keys)
		}
		if _, _, err := Parse("config.yaml", []byte(text), toolkits(), Env{}); err == nil {
			t.Errorf("%s: the loader takes %s", name, keys)
		}
	}
}

// FuzzSchema holds that an editor does not complain about what the loader takes (format's invariant 3). Words of YAML 1.1 for
// true and false are the difference that the schema is allowed.
func FuzzSchema(f *testing.F) {
	for _, path := range []string{"everything.yaml", "watcher.yaml", "deprecated.yaml"} {
		data, err := os.ReadFile(filepath.Join("testdata/accepted", path))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data))
	}
	for _, line := range bad {
		f.Add(minimal + line + "\n")
	}
	schema := schemaFor(f, toolkits())
	f.Fuzz(func(t *testing.T, text string) {
		if _, _, err := Parse("config.yaml", []byte(text), toolkits(), Env{}); err != nil {
			return
		}
		v := instance(t, text)
		if err := schema.Validate(v); err != nil && !oldWords(compose("config.yaml", []byte(text), nil).tree) {
			t.Errorf("the loader takes what the schema refuses: %v\n%s", err, text)
		}
	})
}

// oldWords tells whether a tree has a yes, no, on or off without quotes.
func oldWords(n *node) bool {
	for _, e := range n.entries {
		if oldWords(e.value) {
			return true
		}
	}
	for _, item := range n.items {
		if oldWords(item) {
			return true
		}
	}
	switch strings.ToLower(n.text) {
	case "yes", "no", "on", "off", "true", "false":
		return n.plain && n.tag == "!!str"
	}
	return false
}
