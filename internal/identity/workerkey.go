package identity

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// Scope says who shares a worker and its state.
type Scope string

// The scopes of runtime configuration. ScopeNone is the unset value.
const (
	ScopeNone      Scope = ""
	ScopeShared    Scope = "shared"
	ScopeUser      Scope = "user"
	ScopeUserAgent Scope = "user_agent"
)

// WorkerKey names one worker. Its form is the public system's, so that state
// folders made by either are found by both.
type WorkerKey string

const keyVersion = "v1"

// KeyFor is the worker key of scope for this identity. Scope user has no agent
// component; ScopeNone gives the key of an agent's unscoped worker.
func KeyFor(scope Scope, e Execution) WorkerKey {
	tenant := part(firstNonEmpty(e.Tenant, e.Account, "default"), false)
	agent, requester := part(e.Agent, false), requesterPart(e.Requester)
	switch scope {
	case ScopeUser:
		return join(tenant, "user", requester)
	case ScopeUserAgent:
		return join(tenant, "user_agent", requester, agent)
	case ScopeShared:
		return join(tenant, "shared", agent)
	default:
		return join(tenant, "unscoped", agent)
	}
}

// RunKey is the key of the dedicated worker of one run: the canonical
// requester-and-agent key with the run id spliced before the agent, which
// stays the last component (S45).
func RunKey(e Execution, run RunID) WorkerKey {
	return KeyFor(ScopeUserAgent, e).withRun(run)
}

// withRun splices a run id before the last component.
func (k WorkerKey) withRun(run RunID) WorkerKey {
	i := strings.LastIndexByte(string(k), ':')
	return k[:i] + ":" + WorkerKey(run) + k[i:]
}

// Dir is the folder name of a key's state: a readable prefix of at most 80
// characters and the first 16 hex digits of the key's SHA-256.
func (k WorkerKey) Dir() string {
	sum := sha256.Sum256([]byte(k))
	prefix := part(strings.ReplaceAll(string(k), ":", "_"), false)
	if len(prefix) > 80 {
		prefix = prefix[:80]
	}
	return prefix + "-" + hex.EncodeToString(sum[:])[:16]
}

func join(parts ...string) WorkerKey {
	return WorkerKey(keyVersion + ":" + strings.Join(parts, ":"))
}

// part normalises one component: anything outside the allowed set becomes an
// underscore; a requester also keeps its colons.
func part(s string, colons bool) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9',
			strings.ContainsRune("._@+-", r), colons && r == ':':
			b.WriteRune(r)
		default:
			b.WriteByte('_')
		}
	}
	if out := strings.Trim(b.String(), "_"); out != "" {
		return out
	}
	return "default"
}

// requesterPart is the component of a requester. Matrix ids may hold characters
// that a component may not, so that two of them would meet in one key, and two
// people in one state: such an id is told apart by a hash behind its server name,
// after a + that no server name can hold. An ordinary id stays as it is.
func requesterPart(id string) string {
	out := part(id, true)
	_, server, _ := strings.Cut(id, ":")
	if out == id && !strings.ContainsAny(server, "+@_") {
		return out
	}
	sum := sha256.Sum256([]byte(id))
	return out + "+" + hex.EncodeToString(sum[:])[:16]
}

func firstNonEmpty(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}
