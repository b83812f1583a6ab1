package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"mindroom/internal/canonical"
)

// order is a struct of every kind of field a toolkit's arguments have.
type order struct {
	Name   string         `json:"name" jsonschema:"What it is called."`
	Size   *string        `json:"size,omitempty"`
	Count  int64          `json:"count,omitempty"`
	Level  uint8          `json:"level,omitempty"`
	Share  float64        `json:"share,omitempty"`
	Urgent *bool          `json:"urgent,omitempty"`
	Tags   []string       `json:"tags,omitempty"`
	Pair   [2]int         `json:"pair,omitzero"`
	Stock  map[string]int `json:"stock,omitempty"`
	Where  *location      `json:"where,omitempty"`
	Any    any            `json:"any,omitempty"`
}

type location struct {
	Room string `json:"room"`
}

func orderFunction(got *order) *Function {
	f := Typed(Spec{
		Name: "order", Description: "Order a thing.\nAt most one.", Confirm: true, Class: Shared,
		Enums: map[string][]string{"size": {"small", "large"}},
	}, func(_ context.Context, _ Invocation, a order) (any, error) {
		*got = a
		return nil, nil
	})
	return &f
}

func TestTypedSchema(t *testing.T) {
	t.Parallel()
	f := orderFunction(&order{})
	if f.Name.Function != "order" || !f.Confirm || f.Class != Shared || f.Description != "Order a thing.\nAt most one." {
		t.Errorf("the specification is not in %+v", f)
	}
	var schema struct {
		Type       string
		Required   []string
		Additional any `json:"additionalProperties"`
		Properties map[string]json.RawMessage
	}
	if err := json.Unmarshal(f.Schema, &schema); err != nil {
		t.Fatal(err)
	}
	for what, got := range map[string][2]string{
		"type":             {schema.Type, "object"},
		"required":         {fmt.Sprint(schema.Required), "[name]"},
		"other arguments":  {fmt.Sprint(schema.Additional), "false"},
		"name":             {string(schema.Properties["name"]), `{"type":"string","description":"What it is called."}`},
		"size":             {string(schema.Properties["size"]), `{"type":["null","string"],"enum":["small","large",null]}`},
		"count":            {string(schema.Properties["count"]), `{"type":"integer"}`},
		"number of fields": {fmt.Sprint(len(schema.Properties)), "11"},
	} {
		if got[0] != got[1] {
			t.Errorf("%s: %s, want %s", what, got[0], got[1])
		}
	}
}

func TestTypedRefusesAProgramsFaults(t *testing.T) {
	t.Parallel()
	for name, make := range map[string]func(){
		"arguments that are no object": func() {
			Typed(Spec{Name: "x"}, func(context.Context, Invocation, []string) (any, error) { return nil, nil })
		},
		"a type without a schema": func() {
			Typed(Spec{Name: "x"}, func(context.Context, Invocation, struct{ C chan int }) (any, error) { return nil, nil })
		},
		"an enumeration of no argument": func() {
			Typed(Spec{Name: "x", Enums: map[string][]string{"nothing": {"a"}}}, func(context.Context, Invocation, struct{}) (any, error) { return nil, nil })
		},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			make()
		}()
	}
}

