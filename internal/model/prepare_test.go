package model_test

import (
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"mindroom/internal/media"
	"mindroom/internal/model"
)

func call(id string) model.Part { return model.CallPart(model.Call{ID: id, Name: "t" + id}) }

func result(id, text string) model.Message {
	return model.ToolResults(model.Result{CallID: id, Name: "t" + id, Text: text})
}

func assistant(parts ...model.Part) model.Message {
	return model.Message{Role: model.RoleAssistant, Parts: parts}
}

// Sentence 3.
func TestPrepareDropsForeignOpaque(t *testing.T) {
	t.Parallel()
	mine := model.OpaquePart(model.Opaque{Provider: "p", Model: "m", Raw: []byte("x")})
	other := model.OpaquePart(model.Opaque{Provider: "p", Model: "m2", Raw: []byte("y")})
	third := model.OpaquePart(model.Opaque{Provider: "q", Model: "m", Raw: []byte("z")})
	in := []model.Message{model.UserText("a"), assistant(mine, other, third, model.TextPart("b")), assistant(third)}
	before := append([]model.Part(nil), in[1].Parts...)
	want := []model.Message{model.UserText("a"), assistant(mine, model.TextPart("b"))}
	if got := model.Prepare(in, "p", "m"); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if !reflect.DeepEqual(in[1].Parts, before) {
		t.Error("the original changed")
	}
}

// Sentence 4.
func TestPrepareAnswersEveryCall(t *testing.T) {
	t.Parallel()
	in := []model.Message{
		result("0", "a stray one"),
		model.UserText("go"),
		assistant(call("1"), call("2"), call("3")),
		result("3", "three"),
		result("1", "one"),
		result("1", "one again"),
		result("9", "nobody asked"),
		model.UserText("and?"),
		result("2", "too late"),
	}
	got := model.Prepare(in, "p", "m")
	if len(got) != 4 {
		t.Fatalf("got %d messages: %+v", len(got), got)
	}
	results := got[2].Results()
	if len(results) != 3 || results[0].Text != "one" || results[2].Text != "three" {
		t.Fatalf("results: %+v", results)
	}
	if lost := results[1]; lost.CallID != "2" || lost.Name != "t2" || !lost.IsError || lost.Text == "" {
		t.Errorf("the missing result became %+v", lost)
	}
}

// Whatever the transcript, each call is followed by its one result, and preparing twice changes nothing.
func TestPrepareAlwaysPairs(t *testing.T) {
	t.Parallel()
	ids := rapid.SampledFrom([]string{"1", "2", "3"})
	message := rapid.Custom(func(t *rapid.T) model.Message {
		switch rapid.IntRange(0, 2).Draw(t, "role") {
		case 0:
			return model.UserText("u")
		case 1:
			m := assistant()
			for _, id := range rapid.SliceOfNDistinct(ids, 0, 3, rapid.ID).Draw(t, "calls") {
				m.Parts = append(m.Parts, call(id))
			}
			return m
		}
		return result(ids.Draw(t, "id"), "r")
	})
	rapid.Check(t, func(t *rapid.T) {
		got := model.Prepare(rapid.SliceOfN(message, 0, 8).Draw(t, "messages"), "p", "m")
		for i, m := range got {
			if len(m.Parts) == 0 {
				t.Fatalf("message %d is empty", i)
			}
			calls := m.Calls()
			if len(calls) == 0 {
				continue
			}
			if i+1 == len(got) || len(got[i+1].Results()) != len(calls) {
				t.Fatalf("the calls of message %d are not answered: %+v", i, got)
			}
			for j, r := range got[i+1].Results() {
				if r.CallID != calls[j].ID {
					t.Fatalf("result %d answers %s, want %s", j, r.CallID, calls[j].ID)
				}
			}
		}
		if again := model.Prepare(got, "p", "m"); !reflect.DeepEqual(again, got) {
			t.Fatalf("prepared twice: %+v, then %+v", got, again)
		}
	})
}

func TestMoveResultMedia(t *testing.T) {
	t.Parallel()
	ref := media.Ref{Digest: "d", MIME: "image/png"}
	shown := model.ToolResults(model.Result{CallID: "1", Name: "camera", Text: "done", Media: []media.Ref{ref}})
	bare := model.ToolResults(model.Result{CallID: "1", Name: "camera", Text: "done"})
	carried := []model.Part{model.TextPart("Media returned by camera:"), model.MediaPart(ref)}
	for name, c := range map[string]struct{ in, want []model.Message }{
		"into the next user message": {
			[]model.Message{shown, model.UserText("nice?")},
			[]model.Message{bare, {Role: model.RoleUser, Parts: append(append([]model.Part{}, carried...), model.TextPart("nice?"))}},
		},
		"into a new one before an answer": {
			[]model.Message{shown, assistant(model.TextPart("I see"))},
			[]model.Message{bare, {Role: model.RoleUser, Parts: carried}, assistant(model.TextPart("I see"))},
		},
		"into a new one at the end": {
			[]model.Message{shown},
			[]model.Message{bare, {Role: model.RoleUser, Parts: carried}},
		},
		"not between two tool messages": {
			[]model.Message{shown, bare},
			[]model.Message{bare, bare, {Role: model.RoleUser, Parts: carried}},
		},
		"nothing to move": {[]model.Message{bare}, []model.Message{bare}},
	} {
		if got := model.MoveResultMedia(c.in); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %+v, want %+v", name, got, c.want)
		}
	}
	if len(shown.Results()[0].Media) != 1 {
		t.Error("the original lost its media")
	}
}

func TestUniqueCallIDs(t *testing.T) {
	t.Parallel()
	parts := []model.Part{call("a"), model.TextPart("x"), call(""), call("a"), call("b"), call("")}
	model.UniqueCallIDs(parts)
	seen := make(map[string]bool)
	for _, c := range (model.Message{Parts: parts}).Calls() {
		if c.ID == "" || seen[c.ID] {
			t.Errorf("id %q is empty or there twice", c.ID)
		}
		seen[c.ID] = true
	}
	if !seen["a"] || !seen["b"] {
		t.Errorf("good ids were not kept: %v", seen)
	}
}

func TestOutgoingName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"website__read_url": "website__read_url", "do it!": "do_it_", "": "unnamed_tool", "größe": "gr__e",
	} {
		if got := model.OutgoingName(name); got != want {
			t.Errorf("%q became %q, want %q", name, got, want)
		}
	}
}
