package secret

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// MinLength is the shortest value that is registered, in bytes. A shorter one
// would be found all over ordinary text; what is that short is no secret that a
// log could give away.
const MinLength = 8

// keyLength bounds how much of a secret is looked up by its hash. What lies
// beyond is compared byte by byte, and what was compared is skipped: this keeps
// the work linear in the text.
const keyLength = 128

// Default is the redactor of the process, in which every Value registers.
var Default = &Redactor{}

// Redactor replaces known secrets, and what looks like one, by Mark. The zero
// Redactor is ready; it may be used by many goroutines.
type Redactor struct {
	mu    sync.RWMutex
	count map[string]int
	// buckets leads from the first MinLength bytes to the secrets that begin so.
	buckets map[uint64]*bucket
}

// Add registers s in the spellings in which it may come back. A value shorter
// than MinLength is ignored. Adding twice wants two removals.
func (r *Redactor) Add(s string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.count == nil {
		r.count, r.buckets = map[string]int{}, map[uint64]*bucket{}
	}
	for _, form := range spellings(s) {
		if r.count[form]++; r.count[form] == 1 {
			r.insert(form)
		}
	}
}

// Remove takes back one Add of s.
func (r *Redactor) Remove(s string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, form := range spellings(s) {
		switch r.count[form] {
		case 0:
		case 1:
			delete(r.count, form)
			r.drop(form)
		default:
			r.count[form]--
		}
	}
}

// spellings lists s as it is and as JSON strings and URLs hold it. A piece of
// Mark is no secret: to replace it would change what was redacted before.
func spellings(s string) []string {
	if len(s) < MinLength || strings.Contains(Mark, s) {
		return nil
	}
	forms := []string{s, url.QueryEscape(s), url.PathEscape(s)}
	for _, html := range []bool{true, false} {
		var quoted strings.Builder
		enc := json.NewEncoder(&quoted)
		enc.SetEscapeHTML(html)
		if enc.Encode(s) == nil { // a string always encodes
			forms = append(forms, strings.TrimSuffix(quoted.String(), "\"\n")[1:])
		}
	}
	slices.Sort(forms)
	return slices.Compact(forms)
}

func (r *Redactor) insert(s string) {
	at := start(s)
	b := r.buckets[at]
	if b == nil {
		b = &bucket{keys: map[string][]string{}}
		r.buckets[at] = b
	}
	key := s[:min(len(s), keyLength)]
	b.keys[key] = append(b.keys[key], s)
	b.measure()
}

func (r *Redactor) drop(s string) {
	at := start(s)
	b := r.buckets[at]
	key := s[:min(len(s), keyLength)]
	b.keys[key] = slices.DeleteFunc(b.keys[key], func(have string) bool { return have == s })
	if len(b.keys[key]) == 0 {
		delete(b.keys, key)
	}
	if len(b.keys) == 0 {
		delete(r.buckets, at)
	}
	b.measure()
}

// start packs the first MinLength bytes.
func start(s string) uint64 {
	var w uint64
	for i := range MinLength {
		w = w<<8 | uint64(s[i])
	}
	return w
}

// Redact returns s with every registered secret, and every value that its
// surroundings call one (see patterns.go), replaced by Mark.
func (r *Redactor) Redact(s string) string { return redactPatterns(r.redactKnown(s)) }

func (r *Redactor) redactKnown(s string) string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if len(r.buckets) == 0 || len(s) < MinLength {
		return s
	}
	var out strings.Builder
	copied := 0
	w := start(s)
	for i := 0; ; {
		n := 0
		if b := r.buckets[w]; b != nil {
			n = b.match(s[i:])
		}
		if n > 0 {
			out.WriteString(s[copied:i])
			out.WriteString(Mark)
			i += n
			copied = i
			if i+MinLength > len(s) {
				break
			}
			w = start(s[i:])
			continue
		}
		if i+MinLength >= len(s) {
			break
		}
		w = w<<8 | uint64(s[i+MinLength])
		i++
	}
	if copied == 0 {
		return s
	}
	out.WriteString(s[copied:])
	return out.String()
}
