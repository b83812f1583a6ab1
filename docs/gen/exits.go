package main

import (
	"context"
	"fmt"
	"go/ast"
	"go/token"
)

// exits are the statuses of mindroom with their sentences, from the place where
// the command decides them.
func exits(_ context.Context, root string) (string, error) {
	const file = "cmd/mindroom/exit.go"
	f, err := declared(root, file)
	if err != nil {
		return "", err
	}
	lines, err := variable(root, file, "exitLines")
	if err != nil {
		return "", err
	}
	numbers := map[string]string{}
	for _, decl := range f.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok || gen.Tok != token.CONST {
			continue
		}
		for _, spec := range gen.Specs {
			v := spec.(*ast.ValueSpec)
			if lit, ok := v.Values[0].(*ast.BasicLit); ok && lit.Kind == token.INT {
				numbers[v.Names[0].Name] = lit.Value
			}
		}
	}
	var rows [][]string
	for _, e := range lines.Elts {
		kv := e.(*ast.KeyValueExpr)
		name := kv.Key.(*ast.Ident).Name
		line, err := text(kv.Value)
		if err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}
		rows = append(rows, []string{numbers[name], line})
	}
	if len(rows) != len(numbers) {
		return "", fmt.Errorf("%s has %d statuses and %d sentences", file, len(numbers), len(rows))
	}
	return table([]string{"status", "meaning"}, rows), nil
}
