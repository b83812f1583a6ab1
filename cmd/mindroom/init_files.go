package main

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"mindroom/internal/config"
	"mindroom/internal/runtime"
)

// The names in a first configuration.
const (
	firstAgent = "mind"
	firstRoom  = "lobby"
)

// configuration is the text of a first config.yaml, which the loader has taken.
func (a answers) configuration(path string) ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, `# The configuration of MindRoom. "mindroom config validate" judges it, and
# "mindroom config schema" describes every key, for people and for editors.

models:
  default:
    provider: %s
    id: %s

agents:
  %s:
    display_name: Mind
    role: A personal assistant that answers questions and keeps an eye on things.
    rooms: [%s]
    memory_backend: file
    tools:
      # Background scripts, and the toolkits that they may call without asking.
      - script:
          allowed_tools: [website, matrix_message]
      - website
      - matrix_message
      - file

# Who may talk to the agents. Nobody else may.
authorization:
  global_users: [%s]

defaults:
  tools: []
`, a.provider, strconv.Quote(a.model), firstAgent, firstRoom, strconv.Quote(a.owner))
	catalog, err := runtime.Catalog()
	if err != nil {
		return nil, err
	}
	if _, _, err := config.Parse(path, b.Bytes(), catalog, config.Env{}); err != nil {
		return nil, fmt.Errorf("these answers make no configuration: %w", err)
	}
	return b.Bytes(), nil
}

// dotenvOf reads the environment of the configuration that is to be written.
func dotenvOf(u *ui, path string) (config.Env, error) {
	return config.ReadEnv(filepath.Dir(path), u.lookup)
}

// absent refuses a path where something is already.
func absent(path string) error {
	switch _, err := os.Lstat(path); {
	case err == nil:
		return fmt.Errorf("%s exists: edit it, choose another --path, or replace it with --force", path)
	case !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s cannot be written: %w: choose another --path", path, err)
	}
	return nil
}

// write writes both files, the .env file first: a configuration without it would
// be open to anybody who reaches the API.
func (f *initFlags) write(path string, text []byte, a answers, env config.Env) error {
	dir := filepath.Dir(path)
	dotenv := filepath.Join(dir, ".env")
	if set, ok := env.Dotenv("MATRIX_HOMESERVER"); ok && set != a.homeserver && !f.force {
		return fmt.Errorf("%s names another homeserver, %s: replace it with --force, or leave --homeserver out", dotenv, set)
	}
	before, err := os.ReadFile(dotenv)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s cannot be read: %w: check its permissions", dotenv, err)
	}
	after, err := environment(string(before), a, env)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("%s cannot be made: %w: choose another --path", dir, err)
	}
	if err := replace(dotenv, []byte(after), 0o600); err != nil {
		return err
	}
	return replace(path, text, 0o644)
}

const firstEnvironment = `# Settings and secrets of this MindRoom. Keep it to yourself.
# The keys of models' providers belong here too, as in ANTHROPIC_API_KEY=...
# Background scripts run on this machine, under your account and with all it may do, only with:
# MINDROOM_SANDBOX_EXECUTION_MODE=off
`

// environment is the text of the .env file: what stood there, and what is missing.
func environment(before string, a answers, env config.Env) (string, error) {
	text := before
	if text == "" {
		text = firstEnvironment
	} else if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	if _, ok := env.Dotenv("MINDROOM_STORAGE_PATH"); !ok {
		text += "MINDROOM_STORAGE_PATH=mindroom_data\n"
	}
	if _, ok := env.Dotenv("MINDROOM_API_KEY"); !ok {
		var key [32]byte
		if _, err := rand.Read(key[:]); err != nil {
			return "", fmt.Errorf("make a key for the API: %w", err)
		}
		text += "MINDROOM_API_KEY=" + hex.EncodeToString(key[:]) + "\n"
	}
	if set, ok := env.Dotenv("MATRIX_HOMESERVER"); !ok || set != a.homeserver {
		text += "MATRIX_HOMESERVER=" + a.homeserver + "\n" // the last line of a name counts
	}
	return text, nil
}

// replace writes a whole file or none of it.
func replace(path string, text []byte, mode fs.FileMode) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".mindroom-*")
	if err != nil {
		return fmt.Errorf("%s cannot be written: %w: choose another --path", path, err)
	}
	_, err = f.Write(text)
	err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("%s cannot be written: %w", path, err), os.Remove(f.Name()))
	}
	return nil
}
