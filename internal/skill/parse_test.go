package skill

import (
	"strings"
	"testing"
	"unicode/utf8"

	"mindroom/internal/config"
)

const greeting = "---\nname: greet\ndescription: >\n  Greets people\n  in their language.\nlicense: MIT\nmetadata: {author: &a [x], again: *a}\n---\n\n# Greeting\n\n---\nSay {hello}.\n"

func TestParse(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ folder, text, fails string }{
		"whole":                 {"greet", greeting, ""},
		"no name":               {"greet", "---\ndescription: d\n---\nx", ""},
		"name of nothing":       {"greet", "---\nname:\ndescription: d\n---\nx", ""},
		"lines of Windows":      {"greet", "\uFEFF---\r\nname: greet\r\ndescription: d\r\n--- \r\nx", ""},
		"a number for a name":   {"42", "---\nname: 42\ndescription: d\n---\nx", ""},
		"as long as may be":     {"greet", "---\ndescription: " + strings.Repeat("ä", MaxDescription) + "\n---\nx", ""},
		"folder in capitals":    {"Greet", greeting, "the name of its folder"},
		"folder with two":       {"a--b", greeting, "the name of its folder"},
		"folder too long":       {strings.Repeat("a", config.MaxSkillName+1), greeting, "the name of its folder"},
		"another name":          {"hello", greeting, `names it "greet" and its folder "hello"`},
		"nothing":               {"greet", "", "must begin with"},
		"no front matter":       {"greet", "# Greet\n", "must begin with"},
		"it does not end":       {"greet", "---\ndescription: d\nx", "must begin with"},
		"too much of it":        {"greet", "---\ndescription: d\nx: " + strings.Repeat("y", maxFront) + "\n---\nx", "must begin with"},
		"empty":                 {"greet", "---\n---\nx", "it is empty"},
		"no mapping":            {"greet", "---\n- d\n---\nx", "write name: and description:"},
		"a colon in a sentence": {"greet", "---\nname: greet\ndescription: Use it: always\n---\nx", "line 3: "},
		"no description":        {"greet", "---\nname: greet\n---\nx", "has no description"},
		"blank description":     {"greet", "---\ndescription: \" \\u200b\"\n---\nx", "has no description"},
		"description of a list": {"greet", "---\ndescription: [a]\n---\nx", "description is no text"},
		"description by alias":  {"greet", "---\na: &a d\ndescription: *a\n---\nx", "description is no text"},
		"two descriptions":      {"greet", "---\ndescription: a\ndescription: b\n---\nx", "twice"},
		"too long":              {"greet", "---\ndescription: " + strings.Repeat("ä", MaxDescription+1) + "\n---\nx", "has 1025 characters"},
		"very deep":             {"greet", "---\nx: " + strings.Repeat("[", 12000) + "\n---\nx", "cannot be read"},
		"no instructions":       {"greet", "---\ndescription: d\n---\n \n", "no instructions"},
		"a file too long":       {"greet", "---\ndescription: d\n---\n" + strings.Repeat("x", MaxFile), "more than 131072 bytes"},
	} {
		s, err := parse(c.folder, []byte(c.text))
		if (err == nil) != (c.fails == "") || err != nil && !strings.Contains(err.Error(), c.fails) {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
	}
	s, err := parse("greet", []byte(greeting))
	if want := (Skill{Name: "greet", Description: "Greets people in their language.", Instructions: "# Greeting\n\n---\nSay {hello}."}); err != nil || s != want {
		t.Errorf("it is %+v, %v", s, err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("greet", []byte(greeting))
	f.Add("a-b", []byte("---\n---\n"))
	f.Add("a", []byte("---\r\ndescription: \"\\u202e x\"\r\n---\r\nx"))
	f.Fuzz(func(t *testing.T, folder string, raw []byte) {
		s, err := parse(folder, raw)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\x00") {
				t.Errorf("the reason is %q", err)
			}
			return
		}
		switch {
		case s.Name != folder || !config.IsSkillName(s.Name):
			t.Errorf("%q became the skill %q", folder, s.Name)
		case s.Description == "" || utf8.RuneCountInString(s.Description) > MaxDescription || strings.ContainsAny(s.Description, "\n\r\u2028"):
			t.Errorf("the description is %q", s.Description)
		case s.Instructions == "" || len(s.Instructions) > MaxFile || !strings.Contains(strings.ReplaceAll(string(raw), "\r\n", "\n"), s.Instructions):
			t.Errorf("the instructions are %q", s.Instructions)
		}
	})
}
