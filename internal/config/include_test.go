package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// files makes those of a configuration's folder, by their names.
func files(all map[string]string) fstest.MapFS {
	m := fstest.MapFS{}
	for name, text := range all {
		m[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return m
}

// composeFiles judges config.yaml among files that lie in /etc/mindroom.
func composeFiles(all fs.FS) (*Config, Warnings, error) {
	data, err := fs.ReadFile(all, "config.yaml")
	if err != nil {
		return nil, nil, err
	}
	return compose("/etc/mindroom/config.yaml", data, all).judge(toolkits(), Env{})
}

const includingEverything = `models: !include models.yaml
agents: !include_dir_named agents
authorization: {default_room_access: true}
rooms: !include_dir_merge_named rooms
tool_approval:
  rules: !include_dir_merge_list rules
teams: !include_dir_named teams
plugins: !include_dir_list plugins
`

func everythingIncluded() map[string]string {
	return map[string]string{
		"config.yaml":         includingEverything,
		"models.yaml":         "default: &m {provider: scripted, id: demo}\nother: *m\n",
		"agents/watcher.yaml": "display_name: Watcher\nrooms: [operations]\nrole: !include_text prose.md\n",
		"agents/prose.md":     "Watch.\n",
		"agents/b/helper.yml": "<<: !include base.yaml\ninstructions:\n  - !include_text role.md\n",
		"agents/b/_base.yaml": "never read: [",
		"agents/b/role.md":    "Be kind.\n",
		"agents/b/base.yaml":  "display_name: Base\n",
		"agents/.draft.yaml":  "never read: [",
		"agents/README":       "not YAML: [",
		"rooms/1.yaml":        "operations: {encrypted: false}\n",
		"rooms/2.yaml":        "",
		"rooms/sub/3.yaml":    "lobby: {description: All}\n",
		"rules/a.yaml":        "- {match: a, action: deny}\n- {match: b, action: deny}\n",
		"rules/b.yaml":        "!include_dir_merge_list _more\n",
		"rules/_more/c.yaml":  "- {match: c, action: deny}\n",
		"rules/c.yaml":        "- {match: d, action: deny}\n",
		"teams/x.yaml":        "{display_name: X, role: '', agents: [watcher]}",
		"plugins/one.yaml":    "first\n",
		"plugins/two.yaml":    "{path: second, enabled: false}\n",
	}
}

func TestIncludes(t *testing.T) {
	t.Parallel()
	c, _, err := composeFiles(files(everythingIncluded()))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"base", "helper", "watcher"}, c.AgentNames()); diff != "" {
		t.Error(diff)
	}
	helper, watcher := c.Agents["helper"], c.Agents["watcher"]
	if helper.DisplayName != "Base" || helper.Instructions[0] != "Be kind.\n" || watcher.Role != "Watch.\n" {
		t.Errorf("agents: %+v %+v", helper, watcher)
	}
	if helper.Pos != (Pos{"/etc/mindroom/agents/b/helper.yml", 1, 1}) {
		t.Errorf("the place of an agent in a file of its own: %v", helper.Pos)
	}
	if c.Rooms["lobby"].Description != "All" || c.Rooms["operations"].Encrypted == nil {
		t.Errorf("rooms: %+v", c.Rooms)
	}
	var rules []string
	for _, r := range c.Approval.Rules {
		rules = append(rules, r.Match)
	}
	if diff := cmp.Diff([]string{"a", "b", "c", "d"}, rules); diff != "" {
		t.Error(diff)
	}
}

