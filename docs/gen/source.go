package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// constant is one declared value of a named string type.
type constant struct {
	Name, Value, Doc string
}

// declared reads one Go file of the repository.
func declared(root, file string) (*ast.File, error) {
	f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, filepath.FromSlash(file)), nil, parser.ParseComments)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	return f, nil
}

// constants are the values of typeName in a file, in order of declaration.
func constants(root, file, typeName string) ([]constant, error) {
	f, err := declared(root, file)
	if err != nil {
		return nil, err
	}
	var out []constant
	for _, decl := range f.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok || gen.Tok != token.CONST {
			continue
		}
		for _, spec := range gen.Specs {
			v := spec.(*ast.ValueSpec)
			if id, ok := v.Type.(*ast.Ident); !ok || id.Name != typeName {
				continue
			}
			value, err := text(v.Values[0])
			if err != nil {
				return nil, fmt.Errorf("%s in %s: %w", v.Names[0].Name, file, err)
			}
			out = append(out, constant{v.Names[0].Name, value, sentence(v.Names[0].Name, v.Doc)})
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s declares no %s", file, typeName)
	}
	return out, nil
}

func text(e ast.Expr) (string, error) {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", fmt.Errorf("is no string literal")
	}
	return strconv.Unquote(lit.Value)
}

// ids are requirement ids, which tell a user nothing.
var ids = regexp.MustCompile(` \((?:[SMC][0-9]{2}(?:, )?)+\)`)

// sentence is a declaration's comment without the name at its beginning.
func sentence(name string, doc *ast.CommentGroup) string {
	s := strings.TrimSpace(ids.ReplaceAllString(doc.Text(), ""))
	if rest, ok := strings.CutPrefix(s, name); ok {
		s = strings.TrimSpace(strings.TrimPrefix(rest, ":"))
	}
	if s == "" {
		return ""
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// variable finds the composite literal that a package variable is made of.
func variable(root, file, name string) (*ast.CompositeLit, error) {
	f, err := declared(root, file)
	if err != nil {
		return nil, err
	}
	for _, decl := range f.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok || gen.Tok != token.VAR {
			continue
		}
		for _, spec := range gen.Specs {
			v := spec.(*ast.ValueSpec)
			if v.Names[0].Name != name || len(v.Values) != 1 {
				continue
			}
			if lit, ok := v.Values[0].(*ast.CompositeLit); ok {
				return lit, nil
			}
		}
	}
	return nil, fmt.Errorf("%s has no literal %s", file, name)
}
