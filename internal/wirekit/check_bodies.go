package wirekit

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// padded is a valid submission of exactly size bytes.
func (p *probe) padded(size int) []byte {
	body := p.body(newCallID(), p.Args)
	return append(body, bytes.Repeat([]byte(" "), size-len(body))...)
}

func checkLargestBody(ctx context.Context, p *probe) error {
	_, err := p.submit(ctx, p.padded(maxBodyBytes))
	return err
}

func checkTooLarge(ctx context.Context, p *probe) error {
	for name, body := range map[string]io.Reader{
		"with its length told": bytes.NewReader(p.padded(maxBodyBytes + 1)),
		"in chunks":            io.MultiReader(bytes.NewReader(p.padded(maxBodyBytes + 1))), // a type whose length net/http cannot know
	} {
		a, err := p.do(ctx, http.MethodPost, "/calls", p.bearer(), body)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := a.refused(http.StatusRequestEntityTooLarge); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func checkMalformed(ctx context.Context, p *probe) error {
	whole := string(p.body("call", p.Args))
	swap := func(old, replacement string) string { return strings.Replace(whole, old, replacement, 1) }
	args := `"arguments":` + string(encode(p.Args))
	for name, body := range map[string]string{
		"empty body":               "",
		"no JSON":                  "hello",
		"cut short":                whole[:len(whole)-1],
		"trailing data":            whole + "{}",
		"array":                    "[]",
		"null":                     "null",
		"unknown member":           swap("{", `{"requester":"@someone:example.org",`),
		"other capitals":           swap(`"run_id"`, `"RUN_ID"`),
		"missing call id":          swap(`"call_id":"call",`, ""),
		"empty call id":            swap(`"call"`, `""`),
		"long call id":             swap(`"call"`, `"`+strings.Repeat("x", 129)+`"`),
		"numeric call id":          swap(`"call"`, `5`),
		"null call id":             swap(`"call"`, `null`),
		"lone surrogate call id":   swap(`"call"`, `"\ud800"`),
		"null arguments":           swap(args, `"arguments":null`),
		"list arguments":           swap(args, `"arguments":[]`),
		"string arguments":         swap(args, `"arguments":"{}"`),
		"NaN":                      swap(args, `"arguments":{"a":NaN}`),
		"infinity":                 swap(args, `"arguments":{"a":-Infinity}`),
		"overflow":                 swap(args, `"arguments":{"a":1e400}`),
		"lone surrogate":           swap(args, `"arguments":{"a":"\udc00"}`),
		"invalid UTF-8":            swap(args, "\"arguments\":{\"a\":\"\xff\"}"),
		"control character":        swap(args, "\"arguments\":{\"a\":\"\n\"}"),
		"nested beyond any bound":  swap(args, `"arguments":{"a":`+strings.Repeat("[", 300)+strings.Repeat("]", 300)+"}"),
		"nested and never closed":  strings.Repeat("[", 60000),
		"invalid UTF-8 in a name":  swap(`"call"`, "\"\xc3\""),
		"comment":                  whole + "//",
		"single quotes":            strings.ReplaceAll(whole, `"`, `'`),
		"byte order mark":          "\ufeff" + whole,
		"same thing twice":         whole + whole,
		"function name is an list": swap(`"`+p.Function+`"`, `["`+p.Function+`"]`),
	} {
		if body == whole {
			return fmt.Errorf("%s: the check did not change the body", name)
		}
		a, err := p.post(ctx, []byte(body))
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := a.refused(http.StatusUnprocessableEntity); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}
