//go:build goolm

package e2e

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mindroom/internal/person"
)

// A backup is made while a script runs and an answer streams; then everything is
// lost and restored. What was answered, before the backup or after it, is not
// answered again and reads as it did; what was said while nobody listened is
// answered; the run is interrupted; and talking goes on, in the clear and sealed.
func TestLifeAfterARestore(t *testing.T) {
	t.Parallel()
	for name, encrypted := range map[string]bool{"in the clear": false, "encrypted": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := beginSealed(t, encrypted)
			anna := s.Person()
			say := func(text string) string {
				t.Helper()
				id, err := anna.Send(s.within(), s.Room(), text)
				s.must(err)
				return id
			}
			read := map[string]string{}
			answered := func(id, want string) {
				t.Helper()
				read[id] = s.answerTo(anna, id).Body()
				if !strings.Contains(read[id], want) {
					t.Errorf("the answer is %q, without %q", read[id], want)
				}
			}
			answered(say("Please watch "+s.PageURL()+" and tell me here when it changes."), "script-")
			answered(say("Said before the backup."), "before the backup")
			during := say("Said during the backup.")
			folder := filepath.Join(t.TempDir(), "backups", "one")
			var made struct {
				Running bool
				Files   map[string]struct{ Bytes int64 }
			}
			s.must(json.Unmarshal([]byte(command(t, s.folder, "backup", folder, "--workspaces", "--json")), &made))
			for _, path := range []string{"database/mindroom.db", "crypto/watcher.db", "config/config.yaml"} {
				if made.Files[path].Bytes == 0 {
					t.Errorf("%s is not in the backup", path)
				}
			}
			if !made.Running {
				t.Error("the backup does not say that a primary was running")
			}
			answered(during, "during the backup")
			answered(say("Said after the backup."), "after the backup")

			if out, err := s.refused("restore", folder); err == nil || !strings.Contains(out, "has the database open") {
				t.Errorf("restored under a running primary: %v, %s", err, out)
			}
			s.must(s.Down())
			unheard := say("Said while nobody listened.")
			s.must(os.RemoveAll(filepath.Join(s.folder, "storage")))
			s.must(os.Remove(filepath.Join(s.folder, "config.yaml")))
			command(t, s.folder, "restore", folder)
			if out, err := s.refused("restore", folder); err == nil || !strings.Contains(out, "--force") {
				t.Errorf("restored over an installation: %v, %s", err, out)
			}
			s.must(s.Up(t.Context()))
			answered(unheard, "nobody listened")
			answered(say("Said in the new life."), "in the new life")
			for id, body := range read {
				all := s.answers(anna, id)
				if len(all) != 1 || all[0].Body() != body {
					t.Errorf("answered %d times; it read %q: %q", len(all), body, bodies(all))
				}
			}
			if out := command(t, s.folder, "scripts", "ls", "--all", "--json"); !strings.Contains(out, `"interrupted"`) {
				t.Errorf("the run of the backup is not interrupted: %s", out)
			}
			// Once more over what is there: moved aside, and nothing deleted.
			s.must(s.Down())
			command(t, s.folder, "restore", "--force", folder)
			aside, err := filepath.Glob(filepath.Join(s.folder, "storage", "control_state", "mindroom.db.before-restore-*"))
			if err != nil || len(aside) != 1 {
				t.Errorf("aside: %v, %v", aside, err)
			}
			s.must(s.Up(t.Context()))
			answered(say("Said in the third life."), "in the third life")
			for id, body := range read {
				if all := s.answers(anna, id); len(all) != 1 || all[0].Body() != body {
					t.Errorf("in the third life answered %d times; it read %q: %q", len(all), body, bodies(all))
				}
			}
			noSecretsOutside(t, folder)
		})
	}
}

func bodies(all []person.Event) (out []string) {
	for _, e := range all {
		out = append(out, e.Body())
	}
	return out
}

// refused runs a command that must not do what it says.
func (s *sealed) refused(args ...string) (string, error) {
	cmd := exec.Command(filepath.Join(bin, "mindroom"), append(args, "--config", filepath.Join(s.folder, "config.yaml"))...)
	cmd.Env = append(os.Environ(), "MINDROOM_STORAGE_PATH="+filepath.Join(s.folder, "storage"))
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// noSecretsOutside makes sure that nobody else can read a backup.
func noSecretsOutside(t *testing.T, folder string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			err = errors.New(path + " can be read by others")
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