// A source lists what a watcher must watch, in a fixed order, each file once.
func TestSourceListsWhatWasRead(t *testing.T) {
	t.Parallel()
	all := files(map[string]string{
		"config.yaml":  minimal + "rooms: !include_dir_merge_named rooms\nrouter: !include router.yaml\ndefaults: {router: !include router.yaml}\nmatrix_space: !include gone.yaml\n",
		"rooms/a.yaml": "", "rooms/b/c.yaml": "", "router.yaml": "{}",
	})
	data, _ := fs.ReadFile(all, "config.yaml")
	c := compose("/etc/mindroom/config.yaml", data, all)
	var paths []string
	for _, f := range c.source.Files {
		paths = append(paths, strings.TrimPrefix(f.Path, "/etc/mindroom/"))
		if (f.Digest == "") != strings.HasSuffix(f.Path, "gone.yaml") {
			t.Errorf("%s has the digest %q", f.Path, f.Digest)
		}
	}
	if diff := cmp.Diff([]string{"config.yaml", "rooms/a.yaml", "rooms/b/c.yaml", "router.yaml", "gone.yaml"}, paths); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"/etc/mindroom/rooms", "/etc/mindroom/rooms/b"}, c.source.Dirs); diff != "" {
		t.Error(diff)
	}
	all["rooms/a.yaml"].Data = []byte("attic: {}\n")
	if other := compose("/etc/mindroom/config.yaml", data, all); other.source.Digest == c.source.Digest {
		t.Error("the digest does not see an included file")
	}
}

// TestIncludesRefused holds invariant 7 and what a person reads about each misuse, with the place in the file that has to be changed.
func TestIncludesRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files map[string]string // beside a config.yaml that is minimal and the first line of this
		line  string
		want  string // the error, without the folder
	}{
		"absolute":    {nil, "rooms: !include /etc/passwd", "config.yaml:4:8: rooms: !include: the path must be relative to this file, with forward slashes"},
		"backslash":   {nil, `rooms: !include a\b.yaml`, "config.yaml:4:8: rooms: !include: the path must be relative"},
		"up":          {nil, "rooms: !include ../rooms.yaml", "config.yaml:4:8: rooms: !include: no part of the path may begin with a dot"},
		"up later":    {nil, "rooms: !include a/../../rooms.yaml", "config.yaml:4:8: rooms: !include: no part of the path may begin with a dot"},
		"hidden":      {nil, "rooms: !include_text .env", "config.yaml:4:8: rooms: !include_text: no part of the path may begin with a dot"},
		"itself":      {nil, "rooms: !include_dir_named .", "config.yaml:4:8: rooms: !include_dir_named: the path must name a file or a folder below"},
		"nothing":     {nil, "rooms: !include", "config.yaml:4:8: rooms: !include needs one path after it"},
		"a list":      {nil, "rooms: !include [a, b]", "config.yaml:4:8: rooms: !include needs one path after it"},
		"unknown tag": {nil, "rooms: !include_dirs a", "config.yaml:4:8: rooms: the tag !include_dirs is unknown; allowed: !include, "},
		"missing":     {nil, "rooms: !include gone.yaml", "config.yaml:4:8: rooms: the file gone.yaml cannot be included: file does not exist"},
		"no folder":   {nil, "rooms: !include_dir_named gone", "config.yaml:4:8: rooms: the folder gone cannot be included: file does not exist"},
		"file as folder": {map[string]string{"a.yaml": ""}, "rooms: !include_dir_named a.yaml",
			"config.yaml:4:8: rooms: the folder a.yaml cannot be included: it is not a folder"},
		"folder as file": {map[string]string{"a/b.yaml": ""}, "rooms: !include a", "config.yaml:4:8: rooms: the file a cannot be included: a is not a file"},
		"as a key":       {nil, "!include a.yaml : {}", "config.yaml:4:1: a key must be plain text"},
		"cycle": {map[string]string{"a.yaml": "attic: !include b/c.yaml", "b/c.yaml": "\n\nencrypted: !include d.yaml", "b/d.yaml": "!include c.yaml"},
			"rooms: !include a.yaml", "b/d.yaml:1:1: rooms.attic.encrypted: this file includes itself: b/c.yaml → b/d.yaml → b/c.yaml; take one of them out"},
		"the configuration": {map[string]string{"a.yaml": "!include config.yaml"}, "rooms: !include a.yaml",
			"a.yaml:1:1: rooms: this file includes itself: config.yaml → a.yaml → config.yaml"},
		"folder with itself": {map[string]string{"a/b.yaml": "!include_dir_list ./"}, "plugins: !include_dir_list a",
			"a/b.yaml:1:1: plugins[0][0]: this file includes itself: a/b.yaml → a/b.yaml"},
		"duplicate name": {map[string]string{"a/x.yaml": "{}", "a/y/x.yml": "{}"}, "rooms: !include_dir_named a",
			"a/y/x.yml:1:1: rooms.x: the key is given twice, first in /etc/mindroom/a/x.yaml:1:1; keep one"},
		"duplicate key": {map[string]string{"a/1.yaml": "x: {}", "a/2.yaml": "y: {}\nx: {}"}, "rooms: !include_dir_merge_named a",
			"a/2.yaml:2:1: rooms.x: the key is given twice, first in /etc/mindroom/a/1.yaml:1:1; keep one"},
		"list for mapping": {map[string]string{"a/1.yaml": "\n[]"}, "rooms: !include_dir_merge_named a",
			"a/1.yaml:2:1: rooms: the file must be a mapping, because !include_dir_merge_named joins mappings"},
		"mapping for list": {map[string]string{"a/1.yaml": "{}"}, "plugins: !include_dir_merge_list a",
			"a/1.yaml:1:1: plugins: the file must be a list, because !include_dir_merge_list joins lists"},
		"syntax":  {map[string]string{"a.yaml": "x:\n\ty: 1\n"}, "rooms: !include a.yaml", "a.yaml:2:1: rooms: a tab indents this line; YAML wants spaces"},
		"content": {map[string]string{"a.yaml": "x:\n  encrypted: 7\n"}, "rooms: !include a.yaml", "a.yaml:2:14: rooms.x.encrypted: must be true or false"},
		"unknown key": {map[string]string{"a/1.yaml": "[{path: p}]", "a/2.yaml": "- {path: q}\n- {path: r, on: 1}"}, "plugins: !include_dir_merge_list a",
			"a/2.yaml:2:13: plugins[2].on: unknown key"},
		"latin1": {map[string]string{"a.txt": "caf\xe9"}, "rooms: !include_text a.txt", "config.yaml:4:8: rooms: the file a.txt is not UTF-8"},
		"large":  {map[string]string{"a.txt": strings.Repeat("x", MaxFileBytes+1)}, "rooms: !include_text a.txt", "config.yaml:4:8: rooms: the file a.txt is larger than 1 MiB"},
		"anchors end with their file": {map[string]string{"a.yaml": "x: *m"}, "debug: &m {}\nrooms: !include a.yaml",
			"a.yaml:1:4: rooms: not valid YAML: unknown anchor 'm' referenced"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all := files(c.files)
			all["config.yaml"] = &fstest.MapFile{Data: []byte(minimal + c.line + "\n")}
			_, _, err := composeFiles(all)
			var faults Errors
			if !errors.As(err, &faults) {
				t.Fatalf("want Errors, got %v", err)
			}
			if got := strings.ReplaceAll(faults[0].Error(), "/etc/mindroom/", ""); !strings.HasPrefix(got, strings.ReplaceAll(c.want, "/etc/mindroom/", "")) {
				t.Errorf("\n got %s\nwant %s", got, c.want)
			}
		})
	}
}

