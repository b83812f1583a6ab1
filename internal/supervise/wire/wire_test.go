package wire_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"mindroom/internal/supervise/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestFramesFollowEachOther(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	offset := int64(7)
	sent := []wire.Request{{Ask: 1}, {End: wire.EndForce}, {Watch: &offset}}
	for _, r := range sent {
		if err := wire.WriteFrame(&b, r); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range sent {
		var got wire.Request
		if err := wire.ReadFrame(&b, &got); err != nil {
			t.Fatal(err)
		}
		if got.Ask != want.Ask || got.End != want.End || (got.Watch == nil) != (want.Watch == nil) {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
	if err := wire.ReadFrame(&b, new(wire.Request)); err != io.EOF {
		t.Errorf("after the last frame: %v", err)
	}
}

func TestFramesThatAreNone(t *testing.T) {
	t.Parallel()
	long := binary.BigEndian.AppendUint32(nil, wire.MaxFrame+1)
	for name, b := range map[string][]byte{
		"too long": long, "empty": {0, 0, 0, 0}, "not JSON": {0, 0, 0, 1, '{'}, "cut short": {0, 0, 0, 9, '{'}, "wrong type": append([]byte{0, 0, 0, 2}, "[]"...),
	} {
		if err := wire.ReadFrame(bytes.NewReader(b), new(wire.Request)); !errors.Is(err, wire.ErrFrame) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := wire.ReadFrame(strings.NewReader("\x00\x00"), new(wire.Request)); err == nil || err == io.EOF {
		t.Errorf("half a length: %v", err)
	}
	if err := wire.WriteFrame(io.Discard, strings.Repeat("x", wire.MaxFrame)); !errors.Is(err, wire.ErrFrame) {
		t.Errorf("writing too much: %v", err)
	}
}

func FuzzReadFrame(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x0b{\"ask\":1}   "))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, b []byte) {
		var s wire.State
		if err := wire.ReadFrame(bytes.NewReader(b), &s); err != nil {
			return
		}
		if err := wire.WriteFrame(io.Discard, s); err != nil {
			t.Errorf("a state that was read cannot be written: %v", err)
		}
	})
}

func TestInstant(t *testing.T) {
	t.Parallel()
	whole := wire.Instant{Time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.FixedZone("", 3600))}
	b, err := json.Marshal(whole)
	if err != nil || string(b) != `"2026-01-02T02:04:05.000000Z"` {
		t.Errorf("got %s, %v", b, err)
	}
	var back wire.Instant
	if err := json.Unmarshal(b, &back); err != nil || !back.Equal(whole.Time) {
		t.Errorf("back: %v, %v", back, err)
	}
	if b, _ := json.Marshal(wire.Instant{}); string(b) != "null" {
		t.Errorf("zero: %s", b)
	}
	if err := json.Unmarshal([]byte("null"), &back); err != nil || !back.IsZero() {
		t.Errorf("null: %v, %v", back, err)
	}
	for _, bad := range []string{`"2026-01-02"`, `"2026-01-02T02:04:05Z0"`, `7`} {
		if json.Unmarshal([]byte(bad), &back) == nil {
			t.Errorf("%s was taken", bad)
		}
	}
}

// The error names the place and never the value, which may be a secret.
func TestCheckKeepsSecrets(t *testing.T) {
	t.Parallel()
	err := wire.Spec{Argv: []string{"/x"}, Env: []string{"A=b", "hunter2"}}.Check()
	if err == nil || strings.Contains(err.Error(), "hunter2") || !strings.Contains(err.Error(), "env[1]") {
		t.Errorf("got %v", err)
	}
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	s := wire.Spec{}.WithDefaults()
	if s.Grace != 2*time.Second || s.TailBytes != 64<<10 || s.OnLeaderExit != wire.LeaderExitKill || s.Dir != "/" || s.OrphanGrace != 0 || s.Deadline != 0 {
		t.Errorf("got %+v", s)
	}
}
