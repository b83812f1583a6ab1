package scripted

import (
	"regexp"

	"mindroom/internal/model"
)

// match is what a rule found; its values fill the templates.
type match struct {
	view   view
	user   groups
	result *model.Result
	text   groups // of the result
}

// groups are the captures of one regexp.
type groups struct {
	names  []string
	values []string
}

func (g groups) find(n int, name string) (string, bool) {
	if name == "" {
		if n < len(g.values) {
			return g.values[n], true
		}
		return "", false
	}
	for i, known := range g.names {
		if known == name {
			return g.values[i], true
		}
	}
	return "", false
}

// match says whether the rule holds for the conversation. See sentences 1 and 2 of the package.
func (w when) match(v view) (match, bool) {
	m := match{view: v}
	var ok bool
	if (w.result == nil) != (v.results == nil) {
		return m, false
	}
	if w.turn != nil && *w.turn != v.turn || w.step != nil && *w.step != v.step {
		return m, false
	}
	if _, ok = search(w.agent, v.agent); !ok {
		return m, false
	}
	if _, ok = search(w.system, v.system); !ok {
		return m, false
	}
	if m.user, ok = search(w.user, v.user); !ok {
		return m, false
	}
	if w.result == nil {
		return m, true
	}
	for i := len(v.results) - 1; i >= 0; i-- {
		r := v.results[i]
		if _, ok := search(w.result.tool, r.Name); !ok || w.result.failed != nil && *w.result.failed != r.IsError {
			continue
		}
		if m.text, ok = search(w.result.text, r.Text); ok {
			m.result = &r
			return m, true
		}
	}
	return m, false
}

// search finds the regexp in text; nil finds everything.
func search(re *regexp.Regexp, text string) (groups, bool) {
	if re == nil {
		return groups{names: []string{""}, values: []string{text}}, true
	}
	values := re.FindStringSubmatch(text)
	return groups{names: re.SubexpNames(), values: values}, values != nil
}
