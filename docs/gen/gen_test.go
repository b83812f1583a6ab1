package main

import (
	"context"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A page that is not up to date tells people what an older version did.
func TestPagesAreUpToDate(t *testing.T) {
	t.Parallel()
	stale, err := generate(context.Background(), "../..", false)
	if err != nil {
		t.Fatal(err)
	}
	if len(stale) > 0 {
		t.Errorf("not up to date: %s: run 'go run ./docs/gen'", strings.Join(stale, ", "))
	}
}

func TestFillReplacesOnlyWhatStandsBetweenTheMarks(t *testing.T) {
	t.Parallel()
	page := "before\n<!-- gen:a -->\nold\n<!-- /gen -->\nbetween\n<!-- gen:b --><!-- /gen -->\nafter\n"
	page = strings.ReplaceAll(page, "b --><!--", "b -->\n<!--")
	got, err := fill([]byte(page), func(name string) (string, error) { return "new " + name + "\n\n", nil })
	want := "before\n<!-- gen:a -->\nnew a\n<!-- /gen -->\nbetween\n<!-- gen:b -->\nnew b\n<!-- /gen -->\nafter\n"
	if err != nil || string(got) != want {
		t.Fatalf("got %q, %v", got, err)
	}
	again, err := fill(got, func(name string) (string, error) { return "new " + name, nil })
	if err != nil || string(again) != want {
		t.Errorf("filling twice changed the page: %q, %v", again, err)
	}
}

func TestFillRefusesBrokenMarks(t *testing.T) {
	t.Parallel()
	for name, page := range map[string]string{
		"no end":         "<!-- gen:a -->\ntext\n",
		"mark not ended": "<!-- gen:a\n-->\n<!-- /gen -->",
	} {
		if _, err := fill([]byte(page), func(string) (string, error) { return "text", nil }); err == nil {
			t.Errorf("%s: it was accepted", name)
		}
	}
	if _, err := fill([]byte("<!-- gen:a -->\n<!-- /gen -->"), func(string) (string, error) { return "\n", nil }); err == nil {
		t.Error("a part without text was accepted")
	}
}

func TestAdviceAndDeclarationsMustAgree(t *testing.T) {
	t.Parallel()
	kinds := []constant{{Name: "A", Value: "a"}, {Name: "B", Value: "b"}}
	for name, advice := range map[string]map[string]string{
		"a kind without advice": {"a": "do"},
		"advice without a kind": {"a": "do", "b": "do", "c": "do"},
	} {
		if text, err := advised(kinds, advice, "what to do"); err == nil {
			t.Errorf("%s: it was accepted: %s", name, text)
		}
	}
	text, err := advised(kinds, map[string]string{"a": "one | two", "b": "three"}, "what to do")
	if err != nil || !strings.Contains(text, `| one \| two |`) {
		t.Errorf("got %q, %v", text, err)
	}
}