// Errors come in the order in which a person meets the files.
func TestErrorsFollowTheFiles(t *testing.T) {
	t.Parallel()
	_, _, err := composeFiles(files(map[string]string{
		"config.yaml": "models: !include z.yaml\nagents: !include a.yaml\nrouter: {models: 1}\n",
		"z.yaml":      "default: {provider: scripted}\n",
		"a.yaml":      "x: {}\n",
	}))
	var order []string
	for _, e := range err.(Errors) {
		order = append(order, fmt.Sprintf("%s:%d", filepath.Base(e.Pos.File), e.Pos.Line))
	}
	if diff := cmp.Diff([]string{"config.yaml:3", "z.yaml:1", "a.yaml:1"}, order); diff != "" {
		t.Error(diff)
	}
}

// Work is bounded (invariant 2), however few lines ask for it.
func TestIncludeBounds(t *testing.T) {
	t.Parallel()
	deep := map[string]string{"config.yaml": "rooms: !include 0.yaml\n"}
	for i := range maxNesting + 1 {
		deep[fmt.Sprintf("%d.yaml", i)] = fmt.Sprintf("x: !include %d.yaml\n", i+1)
	}
	wide := map[string]string{"config.yaml": "plugins:\n" + strings.Repeat("- !include a.yaml\n", maxInclusions+2), "a.yaml": "p"}
	heavy := map[string]string{"config.yaml": "plugins:\n" + strings.Repeat("- !include_text a\n", 40), "a": strings.Repeat("x", 1<<19)}
	bomb := map[string]string{"config.yaml": "plugins: !include 0.yaml\n"}
	for i := range 8 {
		bomb[fmt.Sprintf("%d.yaml", i)] = strings.Repeat(fmt.Sprintf("- !include %d.yaml\n", i+1), 10)
	}
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"deep":  {deep, "files include each other more than 16 deep here"},
		"wide":  {wide, "more than 2000 files are included"},
		"heavy": {heavy, "the included files hold more than 16 MiB together"},
		"bomb":  {bomb, "more than 2000 files are included"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, err := composeFiles(files(c.files))
			if err == nil || strings.Count(err.Error(), c.want) != 1 {
				t.Errorf("want %q once, got %.300v", c.want, err)
			}
		})
	}
}

