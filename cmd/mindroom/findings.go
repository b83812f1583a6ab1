package main

import (
	"errors"
	"strconv"
	"strings"

	"mindroom/cmd/mindroom/tty"
	"mindroom/internal/config"
)

// finding is one error or warning with its place. File is "environment" for a
// variable of the process, and Line is 0 where there is none.
type finding struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Key     string `json:"key"`
	Message string `json:"message"`
}

// line is the form that editors jump to, with the sort of finding named.
func (f finding) line(sort string) string {
	parts := []string{f.File}
	for _, n := range []int{f.Line, f.Column} {
		if n > 0 {
			parts = append(parts, strconv.Itoa(n))
		}
	}
	text := strings.Join(parts, ":") + ": " + sort + ": "
	if f.Key != "" {
		text += tty.Plain(f.Key) + ": "
	}
	return text + tty.Plain(f.Message)
}

// findings takes an error apart into the faults of a person's files and
// environment. What is no such fault comes back as the error.
func findings(err error) ([]finding, error) {
	var faults config.Errors
	var variable *config.VariableError
	switch joined := err.(type) {
	case interface{ Unwrap() []error }:
		var all []finding
		for _, one := range joined.Unwrap() {
			found, err := findings(one)
			if err != nil {
				return nil, err
			}
			all = append(all, found...)
		}
		return all, nil
	default:
		switch {
		case errors.As(err, &faults):
			all := make([]finding, 0, len(faults))
			for _, e := range faults {
				all = append(all, finding{e.Pos.File, e.Pos.Line, e.Pos.Column, e.Path, e.Message})
			}
			return all, nil
		case errors.As(err, &variable):
			return []finding{variableFinding(variable)}, nil
		}
	}
	return nil, err
}

// variableFinding takes the line out of an origin such as /house/.env:3.
func variableFinding(v *config.VariableError) finding {
	f := finding{File: v.Origin, Key: v.Name, Message: v.Message}
	if i := strings.LastIndexByte(v.Origin, ':'); i >= 0 {
		if line, err := strconv.Atoi(v.Origin[i+1:]); err == nil {
			f.File, f.Line = v.Origin[:i], line
		}
	}
	return f
}
