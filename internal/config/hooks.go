package config

import (
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"mindroom/internal/config/format"
)

// ToolHook is a program or a web address around tool calls. Package hooks runs it. Exactly one of Run and URL is set.
type ToolHook struct {
	Name      string        // for people; never empty
	After     bool          // it is told of ends; otherwise it is asked before a call
	Match     []string      // shell patterns over the function's name; never empty
	Run       []string      // the program, absolute or to be searched in PATH, and its arguments
	Dir       string        // the folder Run starts in: that of the configuration file
	URL       string        // http or https, without credentials
	Timeout   time.Duration // over 0
	AllowOn   bool          // a call goes on when no answer came; false denies it
	SecretEnv string        // variable with the secret that signs requests; empty: they are not signed
	Pos       Pos
}

func (d *decoder) toolHooks(root *section) []ToolHook {
	v := root.get("tool_hooks")
	if v == nil {
		return nil
	}
	object := root.key("tool_hooks").Shape.Of.Object
	var all []ToolHook
	for _, item := range v.items {
		all = append(all, d.toolHook(d.section(item, object)))
	}
	return all
}

func (d *decoder) toolHook(s *section) ToolHook {
	h := ToolHook{
		Name: s.text("name"), After: s.text("event") == format.AfterCall, Match: s.texts("match"), Run: s.texts("run"), Dir: d.dir, URL: s.text("url"),
		Timeout: s.span("timeout_seconds", time.Second), AllowOn: s.text("on_error") == "allow", SecretEnv: s.text("secret_env"), Pos: s.n.pos,
	}
	if h.Match == nil {
		h.Match = standard[[]string](s, "match")
	} else if len(h.Match) == 0 {
		d.fail(s.get("match"), "must have at least one pattern; leave it out to match every function")
	}
	if v := s.get("on_error"); v != nil && h.After {
		d.fail(v, "stands only beside event: %s: what is told after a call changes nothing", format.BeforeCall)
	}
	if v := s.get("secret_env"); v != nil && h.URL == "" {
		d.fail(v, "stands only beside url")
	} else if v != nil && d.env.Get(h.SecretEnv) == "" {
		d.warn(v.pos, v.path, "%s is not set; until it is, this hook fails", h.SecretEnv)
	}
	label := d.hookProgram(s, &h)
	if v := s.get("url"); v != nil {
		label = d.hookURL(v)
	}
	if h.Name == "" {
		h.Name = label
	}
	return h
}

// hookProgram finds where a program lies and what it is called.
func (d *decoder) hookProgram(s *section, h *ToolHook) string {
	v := s.get("run")
	switch {
	case v == nil:
		return ""
	case len(h.Run) == 0:
		d.fail(v, "must name a program")
		return ""
	case strings.Contains(h.Run[0], "/"):
		h.Run[0] = d.filePath(v.items[0], h.Run[0])
	}
	return filepath.Base(h.Run[0])
}

// hookURL judges an address and says what it is called: without its query, which may hold a secret.
func (d *decoder) hookURL(v *node) string {
	u, err := url.Parse(v.text)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		d.fail(v, "must be an address such as https://hooks.example.org/mindroom")
	case u.User != nil:
		d.fail(v, "must hold no credentials; use secret_env")
	case u.Fragment != "":
		d.fail(v, "must have no fragment")
	default:
		return u.Host + u.Path
	}
	return ""
}
