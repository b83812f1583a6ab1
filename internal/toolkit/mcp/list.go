package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"mindroom/internal/excerpt"
	"mindroom/internal/tool"
)

const (
	// maxTools bounds the functions of one server: every one of them costs each
	// request to a model.
	maxTools = 256
	// maxDescription bounds what a function says of itself, in bytes.
	maxDescription = 8 << 10
	// maxName is the longest name that every provider takes.
	maxName = 64
)

// list asks l for its tools and has calls use both. A tool that cannot be offered is
// left out and told; the others stay.
func (s *server) list(ctx context.Context, l *link) error {
	ctx, cancel := context.WithTimeout(ctx, s.spec.Startup)
	defer cancel()
	defer context.AfterFunc(ctx, l.way.abort)()
	functions, taken, seen := []tool.Function{}, map[string]bool{}, 0
	for t, err := range l.session.Tools(ctx, nil) {
		if err != nil {
			return fmt.Errorf("it does not list its tools: %w", err)
		}
		if seen++; seen > maxTools {
			s.log.Warn("an MCP server lists too many tools; the rest is left out", "most", maxTools)
			break
		}
		if t == nil || slices.Contains(s.spec.Exclude, t.Name) || s.spec.Include != nil && !slices.Contains(s.spec.Include, t.Name) {
			continue
		}
		f, err := s.function(t)
		if err == nil && taken[f.Name.Function] {
			err = fmt.Errorf("another tool of this server is called %s too", f.Name.Function)
		}
		if err != nil {
			s.log.Warn("a tool of an MCP server is left out", "tool", excerpt.Head(t.Name, maxName), "error", err)
			continue
		}
		taken[f.Name.Function] = true
		functions = append(functions, f)
	}
	// By name, so that a server's own order does not change what a model is sent.
	slices.SortFunc(functions, func(a, b tool.Function) int { return strings.Compare(a.Name.Function, b.Name.Function) })
	s.up(l, functions)
	return nil
}

// function makes a tool a function.
func (s *server) function(t *sdk.Tool) (tool.Function, error) {
	schema, err := checkSchema(t.InputSchema)
	if err != nil {
		return tool.Function{}, err
	}
	name := functionName(s.spec.Prefix, t.Name)
	if name == "" {
		return tool.Function{}, fmt.Errorf("it has no name")
	}
	description := t.Description
	if description == "" {
		description = t.Title
	}
	class := tool.Exclusive
	if t.Annotations != nil && t.Annotations.ReadOnlyHint {
		class = tool.Shared
	}
	theirs := t.Name
	return tool.Function{
		Name:        tool.Name{Function: name},
		Description: excerpt.Head(strings.ToValidUTF8(description, "�"), maxDescription),
		Schema:      schema, Class: class, Depends: s.digest(theirs, schema),
		Body: tool.BodyFunc(func(ctx context.Context, in tool.Invocation) tool.Outcome { return s.call(ctx, in, theirs) }),
	}, nil
}

// digest tells whether a call that waited still means what was decided on.
func (s *server) digest(theirs string, schema json.RawMessage) string {
	h := sha256.New()
	fmt.Fprintf(h, "%q %q %q %q %q %s", s.spec.Command, s.spec.Args, s.spec.URL, s.spec.Dir, theirs, schema)
	return hex.EncodeToString(h.Sum(nil))
}

// functionName is what a model calls a tool: the prefix and the tool's own name with
// what not every provider takes made underscores. One too long ends in a digest, so
// that two of the same beginning stay two. Empty for a tool without a name.
func functionName(prefix, theirs string) string {
	if theirs == "" {
		return ""
	}
	name := strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, prefix+"_"+theirs)
	if len(name) <= maxName {
		return name
	}
	sum := sha256.Sum256([]byte(theirs))
	return name[:maxName-9] + "_" + hex.EncodeToString(sum[:4])
}
