package model

import (
	"crypto/rand"
	"encoding/hex"
	"strings"
)

// NewCallID makes an id for a call whose provider sent none, or one that its message already uses.
func NewCallID() string {
	var b [12]byte
	_, _ = rand.Read(b[:]) // Never fails: the runtime ends the process instead.
	return "call_" + hex.EncodeToString(b[:])
}

// UniqueCallIDs gives every call of an answer an id of its own, keeping the provider's where it can. Some compatible
// servers send none, or the same one for all calls.
func UniqueCallIDs(parts []Part) {
	seen := make(map[string]bool)
	for _, p := range parts {
		if p.Kind != PartCall {
			continue
		}
		if p.Call.ID == "" || seen[p.Call.ID] {
			p.Call.ID = NewCallID()
		}
		seen[p.Call.ID] = true
	}
}

// OutgoingName is a tool's name as it may be shown back to a provider. A model can make up any name, and a provider
// refuses the whole transcript for one it finds malformed, so what is not a letter, digit, "_" or "-" becomes "_" and
// 64 bytes are kept.
func OutgoingName(name string) string {
	safe := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, name)
	if safe == "" {
		return "unnamed_tool"
	}
	return safe[:min(len(safe), 64)]
}
