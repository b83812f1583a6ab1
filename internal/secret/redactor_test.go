package secret

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestRedact(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("0123456789abcdef", 20)
	r := &Redactor{}
	for _, s := range []string{"sk-ant-first", "sk-ant-first-and-longer", "sk-ant-second", long, `qu"ote<d> &secret`, "short", "redacted", "ünïcödé"} {
		r.Add(s)
	}
	for name, c := range map[string]struct{ in, want string }{
		"nothing":                {"nothing here", "nothing here"},
		"empty":                  {"", ""},
		"whole":                  {"sk-ant-first", Mark},
		"inside":                 {"a sk-ant-second b", "a " + Mark + " b"},
		"longest of a beginning": {"xsk-ant-first-and-longer.", "x" + Mark + "."},
		"twice, touching":        {"sk-ant-firstsk-ant-second", Mark + Mark},
		"beginning only":         {"sk-ant-fir", "sk-ant-fir"},
		"long":                   {"<" + long + ">", "<" + Mark + ">"},
		"long, cut off":          {"<" + long[:200] + "…", "<" + Mark + "…"},
		"too short to register":  {"short", "short"},
		"a piece of the mark":    {"redacted", "redacted"},
		"as JSON":                {`{"x":"qu\"ote<d> &secret"}`, `{"x":"` + Mark + `"}`},
		"as JSON for HTML":       {`{"x":"qu\"ote\u003cd\u003e \u0026secret"}`, `{"x":"` + Mark + `"}`},
		"in a query":             {"?x=qu%22ote%3Cd%3E+%26secret", "?x=" + Mark},
		"in a path":              {"/qu%22ote%3Cd%3E%20&secret/", "/" + Mark + "/"},
		"not ASCII":              {"»ünïcödé«", "»" + Mark + "«"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := r.Redact(c.in); got != c.want {
				t.Errorf("Redact(%q) = %q, want %q", c.in, got, c.want)
			}
		})
	}
}

func TestPatterns(t *testing.T) {
	t.Parallel()
	var r Redactor
	for in, want := range map[string]string{
		"authorization: nobody may talk, as in authorization: {global_users: []}": "authorization: nobody may talk, as in authorization: {global_users: []}",
		"Authorization: syt_bWluZHJvb20_abcdefgh":                                 "Authorization: [redacted]",
		"Authorization: Bearer abc.def-ghi":                                       "Authorization: Bearer [redacted]",
		"authorization=Basic dXNlcjpwYXNz":                                        "authorization=Basic [redacted]",
		"Authorization:[Bearer abc]":                                              "Authorization:[Bearer [redacted]]",
		"got bearer 0123456789abcdef0123 back":                                    "got bearer [redacted] back",
		"a bearer capability, basic authentication":                               "a bearer capability, basic authentication",
		`{"api_key":"abc","n":1}`:                                                 `{"api_key":"[redacted]","n":1}`,
		`{"access_token" : "a\"b","user":"u"}`:                                    `{"access_token" : "[redacted]","user":"u"}`,
		`{"OPENAI_API_KEY":"abc"}`:                                                `{"OPENAI_API_KEY":"[redacted]"}`,
		`{"body":"{\"password\":\"a\\\"b\"}"}`:                                    `{"body":"{\"password\":\"[redacted]\"}"}`,
		`{"max_tokens":100,"token_count":"3"}`:                                    `{"max_tokens":100,"token_count":"3"}`,
		`{"password":""}`:                                                         `{"password":""}`,
		"GET /sync?since=s1&access_token=abc HTTP":                                "GET /sync?since=s1&access_token=[redacted] HTTP",
		"https://user:pa55@host/x":                                                "https://user:[redacted]@host/x",
		"https://host:8008/a@b":                                                   "https://host:8008/a@b",
	} {
		if got := r.Redact(in); got != want {
			t.Errorf("Redact(%q) = %q, want %q", in, got, want)
		}
		if got := r.Redact(want); got != want { // invariant 4
			t.Errorf("redacted again, %q became %q", want, got)
		}
	}
}

func FuzzRedact(f *testing.F) {
	f.Add("sk-ant-0123456789", `x sk-ant-0123456789 {"token":"sk-ant-0123456789"}`)
	f.Add("aaaaaaaa", strings.Repeat("a", 100))
	f.Add(`":"[redacted]`, `"token":"abc"`)
	f.Fuzz(func(t *testing.T, known, text string) {
		r := &Redactor{}
		r.Add(known)
		once := r.redactKnown(text)
		// A secret that overlaps the mark can appear anew where the mark was put in.
		overlaps := strings.ContainsAny(known, "[]")
		if !overlaps && len(known) >= MinLength && strings.Contains(once, known) && !strings.Contains(Mark, known) {
			t.Fatalf("%q is still in %q", known, once)
		}
		_ = r.Redact(text)
		r.Remove(known)
		if len(r.buckets) != 0 || len(r.count) != 0 {
			t.Fatalf("removal left %v %v", r.buckets, r.count)
		}
	})
}

// Against the plain way of finding a set of strings.
func TestAgainstReplace(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		letters := rapid.StringOfN(rapid.RuneFrom([]rune("ab")), 8, 12, -1)
		known := letters.Draw(rt, "known")
		text := rapid.StringOfN(rapid.RuneFrom([]rune("ab")), 0, 200, -1).Draw(rt, "text")
		r := &Redactor{}
		r.Add(known)
		if got, want := r.Redact(text), strings.ReplaceAll(text, known, Mark); got != want {
			rt.Fatalf("Redact(%q) = %q, want %q", text, got, want)
		}
	})
}

// Invariant 3: a text and secrets made to be slow. The bound is generous; a
// quadratic redactor needs minutes.
func TestLinear(t *testing.T) {
	t.Parallel()
	r := &Redactor{}
	r.Add(strings.Repeat("a", 1<<20) + "b")
	for i := range 2000 {
		r.Add(fmt.Sprintf("aaaaaaaa%04d", i))
	}
	text := strings.Repeat(strings.Repeat("a", 127)+"c", 1<<13)
	start := time.Now()
	r.Redact(text)
	r.Redact(strings.Repeat("a", 1<<20))
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("redacting took %v", took)
	}
}

func BenchmarkRedact(b *testing.B) {
	for _, n := range []int{0, 10, 2000} {
		b.Run(fmt.Sprintf("secrets=%d", n), func(b *testing.B) {
			r := &Redactor{}
			for i := range n {
				r.Add(fmt.Sprintf("%08d-capability", i*7919))
			}
			line := strings.Repeat("an ordinary line of a log with a value=12 and some words; ", 20)
			b.SetBytes(int64(len(line)))
			for b.Loop() {
				r.Redact(line)
			}
		})
	}
}
