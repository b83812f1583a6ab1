package main

import "encoding/json"

// json prints v as one indented document (rule 4).
func (u *ui) json(v any) error {
	e := json.NewEncoder(u.out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
