package config

import (
	"strings"
	"testing"

	"mindroom/internal/config/format"
)

// exercise is a configuration in which every section that has an effect stands.
const exercise = `
models: {default: {provider: scripted, id: demo, extra_kwargs: {a: 1}}}
agents:
  watcher: {display_name: Watcher, rooms: [operations], private: {per: user}}
  plain: {display_name: Plain, delegate_to: [plain]}
teams: {desk: {display_name: Desk, role: Both, agents: [plain], rooms: [lobby]}}
cultures: {one: {agents: [plain]}}
rooms: {lobby: {}}
router: {}
memory: {backend: file}
mindroom_user: {}
authorization: {default_room_access: true, agent_reply_permissions: {'*': {users: ['*']}}}
tool_approval: {rules: [{match: x, action: deny, reason: no}, {match: y, script: y.py}]}
mcp_servers: {local: {command: x, args: [y]}, far: {url: "https://x.example", headers: {A: b}}}
tool_hooks: [{event: "tool:before_call", run: [x]}, {event: "tool:before_call", url: "https://x.example", secret_env: X}]
`

// TestEveryKeyIsRead holds that a key of the format either has an effect or says that it has none.
func TestEveryKeyIsRead(t *testing.T) {
	t.Parallel()
	read := map[*format.Key]bool{}
	c := compose("/config.yaml", []byte(exercise), nil)
	d := &decoder{file: "/config.yaml", dir: "/", catalog: toolkits(), told: map[string]int{}, again: map[string]int{},
		onRead: func(k *format.Key) { read[k] = true }}
	d.config(c.tree)
	if len(d.errs) > 0 {
		t.Fatal(d.errs)
	}
	seen := 0
	var object func(o *format.Object)
	object = func(o *format.Object) {
		for i := range o.Keys {
			k := &o.Keys[i]
			if k.Idle != "" || k.Removed != "" {
				continue
			}
			seen++
			if !read[k] {
				t.Errorf("%s.%s is in the format and nothing reads it", o.Name, k.Name)
			}
			shape := k.Shape
			if shape.Of != nil {
				shape = *shape.Of
			}
			if shape.Object != nil {
				object(shape.Object)
			}
		}
	}
	object(format.Root())
	if seen < 60 {
		t.Errorf("only %d keys were looked at", seen)
	}
}

// What has no effect is judged all the same, as deep as the format says what may stand there.
func TestSectionsWithoutEffectAreJudged(t *testing.T) {
	t.Parallel()
	cfg, warnings, err := Parse("config.yaml", []byte(minimal+`
matrix_space: {enabled: true, name: House}
matrix_sync: {mode: sliding, sliding_timeline_limit: 20}
prompts: {SYSTEM_PROMPT: "You are {name}."}
event_journal: {backend: postgres, database_url_env: JOURNAL}
debug: {log_llm_requests: true, llm_request_log_dir: logs}
plugins: [one, {path: two, enabled: false, settings: {a: 1}, hooks: [b]}]
knowledge_bases: {docs: {path: docs}}
cultures: {house: {description: Ours, agents: [watcher], mode: manual}}
voice: {enabled: true}
calls: []
external_trigger_policy: off
room_thread_summary_models: {operations: default}
memory:
  backend: none
  team_reads_member_memory: true
  file: {path: null, max_entrypoint_lines: 100}
  search: {mode: semantic, include: ["a/*.md"], include_entrypoint: true}
  embedder: {provider: openai, config: {model: m, credentials_service: s, api_key: k, host: h, dimensions: 3}}
  llm: {provider: x}
  auto_flush: {enabled: true, batch: 7, extractor: {no_reply_token: NONE, other: 1}}
defaults:
  markdown: false
  auto_resume_after_restart: false
  learning: false
  learning_mode: agentic
  tool_output_auto_save_threshold_bytes: 1
  compaction: {enabled: false, threshold_tokens: 5, replay_window_tokens: 5, reserve_tokens: 0, timeout_seconds: 0.5}
  compress_tool_results: true
  max_tool_calls_from_history: 0
  worker_grantable_credentials: [github]
  allow_self_config: true
  thread_summary_model: default
  thread_summary_temperature: 0
  thread_summary_first_threshold: 2
  thread_summary_subsequent_interval: 2
`), toolkits(), Env{})
	if err != nil {
		t.Fatal(err)
	}
	told := map[string]bool{}
	for _, w := range warnings {
		if told[w.Path] {
			t.Errorf("told twice: %v", w)
		}
		told[w.Path] = true
	}
	if want := 12 + 6 + 14; len(warnings) != want || cfg == nil {
		t.Errorf("%d warnings, want one for each of %d keys: %v", len(warnings), want, warnings)
	}
}

func TestReferencesOfSectionsWithoutEffect(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"window":          {"defaults: {compaction: {model: default}}", "config.yaml:5:32: defaults.compaction.model: the model default needs a context_window to be used here"},
		"fallback":        {"defaults: {compaction: {fallback_model: fast}}", `config.yaml:5:41: defaults.compaction.fallback_model: no model is called "fast"; allowed: default`},
		"team's agent":    {"teams: {t: {display_name: T, role: r, agents: [watchr]}}", `config.yaml:5:48: teams.t.agents[0]: no agent is called "watchr"; did you mean watcher? Allowed: watcher`},
		"team of nobody":  {"teams: {t: {display_name: T, role: r, agents: []}}", "config.yaml:5:47: teams.t.agents: must name at least one agent"},
		"two cultures":    {"cultures: {a: {agents: [watcher]}, b: {agents: [watcher]}}", "config.yaml:5:49: cultures.b.agents[0]: watcher belongs to a already; an agent has one culture at most"},
		"summary's model": {"defaults: {thread_summary_model: fast}", `config.yaml:5:34: defaults.thread_summary_model: no model is called "fast"; allowed: default`},
		"summary's room":  {"room_thread_summary_models: {attic: default}", `config.yaml:5:30: room_thread_summary_models.attic: no room is called "attic"; allowed: operations`},
	} {
		_, _, err := Parse("config.yaml", []byte(minimal+"\n"+c.text), toolkits(), Env{})
		if err == nil || err.Error() != c.want {
			t.Errorf("%s:\n got %v\nwant %s", name, err, c.want)
		}
	}
}

// One agent for each requester has no place in a team, nor has whoever may hand work to one.
func TestTeamsHaveNoPrivateMembers(t *testing.T) {
	t.Parallel()
	for members, want := range map[string]string{
		"[plain, self]": "",
		"[one]":         "agents[0]: one is private, one agent for each requester, and cannot belong to a team",
		"[plain, near]": "agents[1]: near may delegate, directly or through others, to one, which is private; such an agent cannot belong to a team",
		"[far]":         "agents[0]: far may delegate, directly or through others, to one, which is private; such an agent cannot belong to a team",
	} {
		_, _, err := Parse("config.yaml", []byte(`
models: {default: {provider: scripted, id: demo}}
agents:
  one: {display_name: One, private: {per: user}}
  plain: {display_name: Plain}
  self: {display_name: Self, delegate_to: [self, plain]}
  near: {display_name: Near, delegate_to: [one]}
  far: {display_name: Far, delegate_to: [far, self, near]}
teams: {t: {display_name: T, role: r, agents: `+members+`}}
`), toolkits(), Env{})
		if (err == nil) != (want == "") || err != nil && !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v", members, err)
		}
	}
}
