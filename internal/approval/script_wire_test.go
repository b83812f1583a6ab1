package approval

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"testing"
)

func framed(body string) []byte {
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...)
}

func TestReadReply(t *testing.T) {
	t.Parallel()
	yes := true
	for body, want := range map[string]reply{
		`{"loaded":true}`:                                  {Loaded: true},
		`{"needs_approval": true}`:                         {NeedsApproval: &yes},
		`{"failed":{"kind":"raised","text":"x","line":3}}`: {Failed: &replyFault{Kind: ScriptRaised, Text: "x", Line: 3}},
	} {
		got, err := readReply(bytes.NewReader(framed(body)))
		if err != nil || got.Loaded != want.Loaded || (got.NeedsApproval == nil) != (want.NeedsApproval == nil) || (got.Failed == nil) != (want.Failed == nil) {
			t.Errorf("%s: %+v, %v", body, got, err)
		}
	}
	for name, raw := range map[string][]byte{
		"nothing": nil, "half a length": {0, 0}, "half a frame": framed(`{"loaded":true}`)[:8], "an empty frame": framed(""), "no JSON": framed("True"),
		"too long": {0xff, 0xff, 0xff, 0xff}, "no answer": framed("{}"), "two answers": framed(`{"loaded":true,"needs_approval":false}`),
		"a number": framed(`{"needs_approval":1}`), "null": framed(`{"needs_approval":null}`), "denied": framed(`{"loaded":false}`),
	} {
		got, err := readReply(bytes.NewReader(raw))
		if err == nil || got.NeedsApproval != nil {
			t.Errorf("%s was taken for %+v", name, got)
		}
	}
}

// FuzzReadReply holds that whatever a script's process writes is exactly one answer or an error, in bounded memory.
func FuzzReadReply(f *testing.F) {
	for _, body := range []string{`{"loaded":true}`, `{"needs_approval":false}`, `{"failed":{"kind":"x"}}`, `{}`, `[]`, `{"needs_approval":"no"}`} {
		f.Add(framed(body))
	}
	f.Add([]byte{0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, raw []byte) {
		answer, err := readReply(bytes.NewReader(raw))
		said := 0
		for _, is := range []bool{answer.Loaded, answer.NeedsApproval != nil, answer.Failed != nil} {
			if is {
				said++
			}
		}
		if err == nil && said != 1 || err != nil && said != 0 {
			t.Errorf("%q: %+v, %v", raw, answer, err)
		}
		if len(raw) < 4 && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%q is too short: %v", raw, err)
		}
	})
}
