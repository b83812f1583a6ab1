package config

import (
	"path"
	"slices"
)

// contextFiles are the files that every prompt of an agent holds (spec/runtime.md 7.2):
// its own and then those of private, which both lie in its workspace. One that is named
// twice is there once.
func contextFiles(agent member) []string {
	names := agent.texts("context_files")
	if agent.get("private") != nil {
		names = append(names, agent.sub("private").texts("context_files")...)
	}
	var files []string
	for _, name := range names {
		if clean := path.Clean(name); !slices.Contains(files, clean) {
			files = append(files, clean)
		}
	}
	return files
}
