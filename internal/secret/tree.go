package secret

// Tree returns v, a value as JSON and YAML decode to, with secrets replaced by Mark: whatever stands under a name that says so (IsName), whole, and in
// every other text and name what Redact finds. v is not changed; the work is linear in it. A null stays a null, so that a reader sees that nothing is set.
func (r *Redactor) Tree(v any) any {
	switch v := v.(type) {
	case map[string]any:
		clean := make(map[string]any, len(v))
		for name, inner := range v {
			if inner != nil && IsName(name) {
				clean[r.Redact(name)] = Mark
				continue
			}
			clean[r.Redact(name)] = r.Tree(inner)
		}
		return clean
	case []any:
		clean := make([]any, len(v))
		for i, inner := range v {
			clean[i] = r.Tree(inner)
		}
		return clean
	case string:
		return r.Redact(v)
	}
	return v
}
