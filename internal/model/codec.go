package model

import (
	"encoding/json"
	"fmt"
	"strings"

	"mindroom/internal/media"
)

// Version is the version of the JSON form of Message, written into each one. It rises when a reader of the old form
// would misunderstand the new one.
const Version = 1

// The stored shapes are separate from the types, so that renaming a Go field cannot change what is on disk; a media.Ref is one of
// those shapes itself.
type storedMessage struct {
	Version int          `json:"v"`
	Role    Role         `json:"role"`
	Parts   []storedPart `json:"parts"`
}

type storedPart struct {
	Kind   PartKind      `json:"kind"`
	Text   *string       `json:"text,omitempty"`
	Call   *storedCall   `json:"call,omitempty"`
	Result *storedResult `json:"result,omitempty"`
	Media  *media.Ref    `json:"media,omitempty"`
	Opaque *storedOpaque `json:"opaque,omitempty"`
}

type storedCall struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// A string and not JSON: encoding/json would refuse broken arguments and rewrite good ones.
	Arguments string `json:"arguments"`
}

type storedResult struct {
	CallID  string      `json:"call_id"`
	Name    string      `json:"name,omitempty"`
	Text    string      `json:"text"`
	IsError bool        `json:"is_error,omitempty"`
	Media   []media.Ref `json:"media,omitempty"`
}

type storedOpaque struct {
	Provider string `json:"provider"`
	Model    string `json:"model"`
	// Base64, because it must come back byte for byte.
	Raw []byte `json:"raw"`
}

// MarshalJSON writes the versioned form. Bytes that are not UTF-8 are replaced, as everywhere in JSON; everything else
// survives exactly, opaque parts whatever they hold.
func (m Message) MarshalJSON() ([]byte, error) {
	stored := storedMessage{Version: Version, Role: m.Role, Parts: make([]storedPart, 0, len(m.Parts))}
	for i, p := range m.Parts {
		s, err := store(p)
		if err != nil {
			return nil, fmt.Errorf("encode part %d of a %s message: %w", i, m.Role, err)
		}
		stored.Parts = append(stored.Parts, s)
	}
	if err := checkRole(m.Role); err != nil {
		return nil, fmt.Errorf("encode message: %w", err)
	}
	return json.Marshal(stored)
}

// UnmarshalJSON reads the versioned form; another version is an *UnknownVersionError.
func (m *Message) UnmarshalJSON(data []byte) error {
	var head struct {
		Version int `json:"v"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return fmt.Errorf("decode message: %w", err)
	}
	if head.Version != Version {
		return &UnknownVersionError{Version: head.Version}
	}
	var stored storedMessage
	if err := json.Unmarshal(data, &stored); err != nil {
		return fmt.Errorf("decode message: %w", err)
	}
	if err := checkRole(stored.Role); err != nil {
		return fmt.Errorf("decode message: %w", err)
	}
	out := Message{Role: stored.Role}
	for i, s := range stored.Parts {
		p, err := s.part()
		if err != nil {
			return fmt.Errorf("decode part %d of a %s message: %w", i, stored.Role, err)
		}
		out.Parts = append(out.Parts, p)
	}
	*m = out
	return nil
}

func checkRole(r Role) error {
	switch r {
	case RoleUser, RoleAssistant, RoleTool:
		return nil
	}
	return fmt.Errorf("role %q is none of user, assistant, tool", r)
}

func store(p Part) (storedPart, error) {
	s := storedPart{Kind: p.Kind}
	switch {
	case p.Kind == PartText:
		s.Text = &p.Text
	case p.Kind == PartCall && p.Call != nil:
		s.Call = &storedCall{ID: p.Call.ID, Name: p.Call.Name, Arguments: strings.ToValidUTF8(string(p.Call.Arguments), "\uFFFD")}
	case p.Kind == PartResult && p.Result != nil:
		r := &storedResult{CallID: p.Result.CallID, Name: p.Result.Name, Text: p.Result.Text, IsError: p.Result.IsError, Media: p.Result.Media}
		s.Result = r
	case p.Kind == PartMedia && p.Media != nil:
		s.Media = p.Media
	case p.Kind == PartOpaque && p.Opaque != nil:
		o := storedOpaque(*p.Opaque)
		s.Opaque = &o
	default:
		return storedPart{}, fmt.Errorf("part of kind %q holds nothing of that kind", p.Kind)
	}
	return s, nil
}

func (s storedPart) part() (Part, error) {
	switch {
	case s.Kind == PartText && s.Text != nil:
		return TextPart(*s.Text), nil
	case s.Kind == PartCall && s.Call != nil:
		c := Call{ID: s.Call.ID, Name: s.Call.Name}
		if s.Call.Arguments != "" {
			c.Arguments = json.RawMessage(s.Call.Arguments)
		}
		return CallPart(c), nil
	case s.Kind == PartResult && s.Result != nil:
		r := Result{CallID: s.Result.CallID, Name: s.Result.Name, Text: s.Result.Text, IsError: s.Result.IsError, Media: s.Result.Media}
		return ResultPart(r), nil
	case s.Kind == PartMedia && s.Media != nil:
		return MediaPart(*s.Media), nil
	case s.Kind == PartOpaque && s.Opaque != nil:
		return OpaquePart(Opaque(*s.Opaque)), nil
	}
	return Part{}, fmt.Errorf("part of kind %q holds nothing of that kind", s.Kind)
}