// TestArguments holds what is said of arguments: where, what was expected, what
// was received; and that whatever passes also reaches the body.
func TestArguments(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ arguments, want string }{
		{`{"name":"a"}`, ""},
		{`{"name":"a","size":null,"urgent":null,"tags":null}`, ""},
		{`{"name":"a","size":"large","count":-9223372036854775808,"level":255,"share":1e300,"tags":["x"],"pair":[1,2],"stock":{"x":1},"where":{"room":"r"}}`, ""},
		{`{"name":"a","any":[1,"x",{"y":null}]}`, ""},
		{`{"name":"a","any":123456789012345678901234567890}`, ""},
		{`{}`, "name: expected string, received nothing"},
		{`{"name":1}`, "name: expected string, received the number 1"},
		{`{"name":null}`, "name: expected string, received null"},
		{`{"name":"a","count":"many"}`, `count: expected integer, received the string "many"`},
		{`{"name":"a","count":1.5}`, "count: expected integer, received the number 1.5"},
		{`{"name":"a","count":9223372036854775808}`, "count: expected an integer of 64 bits, received the number 9223372036854775808"},
		{`{"name":"a","level":256}`, "level: expected a number from 0 to 255, received the number 256"},
		{`{"name":"a","level":-1}`, "level: expected a number from 0 to 255, received the number -1"},
		{`{"name":"a","share":true}`, "share: expected number, received the boolean true"},
		{`{"name":"a","size":"huge"}`, `size: expected one of "small", "large", null, received the string "huge"`},
		{`{"name":"a","size":["small"]}`, "size: expected null or string, received an array of 1"},
		{`{"name":"a","tags":["x",2]}`, "tags[1]: expected string, received the number 2"},
		{`{"name":"a","tags":{"x":1}}`, "tags: expected null or array, received an object of 1 members"},
		{`{"name":"a","pair":[1]}`, "pair: expected 2 items, received an array of 1"},
		{`{"name":"a","stock":{"nails":"x"}}`, `stock.nails: expected integer, received the string "x"`},
		{`{"name":"a","where":{}}`, "where.room: expected string, received nothing"},
		{`{"name":"a","where":{"room":"r","door":1}}`, "where.door: no such argument; it takes room"},
		{`{"name":"a","nmae":"b"}`, "nmae: no such argument; it takes any, count, level, name, pair, share, size, stock, tags, urgent, where"},
		{`{"Name":"a","name":"a"}`, "Name: no such argument; it takes any, count, level, name, pair, share, size, stock, tags, urgent, where"},
		{`[1]`, "arguments: expected object, received an array of 1"},
		{`{"name":"` + strings.Repeat("ü", 100) + `","size":"` + strings.Repeat("ü", 100) + `"}`,
			`size: expected one of "small", "large", null, received the string "` + strings.Repeat("ü", 20) + `…"`},
	} {
		var got order
		f := orderFunction(&got)
		f.Name.Toolkit = "shop"
		doc := args(t, c.arguments)
		fault := checkArguments(f, doc)
		if c.want == "" {
			if fault != nil {
				t.Errorf("%s: %v", c.arguments, fault)
			} else if out := f.Body.Run(t.Context(), Invocation{Call: Call{Args: doc, Name: f.Name}}); out.State != StateCompleted || got.Name != "a" {
				t.Errorf("%s: passed the check, and the body got %+v: %v", c.arguments, got, out.Fault)
			}
			continue
		}
		want := "the arguments of shop.order do not fit: " + c.want
		if fault == nil || fault.Kind != FaultArguments || fault.Retryable || fault.Message != want {
			t.Errorf("%s:\n  %v\n  want %s", c.arguments, fault, want)
		}
	}
}

func TestArgumentsWithoutParameters(t *testing.T) {
	t.Parallel()
	f := Typed(Spec{Name: "now"}, func(context.Context, Invocation, struct{}) (any, error) { return nil, nil })
	if fault := checkArguments(&f, canonical.EmptyObject); fault != nil {
		t.Error(fault)
	}
	fault := checkArguments(&f, args(t, `{"zone":"utc"}`))
	if fault == nil || !strings.HasSuffix(fault.Message, "zone: no such argument; it takes none") {
		t.Errorf("an argument of a function that takes none: %v", fault)
	}
	// A function whose schema another process checks has none here.
	if fault := checkArguments(&Function{}, args(t, `{"zone":"utc"}`)); fault != nil {
		t.Error(fault)
	}
}

// FuzzArguments holds that no arguments break the check, and that whatever
// passes it can be decoded: a body never meets what its types cannot hold.
func FuzzArguments(f *testing.F) {
	f.Add(`{"name":"a","size":"small","count":9223372036854775807,"pair":[1,2],"stock":{"a":1},"where":{"room":"r"}}`)
	f.Add(`{"name":"a","share":1e400,"level":1.0}`)
	f.Add(`{"NAME":null,"tags":[[]]}`)
	fn := orderFunction(&order{})
	f.Fuzz(func(t *testing.T, text string) {
		doc, err := canonical.Parse([]byte(text), canonical.Limits{})
		if err != nil {
			return
		}
		fault := checkArguments(fn, doc)
		var o order
		err = doc.Decode(&o)
		switch {
		case fault == nil && err != nil:
			t.Errorf("%s passed the check and does not decode: %v", text, err)
		case fault != nil && (fault.Kind != FaultArguments || fault.Message == ""):
			t.Errorf("%s: %v", text, fault)
		}
	})
}

