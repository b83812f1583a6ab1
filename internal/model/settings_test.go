package model_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"mindroom/internal/media"
	"mindroom/internal/model"
)

func TestKwargs(t *testing.T) {
	t.Parallel()
	k := model.ReadKwargs(map[string]any{
		"text": "a", "float": 1, "int": 3.0, "seconds": 0.5, "object": map[string]any{"x": []any{1, "y"}}, "nothing": nil,
	})
	if got := k.String("text"); got != "a" {
		t.Errorf("text is %q", got)
	}
	if got := k.Float("float"); got == nil || *got != 1 {
		t.Errorf("float is %v", got)
	}
	if got := k.Int("int"); got != 3 {
		t.Errorf("int is %d", got)
	}
	if got := k.Seconds("seconds", time.Minute); got != 500*time.Millisecond {
		t.Errorf("seconds are %s", got)
	}
	if got := k.Object("object"); string(got["x"]) != `[1,"y"]` {
		t.Errorf("object is %s", got)
	}
	if k.String("absent") != "" || k.Float("absent") != nil || k.Int("absent") != 0 || k.Object("absent") != nil ||
		k.Seconds("absent", time.Minute) != time.Minute || k.String("nothing") != "" {
		t.Error("an absent value is not its default")
	}
	if err := k.Err(); err != nil {
		t.Errorf("Err: %v", err)
	}
}

func TestKwargsRefuse(t *testing.T) {
	t.Parallel()
	k := model.ReadKwargs(map[string]any{
		"text": 1, "float": "sk-secret", "int": 0, "whole": 1.5, "seconds": -1, "object": "x", "typo": "sk-secret",
	})
	k.String("text")
	k.Float("float")
	k.Int("int")
	k.Int("whole")
	k.Seconds("seconds", time.Minute)
	k.Object("object")
	err := k.Err()
	if err == nil {
		t.Fatal("everything was taken")
	}
	for _, key := range []string{"text", "float", "int", "whole", "seconds", "object", "typo"} {
		if !strings.Contains(err.Error(), "extra_kwargs."+key+" ") {
			t.Errorf("%v does not name %s", err, key)
		}
	}
	if strings.Contains(err.Error(), "sk-secret") {
		t.Errorf("a value is in %v", err)
	}
}

func TestRegistry(t *testing.T) {
	t.Parallel()
	fault := errors.New("no")
	r := model.Registry{
		"good": func(model.Settings) (model.Provider, error) { return &flaky{}, nil },
		"bad":  func(model.Settings) (model.Provider, error) { return nil, fault },
	}
	if p, err := r.New("good", model.Settings{}); err != nil || p.Name() != "flaky" {
		t.Errorf("good: %v, %v", p, err)
	}
	if _, err := r.New("bad", model.Settings{}); !errors.Is(err, fault) || !strings.Contains(err.Error(), `"bad"`) {
		t.Errorf("bad: %v", err)
	}
	if _, err := r.New("ugly", model.Settings{}); err == nil || !strings.Contains(err.Error(), "bad, good") {
		t.Errorf("ugly: %v, want the known ones named", err)
	}
	if _, err := model.Registry(nil).New("good", model.Settings{}); err == nil {
		t.Error("a nil registry knew one")
	}
}

