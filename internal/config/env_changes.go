package config

import (
	"maps"
	"slices"
)

// Changed names the variables that have another value in next because of its .env file, sorted; never a value.
// What the process's own environment sets, the file does not change.
func (e Env) Changed(next Env) []string {
	var names []string
	all := maps.Clone(next.dotenv)
	if all == nil {
		all = map[string]dotenvValue{}
	}
	maps.Copy(all, e.dotenv)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		was, wasSet := e.Lookup(name)
		is, isSet := next.Lookup(name)
		if was != is || wasSet != isSet {
			names = append(names, name)
		}
	}
	return names
}

// File is the path of the .env file that was looked for, absolute where the folder given to ReadEnv was.
func (e Env) File() string { return e.file }
