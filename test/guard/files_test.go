package guard

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// maxLines is what a reader takes in at once.
const maxLines = 400

// excused are the files that may be longer, and why.
var excused = map[string]string{}

// TestFilesAreSmall holds that no file has more than maxLines lines.
func TestFilesAreSmall(t *testing.T) {
	t.Parallel()
	dir, seen := root(t), map[string]bool{}
	sources(t, func(file string) {
		raw, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			t.Error(err)
			return
		}
		lines := bytes.Count(raw, []byte("\n"))
		_, may := excused[file]
		seen[file] = lines > maxLines
		if lines > maxLines && !may {
			t.Errorf("%s has %d lines, more than %d: it has more than one idea; split it", file, lines, maxLines)
		}
	}, ".go", ".py")
	for file := range excused {
		if !seen[file] {
			t.Errorf("%s needs no excuse any more; take it off the list", file)
		}
	}
}