// TestTypedOutcome holds how what a Go body returns becomes an outcome.
func TestTypedOutcome(t *testing.T) {
	t.Parallel()
	ended, end := context.WithCancel(context.Background())
	end()
	fault := &Fault{Kind: FaultUnavailable, Message: "later", Retryable: true}
	for _, c := range []struct {
		name  string
		ctx   context.Context
		value any
		err   error
		state State
		kind  FaultKind
		want  string
	}{
		{"nothing", t.Context(), nil, nil, StateCompleted, "", "null"},
		{"a value", t.Context(), map[string]any{"a": "é"}, nil, StateCompleted, "", `{"a":"é"}`},
		{"a big integer", t.Context(), uint64(math.MaxUint64), nil, StateCompleted, "", "18446744073709551615"},
		{"a float stays one", t.Context(), 1.0, nil, StateCompleted, "", "1.0"},
		{"not a number", t.Context(), math.NaN(), nil, StateFailed, FaultResult, ""},
		{"infinite, deep inside", t.Context(), []any{map[string]any{"x": math.Inf(1)}}, nil, StateFailed, FaultResult, ""},
		{"no UTF-8", t.Context(), "\xff", nil, StateFailed, FaultResult, ""},
		{"not JSON at all", t.Context(), make(chan int), nil, StateFailed, FaultResult, ""},
		{"an error", t.Context(), nil, errors.New("disk full"), StateFailed, FaultTool, ""},
		{"a fault keeps its kind", t.Context(), nil, fmt.Errorf("sending: %w", fault), StateFailed, FaultUnavailable, ""},
		{"it says it cannot tell", t.Context(), nil, Faultf(FaultIndeterminate, "sent, unconfirmed"), StateIndeterminate, FaultIndeterminate, ""},
		{"interrupted", ended, nil, ended.Err(), StateIndeterminate, FaultIndeterminate, ""},
		{"interrupted, and its fault is known", ended, nil, fault, StateFailed, FaultUnavailable, ""},
		{"interrupted too late", ended, "done", nil, StateCompleted, "", `"done"`},
		{"a long error is cut", t.Context(), nil, errors.New(strings.Repeat("ü", 4096)), StateFailed, FaultTool, ""},
	} {
		f := Typed(Spec{Name: "x"}, func(context.Context, Invocation, struct{}) (any, error) { return c.value, c.err })
		out := f.Body.Run(c.ctx, Invocation{Call: Call{Args: canonical.EmptyObject}})
		kind := FaultKind("")
		if out.Fault != nil {
			kind = out.Fault.Kind
			if len(out.Fault.Message) > 2100 || !json.Valid(mustJSON(t, out.Fault)) {
				t.Errorf("%s: a message of %d bytes", c.name, len(out.Fault.Message))
			}
		}
		if out.State != c.state || kind != c.kind || string(out.Value) != c.want {
			t.Errorf("%s: %s %q %s, want %s %q %s", c.name, out.State, kind, out.Value, c.state, c.kind, c.want)
		}
	}
}

func TestTypedControl(t *testing.T) {
	t.Parallel()
	f := Typed(Spec{Name: "x"}, func(context.Context, Invocation, struct{}) (any, error) {
		return Controlled{Value: "bye", Control: ControlEndTurn}, nil
	})
	out := f.Body.Run(t.Context(), Invocation{Call: Call{Args: canonical.EmptyObject}})
	if out.State != StateCompleted || string(out.Value) != `"bye"` || out.Control != ControlEndTurn {
		t.Errorf("a result with a request to its turn became %+v", out)
	}
}

func mustJSON(t *testing.T, v any) []byte {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