// A link may lead to a file of the folder, as in mounted configurations, and not out of it (invariant 7).
func TestLinks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	inside := filepath.Join(dir, "house")
	for _, d := range []string{"..data/rooms", "rooms"} {
		if err := os.MkdirAll(filepath.Join(inside, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(inside, "..data/config.yaml"), minimal+"rooms: !include_dir_merge_named rooms\n")
	write(t, filepath.Join(inside, "..data/rooms/a.yaml"), "attic: {}\n")
	outside := write(t, filepath.Join(dir, "secret.yaml"), "cellar: {}\n")
	link := func(to, at string) {
		if err := os.Symlink(to, filepath.Join(inside, at)); err != nil {
			t.Fatal(err)
		}
	}
	link("..data/config.yaml", "config.yaml")
	link("../..data/rooms/a.yaml", "rooms/a.yaml")
	path := filepath.Join(inside, "config.yaml")
	c, _, err := Load(path, toolkits(), Env{})
	if err != nil || len(c.Rooms) != 1 {
		t.Fatalf("%v", err)
	}
	link(outside, "rooms/b.yaml")
	link("../../secret.yaml", "rooms/c.yaml")
	_, _, err = Load(path, toolkits(), Env{})
	if err == nil || strings.Count(err.Error(), "cannot be included") != 2 || strings.Contains(err.Error(), "cellar") {
		t.Errorf("links that lead out: %v", err)
	}
	source, err := Look(path)
	if err != nil || len(source.Files) != 4 {
		t.Errorf("what to watch after a refusal: %+v, %v", source, err)
	}
}

// The configuration itself may be nothing but an include, and a merge may bring one in.
func TestIncludeAsTheWhole(t *testing.T) {
	t.Parallel()
	c, _, err := composeFiles(files(map[string]string{
		"config.yaml":     "!include_dir_merge_named conf\n",
		"conf/1-who.yaml": "agents: {a: {<<: !include ../base.yaml, display_name: A}}\n",
	}))
	if err == nil || !strings.Contains(err.Error(), "conf/1-who.yaml:1:18: agents.a: !include: no part of the path may begin with a dot") {
		t.Errorf("a path out of the including file's folder: %v, %v", c, err)
	}
	c, _, err = composeFiles(files(map[string]string{
		"config.yaml":           "!include_dir_merge_named conf\n",
		"conf/1-who.yaml":       "agents: {a: {<<: !include parts/_base.yaml, display_name: A}}\n",
		"conf/2-models.yaml":    minimal[:strings.Index(minimal, "\n")],
		"conf/parts/_base.yaml": "{role: Based, display_name: never}\n",
	}))
	if err != nil || c.Agents["a"].Role != "Based" || c.Agents["a"].DisplayName != "A" {
		t.Errorf("%+v, %v", c, err)
	}
}
