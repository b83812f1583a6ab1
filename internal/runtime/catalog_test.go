package runtime

import (
	"os"
	"path/filepath"
	"testing"

	"mindroom/internal/config"
)

// Whole configurations of the format load with the toolkits that this build has, whatever else they name (spec/runtime.md 1).
func TestWholeConfigurationsLoad(t *testing.T) {
	t.Parallel()
	catalog, err := Catalog()
	if err != nil {
		t.Fatal(err)
	}
	paths, err := filepath.Glob("../config/testdata/accepted/*.yaml")
	if err != nil || len(paths) < 3 {
		t.Fatal(paths, err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := config.Parse(path, text, catalog, config.Env{}); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}
