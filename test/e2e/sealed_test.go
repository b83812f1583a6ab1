//go:build goolm

package e2e

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mindroom/internal/person"
	"mindroom/internal/store"
	"mindroom/test/faultproxy"
	"mindroom/test/story"
)

// A whole life in an encrypted room: asked, answered, a script started, woken by
// it twice; over a restart the device stays and what is said is read; a device
// that comes later reads what is said from then on, and one whose key comes late
// is answered once. Whoever has no keys learns nothing. doc.go of matrix, 10, 14
func TestLifeInAnEncryptedRoom(t *testing.T) {
	t.Parallel()
	s := beginSealed(t, true)
	anna := s.Person()
	s.must(s.Play(t.Context()))

	before := s.device()
	s.must(s.Down())
	away, err := anna.Send(s.within(), s.Room(), "Said while nobody listened.")
	s.must(err)
	s.must(s.Up(t.Context()))
	if got := s.answerTo(anna, away); !strings.Contains(got.Body(), "nobody listened") || !got.Encrypted {
		t.Errorf("after the restart: %q, encrypted %v", got.Body(), got.Encrypted)
	}
	if after := s.device(); after != before {
		t.Errorf("device %s became %s", before, after)
	}

	wire, err := faultproxy.Start(s.Homeserver())
	s.must(err)
	t.Cleanup(wire.Close)
	later, err := person.Login(s.within(), wire.URL, story.Person, s.Password)
	s.must(err)
	t.Cleanup(later.Close)
	s.must(later.Secure(s.within()))
	s.lateKey(wire, later)

	again, err := anna.Send(s.within(), s.Room(), "Can both of us read you?")
	s.must(err)
	for _, c := range []*person.Client{anna, later} {
		if got := s.answerTo(c, again); !strings.Contains(got.Body(), "both of us") || !got.Encrypted {
			t.Errorf("a device of the person reads %q, encrypted %v", got.Body(), got.Encrypted)
		}
	}
	for _, root := range []string{away, again} {
		if all := s.answers(anna, root); len(all) != 1 {
			t.Errorf("%d answers to one message", len(all))
		}
	}
	s.nothingInClear(10, "watch http", "Smoke in", "fire is", "start_script", "nobody listened", "both of us", "comes late", s.PageURL())
	s.noKeysTold()
}

// lateKey has the key of a message lost on its way: it is asked for, and then the
// message is answered, once.
func (s *sealed) lateKey(wire *faultproxy.Proxy, later *person.Client) {
	s.t.Helper()
	lost := wire.Arm(faultproxy.Fault{Status: 200, Body: "{}", Times: 1, Match: toDevices})
	root, err := later.Send(s.within(), s.Room(), "A key that comes late.")
	s.must(err)
	if lost.Hits() != 1 {
		s.t.Fatal("no key was lost")
	}
	if got := s.answerTo(later, root); !strings.Contains(got.Body(), "comes late") {
		s.t.Errorf("the answer is %q", got.Body())
	}
	next, err := later.Send(s.within(), s.Room(), "And one that does not.")
	s.must(err)
	s.answerTo(later, next)
	for _, asked := range []string{root, next} {
		if all := s.answers(later, asked); len(all) != 1 {
			s.t.Errorf("%d answers to one message", len(all))
		}
	}
}

// noKeysTold makes sure that what only the runtime may know is in its control
// state alone, and that nobody else can read that.
func (s *sealed) noKeysTold() {
	s.t.Helper()
	control := filepath.Join(s.folder, "storage", "control_state")
	var secrets []string
	db, err := store.OpenReadOnly(s.t.Context(), filepath.Join(control, "mindroom.db"))
	s.must(err)
	defer db.Close()
	s.must(db.Read(s.t.Context(), func(q *store.Reader) error {
		return store.Each(q, func(rows *store.Rows) error {
			var recovery, key, token, password string
			err := rows.Scan(&recovery, &key, &token, &password)
			secrets = append(secrets, recovery, key, token, password)
			return err
		}, `SELECT recovery_key, crypto_key, access_token, password FROM matrix_account`)
	}))
	if len(secrets) != 8 || slices.Contains(secrets, "") {
		s.t.Fatalf("%d secrets, or an empty one", len(secrets))
	}
	doctor := exec.Command(filepath.Join(bin, "mindroom"), "doctor", "--config", filepath.Join(s.folder, "config.yaml"))
	doctor.Env = append(os.Environ(), "MATRIX_HOMESERVER="+s.Homeserver(), "MINDROOM_STORAGE_PATH="+filepath.Join(s.folder, "storage"))
	told, _ := doctor.CombinedOutput() // its status is of everything else, too
	if !strings.Contains(string(told), "encryption     the keys of 2 accounts are there") {
		s.t.Errorf("doctor says:\n%s", told)
	}
	for i, secret := range secrets {
		if strings.Contains(string(told), secret) {
			s.t.Errorf("doctor tells secret %d of an account", i)
		}
	}
	s.must(filepath.WalkDir(s.folder, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || strings.HasPrefix(path, filepath.Join(s.folder, "homeserver")) {
			return err
		}
		if strings.HasPrefix(path, control+string(filepath.Separator)) {
			if info, err := d.Info(); err != nil || info.Mode().Perm()&0o077 != 0 {
				s.t.Errorf("%s can be read by others: %v, %v", path, info.Mode(), err)
			}
			return nil
		}
		raw, err := os.ReadFile(path)
		for i, secret := range secrets {
			if strings.Contains(string(raw), secret) {
				s.t.Errorf("%s holds secret %d of an account", path, i)
			}
		}
		return err
	}))
}

// A room is encrypted while an answer is being written in it, which began in
// clear: from then on nothing is, not even the rest of that answer.
func TestEncryptedInTheMiddleOfAnAnswer(t *testing.T) {
	t.Parallel()
	s := beginSealed(t, false)
	anna := s.Person()
	s.must(anna.Secure(s.within()))
	gate := make(chan struct{})
	asked := make(chan struct{}, 10)
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		select {
		case <-gate:
		case <-r.Context().Done():
		}
		_, _ = io.WriteString(w, "It was worth the wait.")
	}))
	t.Cleanup(page.Close)
	root, err := anna.Send(s.within(), s.Room(), "The watched value changed; inspect "+page.URL+" now")
	s.must(err)
	select {
	case <-asked:
	case <-s.within().Done():
		t.Fatal("the page was not read")
	}
	begun, err := anna.WaitFor(s.within(), func(e person.Event) bool { return e.Sender == s.AgentID() && e.ThreadRoot() == root })
	s.must(err)
	if begun.Encrypted {
		t.Fatal("the answer did not begin in clear")
	}
	s.must(anna.Encrypt(s.within(), s.Room()))
	close(gate)
	if got := s.answerTo(anna, root); got.ID != begun.ID || !strings.Contains(got.Body(), "worth the wait") {
		t.Errorf("the answer is %s, %q", got.ID, got.Body())
	}
	s.nothingInClear(1, "worth the", page.URL)
}

// toDevices matches the request that brings a room's key to devices.
func toDevices(r *http.Request) bool {
	return strings.Contains(r.URL.Path, "/sendToDevice/m.room.encrypted/")
}
