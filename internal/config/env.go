package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Env looks variables up: the process's environment first, then the .env file beside the configuration.
// The zero Env knows no variable. It never prints a value.
type Env struct {
	process func(string) (string, bool)
	dotenv  map[string]dotenvValue
	file    string
}

// ReadEnv reads the .env file in configDir, which need not exist, below process (os.LookupEnv; nil: nothing).
// Faults of the file come as Errors.
func ReadEnv(configDir string, process func(string) (string, bool)) (Env, error) {
	env := Env{process: process, file: filepath.Join(configDir, ".env")}
	data, err := readFile(env.file)
	if errors.Is(err, fs.ErrNotExist) {
		return env, nil
	}
	if err != nil {
		return env, fmt.Errorf("environment file: %w", err)
	}
	if env.dotenv, err = parseDotenv(env.file, data); err != nil {
		return env, err
	}
	return env, nil
}

// Lookup returns a variable; ok tells one that is set but empty from one that is not set.
func (e Env) Lookup(name string) (value string, ok bool) {
	if e.process != nil {
		if v, ok := e.process(name); ok {
			return v, true
		}
	}
	v, ok := e.dotenv[name]
	return v.text, ok
}

// Get returns a variable, empty when it is not set.
func (e Env) Get(name string) string { v, _ := e.Lookup(name); return v }

// String says nothing about the variables.
func (e Env) String() string { return "environment" }

// GoString says nothing about the variables.
func (e Env) GoString() string { return e.String() }

// origin says where a variable was set, for a message.
func (e Env) origin(name string) string {
	if e.process != nil {
		if _, ok := e.process(name); ok {
			return "environment"
		}
	}
	if v, ok := e.dotenv[name]; ok {
		return fmt.Sprintf("%s:%d", e.file, v.line)
	}
	return "environment"
}

// maxSecretBytes bounds a secret's file: a key is short, and a wrong path should not be read into memory.
const maxSecretBytes = 64 << 10

// secretText reads NAME, or the file that NAME_FILE names. Setting both is a fault, because one of them would silently lose.
func (e Env) secretText(name string) (text string, ok bool, err error) {
	direct, haveDirect := e.Lookup(name)
	path := e.Get(name + "_FILE")
	switch {
	case haveDirect && direct != "" && path != "":
		return "", false, &VariableError{name, e.origin(name), "is set together with " + name + "_FILE; remove one of them"}
	case path == "":
		return direct, haveDirect, nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", false, &VariableError{name + "_FILE", e.origin(name + "_FILE"), "names a file that cannot be read: " + cause(err)}
	}
	if !info.Mode().IsRegular() || info.Size() > maxSecretBytes {
		return "", false, &VariableError{name + "_FILE", e.origin(name + "_FILE"), "must name a file of at most 64 KiB"}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return "", false, &VariableError{name + "_FILE", e.origin(name + "_FILE"), "names a file that cannot be read: " + cause(err)}
	}
	return strings.TrimRight(string(data), "\r\n"), true, nil
}

// cause is the reason without the path, which is the value of a variable.
func cause(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err.Error()
	}
	return "it is not readable"
}

// VariableError is one environment variable with a value that cannot be used.
type VariableError struct {
	Name    string
	Origin  string // environment, or file:line of the .env file
	Message string // what is allowed; never the value
}

// Error is one line: origin: NAME message.
func (e *VariableError) Error() string { return e.Origin + ": " + e.Name + " " + e.Message }
