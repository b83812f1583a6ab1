package approval

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// maxReply bounds one answer of a script's process, in bytes.
const maxReply = 64 << 10

// request is a frame to a script's process: the file once, then a question at a time.
type request struct {
	Load  *loadRequest  `json:"load,omitempty"`
	Check *checkRequest `json:"check,omitempty"`
}

type loadRequest struct {
	Path   string `json:"path"`
	Source string `json:"source"` // in base64: a file need not be UTF-8
}

type checkRequest struct {
	Function  string          `json:"tool_name"`
	Arguments json.RawMessage `json:"arguments"`
	Agent     string          `json:"agent_name"`
}

// reply is a frame from it: exactly one of the three.
type reply struct {
	Loaded        bool        `json:"loaded"`
	NeedsApproval *bool       `json:"needs_approval"`
	Failed        *replyFault `json:"failed"`
}

type replyFault struct {
	Kind ScriptKind `json:"kind"`
	Text string     `json:"text"`
	Line int        `json:"line"`
}

var errReply = errors.New("the script's process broke the protocol")

// writeFrame writes v as its length in four bytes, highest first, and its JSON.
func writeFrame(w io.Writer, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = w.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...))
	return err
}

// readReply reads one frame. Whatever is not exactly an answer is an error.
func readReply(r io.Reader) (reply, error) {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return reply{}, err
	}
	n := binary.BigEndian.Uint32(head[:])
	if n == 0 || n > maxReply {
		return reply{}, fmt.Errorf("%w: a frame of %d bytes", errReply, n)
	}
	body := make([]byte, n)
	if _, err := io.ReadFull(r, body); err != nil {
		return reply{}, err
	}
	var answer reply
	if err := json.Unmarshal(body, &answer); err != nil {
		return reply{}, fmt.Errorf("%w: %w", errReply, err)
	}
	said := 0
	for _, is := range []bool{answer.Loaded, answer.NeedsApproval != nil, answer.Failed != nil} {
		if is {
			said++
		}
	}
	if said != 1 {
		return reply{}, fmt.Errorf("%w: a frame says %d things", errReply, said)
	}
	return answer, nil
}
