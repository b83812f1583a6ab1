package scripted

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"

	"go.yaml.in/yaml/v4"

	"mindroom/internal/model"
)

// maxFile bounds a file of rules and each file it includes, in bytes.
const maxFile = 1 << 20

// loader reads one file of rules.
type loader struct {
	file string
	// include reads a file named in the rules.
	include func(path string) (string, error)
}

// load reads the rules. Its errors are *FileError.
func (l loader) load(data []byte) (*book, error) {
	if len(data) > maxFile {
		return nil, &FileError{File: l.file, Text: fmt.Sprintf("is larger than %d bytes", maxFile)}
	}
	var document, more yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
		return nil, &FileError{File: l.file, Text: "holds no rules"}
	} else if err != nil {
		return nil, &FileError{File: l.file, Text: err.Error()}
	}
	if err := decoder.Decode(&more); !errors.Is(err, io.EOF) {
		return nil, &FileError{File: l.file, Text: "holds more than one document"}
	}
	root := document.Content[0]
	fields, err := l.fields(root, "the file", "version", "rules")
	if err != nil {
		return nil, err
	}
	if n := fields["version"]; n != nil && n.Value != "1" {
		return nil, l.fault(n, "version %q is not known: this build reads version 1", n.Value)
	}
	list := fields["rules"]
	if list == nil || list.Kind != yaml.SequenceNode || len(list.Content) == 0 {
		return nil, l.fault(root, "`rules` must be a list of at least one rule")
	}
	b := &book{file: l.file}
	for _, n := range list.Content {
		r, err := l.rule(n)
		if err != nil {
			return nil, err
		}
		b.rules = append(b.rules, r)
	}
	return b, nil
}

func (l loader) rule(n *yaml.Node) (rule, error) {
	r := rule{line: n.Line}
	fields, err := l.fields(n, "a rule", "name", "when", "say", "call", "stop", "fail")
	if err != nil {
		return r, err
	}
	if fields["say"] == nil && fields["call"] == nil && fields["fail"] == nil {
		return r, l.fault(n, "a rule needs `say`, `call` or `fail`")
	}
	if fields["fail"] != nil && len(fields)-present(fields, "name", "when") > 1 {
		return r, l.fault(fields["fail"], "a rule that fails says, calls and stops nothing")
	}
	if r.name, err = l.text(fields["name"]); err != nil {
		return r, err
	}
	if r.when, err = l.when(fields["when"]); err != nil {
		return r, err
	}
	if r.say, err = l.template(fields["say"], r.when); err != nil {
		return r, err
	}
	if r.calls, err = l.calls(fields["call"], r.when); err != nil {
		return r, err
	}
	stop, err := l.oneOf(fields["stop"], string(model.StopMaxTokens), string(model.StopRefusal))
	if err != nil {
		return r, err
	}
	fail, err := l.oneOf(fields["fail"], failures()...)
	if err != nil {
		return r, err
	}
	r.stop, r.fail = model.Stop(stop), model.Kind(fail)
	return r, nil
}

func (l loader) when(n *yaml.Node) (w when, err error) {
	if n == nil {
		return w, nil
	}
	fields, err := l.fields(n, "`when`", "agent", "system", "user", "result", "turn", "step")
	if err != nil {
		return w, err
	}
	if w.agent, err = l.regexp(fields["agent"], false); err != nil {
		return w, err
	}
	if w.system, err = l.regexp(fields["system"], false); err != nil {
		return w, err
	}
	if w.user, err = l.regexp(fields["user"], false); err != nil {
		return w, err
	}
	if w.turn, err = l.count(fields["turn"]); err != nil {
		return w, err
	}
	if w.step, err = l.count(fields["step"]); err != nil {
		return w, err
	}
	if fields["result"] == nil {
		return w, nil
	}
	inner, err := l.fields(fields["result"], "`result`", "tool", "text", "failed")
	if err != nil {
		return w, err
	}
	w.result = &resultWhen{}
	if w.result.tool, err = l.regexp(inner["tool"], true); err != nil {
		return w, err
	}
	if w.result.text, err = l.regexp(inner["text"], false); err != nil {
		return w, err
	}
	w.result.failed, err = l.truth(inner["failed"])
	return w, err
}

func (l loader) regexp(n *yaml.Node, whole bool) (*regexp.Regexp, error) {
	if n == nil {
		return nil, nil
	}
	text, err := l.text(n)
	if err != nil {
		return nil, err
	}
	if whole {
		text = `\A(?:` + text + `)\z`
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, l.fault(n, "%v", err)
	}
	return re, nil
}

func present(fields map[string]*yaml.Node, names ...string) int {
	count := 0
	for name := range fields {
		if slices.Contains(names, name) {
			count++
		}
	}
	return count
}
