package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"mindroom/internal/canonical"
	"mindroom/internal/config"
	"mindroom/internal/excerpt"
	"mindroom/internal/media"
)

// Function is one callable of a toolkit. It is immutable once built.
type Function struct {
	Name Name
	// Description is what a model reads; its first line stands in listings.
	Description string
	// Schema is the JSON Schema of the arguments, an object schema.
	Schema json.RawMessage
	// Confirm says that the function itself asks for a person's confirmation,
	// whatever the rules say (S13).
	Confirm bool
	// Class says whether it may run beside other calls of its owner.
	Class Class
	// Native says that only the model itself may call it where it has the function
	// among its own: it ends the turn, delegates, or asks the requester (M17).
	Native bool
	// Body does the work.
	Body Body
	// Depends is a digest of the configuration this function was built from; a
	// call planned under another one is refused when it would begin. What a toolkit
	// puts here is added to the digest of the agent's own settings.
	Depends string

	arguments *jsonschema.Schema
}

// Invocation is what a body gets to work with.
type Invocation struct {
	Call
	// Snapshot is the newest configuration when the body began.
	Snapshot *config.Snapshot
	// Workspace is the agent's folder for this requester; empty if it has none.
	Workspace string
	// Enclosure is Terms.Enclosure.
	Enclosure Enclosure
	// EndAtTimeout is Terms.EndAtTimeout.
	EndAtTimeout bool
	// Keep stores bytes that the body returns or sends as a file, as the call's own
	// and under its conversation; part tells the files of one call apart. nil where
	// no files are kept.
	Keep func(ctx context.Context, part int, data io.Reader, mime, name string) (media.Ref, error)
}

// Body does the work of a function. It must return soon after its context ends.
type Body interface {
	Run(ctx context.Context, in Invocation) Outcome
}

// BodyFunc makes a function a Body.
type BodyFunc func(ctx context.Context, in Invocation) Outcome

// Run calls f.
func (f BodyFunc) Run(ctx context.Context, in Invocation) Outcome { return f(ctx, in) }

// Spec is what a toolkit's author says of a function besides its types.
type Spec struct {
	Name        string
	Description string
	Confirm     bool
	Class       Class
	Native      bool
	// Enums restricts string arguments to a few values, by argument name. An
	// optional argument may still be null.
	Enums map[string][]string
	// Omit takes arguments out of the schema that this caller is not offered: giving
	// one is refused as any argument that is not there.
	Omit []string
	// Describe replaces the descriptions of arguments, by their names.
	Describe map[string]string
}

// Typed makes a Function from a Go function: the JSON Schema is made from In,
// arguments are checked against it before the body runs and arrive decoded. An
// error that is a *Fault keeps its kind; any other becomes tool_failure. A
// result that cannot be written as JSON ends invalid_tool_result.
//
// It panics when In has no object schema: that is a fault of the program, seen
// by the first test that builds the toolkit.
func Typed[In any](spec Spec, run func(ctx context.Context, in Invocation, args In) (any, error)) Function {
	schema, err := jsonschema.ForType(reflect.TypeFor[In](), &jsonschema.ForOptions{})
	if err != nil {
		panic(fmt.Sprintf("tool: %s: no schema for its arguments: %v", spec.Name, err))
	}
	if schema.Type != "object" {
		panic(fmt.Sprintf("tool: %s: its arguments are no object", spec.Name))
	}
	for name, values := range spec.Enums {
		restrict(spec.Name, schema.Properties[name], name, values)
	}
	for _, name := range spec.Omit {
		delete(schema.Properties, name)
		schema.PropertyOrder = slices.DeleteFunc(schema.PropertyOrder, func(p string) bool { return p == name })
	}
	for name, text := range spec.Describe {
		if p := schema.Properties[name]; p != nil {
			p.Description = text
		}
	}
	raw, err := json.Marshal(schema)
	if err != nil {
		panic(fmt.Sprintf("tool: %s: its schema cannot be written: %v", spec.Name, err))
	}
	body := BodyFunc(func(ctx context.Context, in Invocation) Outcome {
		var args In
		if err := in.Args.Decode(&args); err != nil {
			return Failed(Faultf(FaultArguments, "the arguments of %s cannot be read: %v", in.Name, err))
		}
		value, err := run(ctx, in, args)
		return outcomeOf(ctx, value, err)
	})
	return Function{
		Name: Name{Function: spec.Name}, Description: spec.Description, Schema: raw,
		Confirm: spec.Confirm, Class: spec.Class, Native: spec.Native, Body: body, arguments: schema,
	}
}

// restrict puts an enumeration on one property.
func restrict(function string, s *jsonschema.Schema, name string, values []string) {
	if s == nil {
		panic(fmt.Sprintf("tool: %s: an enumeration for %s, which is no argument", function, name))
	}
	for _, v := range values {
		s.Enum = append(s.Enum, v)
	}
	if slices.Contains(s.Types, "null") {
		s.Enum = append(s.Enum, nil)
	}
}

// outcomeOf turns what a Go body returned into an outcome. A body that was
// interrupted and says so cannot prove what it did.
func outcomeOf(ctx context.Context, value any, err error) Outcome {
	var fault *Fault
	switch {
	case errors.As(err, &fault):
		if fault.Kind == FaultIndeterminate {
			return Outcome{State: StateIndeterminate, Fault: fault}
		}
		return Failed(fault)
	case err != nil && ctx.Err() != nil:
		return Indeterminate("It was interrupted while it ran.")
	case err != nil:
		return Failed(&Fault{Kind: FaultTool, Message: bounded(err.Error(), 2048)})
	}
	if controlled, ok := value.(Controlled); ok {
		out := outcomeOf(ctx, controlled.Value, nil)
		out.Control = controlled.Control
		return out
	}
	if enclosing, ok := value.(Enclosing); ok {
		return enclosing.outcome(ctx)
	}
	if shown, ok := value.(Showing); ok {
		out := outcomeOf(ctx, shown.Value, nil)
		if out.State == StateCompleted {
			out.Media = shown.Media
		}
		return out
	}
	doc, err := canonical.FromValue(value)
	if err != nil {
		return Failed(Faultf(FaultResult, "the tool's result is not strict JSON: %v", err))
	}
	// The canonical form is the same bytes for the same value, which raw is not.
	return Completed(doc.Canonical())
}

// Controlled is a result together with a request to the turn around the call.
type Controlled struct {
	Value   any
	Control Control
}

// Showing is a result together with pictures and files.
type Showing struct {
	Value any
	// Media were kept by Invocation.Keep.
	Media []media.Ref
}

// bounded keeps the head of s, at most n bytes, without cutting a character.
func bounded(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return excerpt.Head(s, n) + "…"
}
