package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLoadReadsAFile(t *testing.T) {
	t.Parallel()
	path := write(t, filepath.Join(t.TempDir(), "config.yaml"), minimal)
	c, _, err := Load(path, toolkits(), Env{})
	if err != nil {
		t.Fatal(err)
	}
	if c.Source.Path != path || len(c.Source.Digest) != 64 {
		t.Errorf("source: %+v", c.Source)
	}
	again, _, err := Load(path, toolkits(), Env{})
	if err != nil || !cmp.Equal(again.Source, c.Source) {
		t.Errorf("the same text has two sources: %+v, %v", again.Source, err)
	}
}

func TestLoadTellsUnreadableFromWrong(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var faults Errors
	if _, _, err := Load(filepath.Join(dir, "none.yaml"), toolkits(), Env{}); !errors.Is(err, fs.ErrNotExist) || errors.As(err, &faults) {
		t.Errorf("missing: %v", err)
	}
	if _, _, err := Load(dir, toolkits(), Env{}); err == nil || errors.As(err, &faults) {
		t.Errorf("folder: %v", err)
	}
	huge := filepath.Join(dir, "huge.yaml")
	write(t, huge, "")
	if err := os.Truncate(huge, 1<<30); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Load(huge, toolkits(), Env{}); !errors.As(err, &faults) || !strings.Contains(err.Error(), "1 MiB") {
		t.Errorf("huge: %v", err)
	}
}

// Bound 2 of doc.go from both sides.
func TestBounds(t *testing.T) {
	t.Parallel()
	padded := minimal + strings.Repeat("#", MaxFileBytes-len(minimal))
	mustParse(t, toolkits(), padded)
	if _, _, err := Parse("c.yaml", []byte(padded+"#"), toolkits(), Env{}); err == nil {
		t.Error("a file one byte too large was accepted")
	}
	free := func(depth int) string {
		return strings.Replace(minimal, "id: demo", "id: demo, extra_kwargs: {x: "+strings.Repeat("[", depth)+strings.Repeat("]", depth)+"}", 1)
	}
	mustParse(t, toolkits(), free(maxDepth-4)) // the list is four levels down
	if _, _, err := Parse("c.yaml", []byte(free(maxDepth-3)), toolkits(), Env{}); err == nil || !strings.Contains(err.Error(), "nested more than 64 deep") {
		t.Errorf("deep: %v", err)
	}
	if _, _, err := Parse("c.yaml", []byte(free(200_000)), toolkits(), Env{}); err == nil {
		t.Error("an absurd depth was accepted")
	}
}

func TestMessagesQuoteLittle(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("secretive", 200)
	_, _, err := Parse("c.yaml", []byte("timezone: "+long+"\nmodels: {"+long+": {provider: "+long+"}}\n"+long+": 1\n"), toolkits(), Env{})
	var faults Errors
	if !errors.As(err, &faults) || len(faults) < 3 {
		t.Fatalf("%v", err)
	}
	for _, f := range faults {
		if strings.Contains(f.Message, long[:42]) {
			t.Errorf("quotes too much: %s", f.Message)
		}
	}
}
