package watch

import (
	"os"
	"path/filepath"
	"strings"
)

// maxLinks bounds the symbolic links that are followed for one path, as the kernel does.
const maxLinks = 40

// trail lists every name on the way from base to what path leads to, links resolved: whoever replaces one of them changes it.
// base and what lies above it count only where they are reached through a link. Names that do not exist are listed as well.
func trail(base, path string) []string {
	var names []string
	done, rest := "/", strings.Split(strings.Trim(filepath.Clean(path), "/"), "/")
	for links := 0; len(rest) > 0; {
		name := filepath.Join(done, rest[0])
		rest = rest[1:]
		target, err := os.Readlink(name)
		if err == nil || strings.HasPrefix(name, base+"/") {
			names = append(names, name)
		}
		if links++; err != nil || links > maxLinks {
			done = name
			continue
		}
		if filepath.IsAbs(target) {
			done = "/"
		}
		rest = append(strings.Split(strings.Trim(filepath.Clean(target), "/"), "/"), rest...)
	}
	return names
}
