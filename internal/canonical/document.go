package canonical

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Doc is one JSON document with its canonical form and digest. It is immutable and safe to share. The zero Doc is no document:
// it has no bytes, an empty digest, and cannot be decoded or marshalled.
type Doc struct {
	raw, canonical string // strings, so that no accessor can hand out bytes that others could change
	digest         string
	object         bool
}

// EmptyObject is the document {}, which stands for arguments that were left out.
var EmptyObject = newDoc("{}", []byte("{}"), true)

func newDoc(raw string, canonical []byte, object bool) Doc {
	sum := sha256.Sum256(canonical)
	d := Doc{raw: raw, canonical: raw, digest: hex.EncodeToString(sum[:]), object: object}
	if raw != string(canonical) {
		d.canonical = string(canonical)
	}
	return d
}

// Raw gives the document as it was received, white space and duplicate keys included; the caller owns the copy.
func (d Doc) Raw() []byte { return []byte(d.raw) }

// Canonical gives the one spelling of the document's value; the caller owns the copy.
func (d Doc) Canonical() []byte { return []byte(d.canonical) }

// Digest is the lower-case hex SHA-256 of Canonical: 64 characters, or "" for the zero Doc.
func (d Doc) Digest() string { return d.digest }

// IsObject tells whether the document is a JSON object, as the arguments of a call must be.
func (d Doc) IsObject() bool { return d.object }

// IsZero tells the zero Doc from a document, also to encoding/json's omitzero.
func (d Doc) IsZero() bool { return d.digest == "" }

// Decode stores the document in target as encoding/json does, from the canonical form, so that no duplicate key is left for
// target to see. Numbers that land in an interface become json.Number, which keeps integers of any size.
func (d Doc) Decode(target any) error {
	if d.IsZero() {
		return errors.New("decode JSON document: there is no document")
	}
	dec := json.NewDecoder(strings.NewReader(d.canonical))
	dec.UseNumber()
	if err := dec.Decode(target); err != nil {
		return fmt.Errorf("decode JSON document into %T: %w", target, err)
	}
	return nil
}

// MarshalJSON writes the canonical form. An encoder with HTML escaping spells some characters otherwise, which changes neither
// the value nor the digest of what is read back.
func (d Doc) MarshalJSON() ([]byte, error) {
	if d.IsZero() {
		return nil, errors.New("marshal JSON document: there is no document")
	}
	return d.Canonical(), nil
}

// String names the document without showing it, because arguments may hold secrets and values end up in logs.
func (d Doc) String() string {
	if d.IsZero() {
		return "JSON document (none)"
	}
	return fmt.Sprintf("JSON document (%d bytes, sha256 %s)", len(d.raw), d.digest)
}

// GoString is String, so that %#v shows no more than %v.
func (d Doc) GoString() string { return d.String() }