// Sentence 6: every kind has a sentence for a person, and none repeats the detail.
func TestSentences(t *testing.T) {
	t.Parallel()
	seen := make(map[string]model.Kind)
	for _, kind := range []model.Kind{
		model.KindAuth, model.KindRateLimit, model.KindOverloaded, model.KindContextOverflow, model.KindBadRequest,
		model.KindNetwork, model.KindTimeout, model.KindRefused, model.KindCancelled, model.KindOther,
	} {
		e := &model.Error{Kind: kind, Provider: "acme", Status: 418, Detail: "raw words"}
		s := e.Sentence()
		if strings.Contains(s, "raw words") || !strings.HasSuffix(s, ".") || seen[s] != "" {
			t.Errorf("%s says %q", kind, s)
		}
		seen[s] = kind
		if !strings.Contains(e.Error(), "raw words") || !strings.Contains(e.Error(), string(kind)) {
			t.Errorf("the log would read %q", e.Error())
		}
	}
	for want, e := range map[string]*model.Error{
		"has no API key. Set KEY.":      {Kind: model.KindAuth, Provider: "a", Remedy: "Set KEY."},
		"refused the API key. Set KEY.": {Kind: model.KindAuth, Provider: "a", Status: 401, Remedy: "Set KEY."},
		"try again in 7s":               {Kind: model.KindRateLimit, RetryAfter: 7 * time.Second},
		`model id "gone" exists`:        {Kind: model.KindBadRequest, Status: 404, Model: "gone"},
	} {
		if !strings.Contains(e.Sentence(), want) {
			t.Errorf("%+v says %q, want %q in it", e, e.Sentence(), want)
		}
	}
}

func TestLoadMedia(t *testing.T) {
	t.Parallel()
	ref := media.Ref{Digest: "d", MIME: "image/png", Name: "a.png"}
	big := ref
	big.Size, big.MIME = model.MaxInlineMedia+1, "application/pdf"
	load := func(data []byte, err error) model.MediaLoader {
		return func(context.Context, media.Ref) ([]byte, error) { return data, err }
	}
	for name, c := range map[string]struct {
		loader model.MediaLoader
		ref    media.Ref
		note   string
	}{
		"loaded":                 {load([]byte("x"), nil), ref, ""},
		"no loader":              {nil, ref, "cannot be loaded"},
		"gone":                   {load(nil, errors.New("gone")), ref, "no longer available"},
		"empty":                  {load(nil, nil), ref, "no longer available"},
		"said to be big":         {load([]byte("x"), nil), big, "too large"},
		"not to be made smaller": {load(nil, &media.Error{Kind: media.TooLarge}), ref, "too large"},
		"big":                    {load(make([]byte, model.MaxInlineMedia+1), nil), ref, "too large"},
	} {
		data, _, note := model.Request{Media: c.loader}.LoadMedia(t.Context(), c.ref)
		if !strings.Contains(note, c.note) || (note == "") != (data != nil) || (c.note == "") != (note == "") {
			t.Errorf("%s: %d bytes and the note %q, want %q", name, len(data), note, c.note)
		}
		if note != "" && !strings.Contains(note, "a.png ("+c.ref.MIME+")") {
			t.Errorf("%s: the note %q does not name the file", name, note)
		}
	}
}

// A picture that was made smaller is of another type than the file it was made of;
// anything else is what it is said to be.
func TestLoadMediaType(t *testing.T) {
	t.Parallel()
	jpeg := "\xff\xd8\xff\xe0"
	for name, c := range map[string]struct{ said, data, want string }{
		"as said":          {"image/png", "\x89PNG\r\n\x1a\n", "image/png"},
		"made smaller":     {"image/png", jpeg, "image/jpeg"},
		"not to be told":   {"image/png", "?", "image/png"},
		"no picture":       {"application/pdf", jpeg, "application/pdf"},
		"with a parameter": {"text/Plain; charset=utf-8", "x", "text/plain"},
	} {
		load := func(context.Context, media.Ref) ([]byte, error) { return []byte(c.data), nil }
		if _, mime, note := (model.Request{Media: load}).LoadMedia(t.Context(), media.Ref{MIME: c.said}); mime != c.want || note != "" {
			t.Errorf("%s: %s %s", name, mime, note)
		}
	}
}

func TestUsageAdds(t *testing.T) {
	t.Parallel()
	a := model.Usage{Input: 1, Output: 2, CacheRead: 3, CacheWrite: 4, Reasoning: 5}
	if got, want := a.Add(a), (model.Usage{Input: 2, Output: 4, CacheRead: 6, CacheWrite: 8, Reasoning: 10}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
