package main

import (
	"os"
	"path/filepath"
	"testing"
)

// A template is copied to where a configuration was named and is missing, and
// nowhere else.
func TestTemplateIsCopiedOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	template, target := filepath.Join(dir, "template.yaml"), filepath.Join(dir, "house", "config.yaml")
	variables := map[string]string{"MINDROOM_CONFIG_TEMPLATE": template, "MINDROOM_CONFIG_PATH": target}
	u := &ui{lookup: func(name string) (string, bool) { v, ok := variables[name]; return v, ok }}
	var at place
	if _, err := at.findOrCopy(u); err == nil {
		t.Error("a missing template is no fault")
	}
	for _, text := range []string{"first", "second"} {
		if err := os.WriteFile(template, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		path, err := at.findOrCopy(u)
		if err != nil || path != target {
			t.Fatal(path, err)
		}
		if got, err := os.ReadFile(target); err != nil || string(got) != "first" {
			t.Errorf("after %s: %q, %v", text, got, err)
		}
	}
	if path, err := (&place{config: template}).findOrCopy(u); err != nil || path != template {
		t.Errorf("a configuration that exists: %s, %v", path, err)
	}
}
