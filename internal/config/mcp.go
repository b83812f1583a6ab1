package config

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"mindroom/internal/config/format"
)

// MCPServer is one server of mcp_servers. Package toolkit/mcp speaks to it. Exactly one of Command and URL is set.
type MCPServer struct {
	Name    string // its key; its toolkit is MCPToolkit(Name)
	Enabled bool
	Command string   // a program, absolute or to be searched in PATH
	Args    []string // its arguments
	Dir     string   // the folder Command starts in, absolute where the file's own path is
	// Env are Command's own variables, Headers those of every request to URL. ${NAME} in a value stands for a variable of the
	// environment and is not replaced here: the configuration holds no secret.
	Env, Headers map[string]string
	URL          string        // http or https, without credentials
	Prefix       string        // stands before each function's name; never empty
	Include      []string      // its tools that are taken; nil: all
	Exclude      []string      // its tools that are left out
	Startup      time.Duration // bounds a start and its listing; over 0
	Timeout      time.Duration // bounds one call; over 0
}

// MCPToolkit is the name of a server's toolkit (spec/runtime.md 6).
func MCPToolkit(server string) string { return "mcp_" + server }

// serverCatalog is a catalog that knows the toolkits of a file's own servers too. They have no settings.
type serverCatalog struct {
	Catalog
	toolkits []string
}

// offering adds the servers at n, the value of mcp_servers or nil, to a catalog.
func offering(catalog Catalog, n *node) Catalog {
	c := serverCatalog{Catalog: catalog}
	for _, e := range entries(n) {
		if name := MCPToolkit(e.key); serverToolkit.MatchString(name) {
			c.toolkits = append(c.toolkits, name)
		}
	}
	if c.toolkits == nil {
		return catalog
	}
	return c
}

var serverToolkit = regexp.MustCompile(format.ServerToolkitPattern)

func (c serverCatalog) Names() []string { return slices.Concat(c.Catalog.Names(), c.toolkits) }

func (c serverCatalog) Fields(toolkit string) ([]Field, bool) {
	if slices.Contains(c.toolkits, toolkit) {
		return nil, true
	}
	return c.Catalog.Fields(toolkit)
}

func (d *decoder) mcpServers(root *section) map[string]MCPServer {
	all := map[string]MCPServer{}
	for _, m := range root.members("mcp_servers") {
		all[m.entry.key] = d.mcpServer(m.entry.key, m.section)
	}
	return all
}

func (d *decoder) mcpServer(name string, s *section) MCPServer {
	m := MCPServer{
		Name: name, Enabled: s.boolean("enabled"), Command: s.text("command"), Args: s.texts("args"), Dir: d.dir, URL: s.text("url"),
		Env: d.placeholders(s, "env"), Headers: d.placeholders(s, "headers"), Prefix: s.text("tool_prefix"),
		Include: s.texts("include_tools"), Exclude: s.texts("exclude_tools"),
		Startup: s.span("startup_timeout_seconds", time.Second), Timeout: s.span("call_timeout_seconds", time.Second),
	}
	if m.Prefix == "" {
		m.Prefix = name
	}
	if v := s.get("command"); v != nil && strings.Contains(m.Command, "/") {
		m.Command = d.filePath(v, m.Command)
	}
	if v := s.get("cwd"); v != nil {
		m.Dir = d.filePath(v, v.text)
	}
	if v := s.get("url"); v != nil {
		d.serverURL(v)
	}
	own, other := []string{"args", "cwd", "env"}, "command"
	if m.Command != "" {
		own, other = []string{"headers"}, "url"
	}
	for _, key := range own {
		if v := s.get(key); v != nil {
			d.fail(v, "stands only beside %s", other)
		}
	}
	if v := s.get("transport"); v != nil && (v.text == format.TransportStdio) != (m.Command != "") {
		d.fail(v, "stdio stands beside command, streamable-http beside url")
	}
	for header := range m.Headers {
		if strings.ContainsAny(header, " \t\r\n:") || http.CanonicalHeaderKey(header) == "Host" {
			d.fail(s.get("headers"), "%q is no header that can be set", clip(header))
		}
	}
	return m
}

// serverURL judges an address.
func (d *decoder) serverURL(v *node) {
	u, err := url.Parse(v.text)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		d.fail(v, "must be an address such as https://tools.example.org/mcp")
	case u.User != nil:
		d.fail(v, "must hold no credentials; use headers")
	case u.Fragment != "":
		d.fail(v, "must have no fragment")
	}
}

// placeholders reads texts by name and tells variables in them that are not set.
func (d *decoder) placeholders(s *section, key string) map[string]string {
	all := map[string]string{}
	for _, e := range entries(s.get(key)) {
		all[e.key] = e.value.text
		if strings.ContainsAny(e.key, "=\x00") {
			d.fail(e.value, "%q is no name that can be set", clip(e.key))
		}
		for _, m := range placeholder.FindAllStringSubmatch(e.value.text, -1) {
			if d.env.Get(m[1]) == "" {
				d.warn(e.value.pos, e.value.path, "%s is not set; until it is, this server cannot be used", m[1])
			}
		}
	}
	return all
}

var placeholder = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)

// Fill replaces each ${NAME} in text by what get has for it; missing are the names that get has nothing for.
func Fill(text string, get func(string) string) (filled string, missing []string) {
	filled = placeholder.ReplaceAllStringFunc(text, func(m string) string {
		name := m[2 : len(m)-1]
		value := get(name)
		if value == "" {
			missing = append(missing, name)
		}
		return value
	})
	return filled, missing
}
