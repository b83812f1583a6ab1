package config

import "mindroom/internal/config/format"

// toolObject is the format of what may be set below a toolkit's name.
func toolObject(name string, fields []Field, beside bool) *format.Object {
	o := &format.Object{Name: "tools." + name, Doc: "Settings of the toolkit " + name + "."}
	for _, f := range fields {
		o.Keys = append(o.Keys, format.Key{Name: f.Name, Shape: f.shape(), Default: f.Default, Doc: f.Doc})
	}
	o.Keys = append(o.Keys, format.ToolFilters()...)
	if beside {
		o.Keys = append(o.Keys, format.ToolDeferral()...)
	}
	return o
}

var fieldKinds = map[FieldKind]format.Kind{
	KindBool: format.Bool, KindInt: format.Int, KindNumber: format.Number, KindString: format.Text, KindStrings: format.List,
}

func (f Field) shape() format.Shape {
	s := format.Shape{Kind: fieldKinds[f.Kind], Min: f.Min, Max: f.Max, Also: inherit}
	if s.Kind == format.List {
		s.Of = &format.Shape{Kind: format.Text}
	}
	return s
}

// settings reads the overrides of a toolkit, which check has judged but for the fields' own rules.
func (s *section) settings(fields []Field) Settings {
	set := Settings{fields: fields, values: map[string]any{}, taken: map[string]bool{}}
	for _, f := range fields {
		n := s.get(f.Name)
		switch {
		case n == nil:
		case n.kind == kindScalar && n.text == inherit:
			set.taken[f.Name] = true
		default:
			v := s.d.fieldValue(n, f.Kind)
			if err := f.check(v); err != nil {
				s.d.fail(n, "%s", err)
				continue
			}
			set.values[f.Name] = v
		}
	}
	return set
}

func (d *decoder) fieldValue(n *node, kind FieldKind) any {
	switch kind {
	case KindBool:
		b, _ := d.boolean(n)
		return b
	case KindInt:
		i, _ := d.integer(n)
		return i
	case KindNumber:
		f, _ := d.number(n)
		return f
	case KindStrings:
		return texts(n)
	}
	return n.text
}
