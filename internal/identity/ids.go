package identity

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"strings"
)

// Kind is the prefix of an id, which says what the id names.
type Kind string

// The kinds of id this runtime makes.
const (
	KindRun  Kind = "script"
	KindTurn Kind = "turn"
	KindSub  Kind = "sub"
)

// RunID names one background script run: script- and 32 lower-case hex digits.
type RunID string

// TurnID names one response turn: turn- and 32 lower-case hex digits.
type TurnID string

// SubagentID names one subagent of an agent: sub- and 32 lower-case hex digits.
type SubagentID string

// NewRunID makes a fresh run id.
func NewRunID() RunID { return RunID(fresh(KindRun)) }

// NewTurnID makes a fresh turn id.
func NewTurnID() TurnID { return TurnID(fresh(KindTurn)) }

// NewSubagentID makes a fresh subagent id.
func NewSubagentID() SubagentID { return SubagentID(fresh(KindSub)) }

// ParseRunID accepts exactly the form NewRunID makes.
func ParseRunID(s string) (RunID, error) {
	if err := check(KindRun, s); err != nil {
		return "", err
	}
	return RunID(s), nil
}

// ParseTurnID accepts exactly the form NewTurnID makes.
func ParseTurnID(s string) (TurnID, error) {
	if err := check(KindTurn, s); err != nil {
		return "", err
	}
	return TurnID(s), nil
}

func fresh(k Kind) string {
	var b [16]byte
	if _, err := rand.Read(b[:]); err != nil {
		panic("identity: the system gives no randomness: " + err.Error())
	}
	// Version and variant bits of a random UUID, so that the ids can be read
	// by anything that expects one.
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	return string(k) + "-" + hex.EncodeToString(b[:])
}

func check(k Kind, s string) error {
	rest, ok := strings.CutPrefix(s, string(k)+"-")
	if !ok || len(rest) != 32 {
		return fmt.Errorf("%q is not a %s id: it must be %s- and 32 hexadecimal digits", shorten(s), k, k)
	}
	for _, c := range []byte(rest) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return fmt.Errorf("%q is not a %s id: it must be %s- and 32 lower-case hexadecimal digits", shorten(s), k, k)
		}
	}
	return nil
}

func shorten(s string) string {
	if len(s) > 64 {
		return s[:64] + "…"
	}
	return s
}
