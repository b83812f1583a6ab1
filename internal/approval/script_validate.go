package approval

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"mindroom/internal/config"
)

// validateWithin bounds the reading of one Python file by an interpreter.
const validateWithin = 20 * time.Second

//go:embed script_validate.py
var validateProgram string

// Validate reads the files that rules name, without running a Python one, and tells those that could not be asked, at the place of their rule.
// What cannot be told, because there is no interpreter, is a warning.
func Validate(ctx context.Context, rules config.Approval, python func() (string, error)) (faults config.Errors, unsure config.Warnings) {
	seen := map[string]bool{}
	for i, rule := range rules.Rules {
		if rule.Script == "" || seen[rule.Script] {
			continue
		}
		seen[rule.Script] = true
		key := fmt.Sprintf("tool_approval.rules[%d].script", i)
		err := validate(ctx, rule.Script, python)
		var failed *ScriptError
		switch {
		case err == nil:
		case errors.As(err, &failed) && failed.Kind != ScriptUnavailable:
			faults = append(faults, config.Error{Pos: rule.Pos, Path: key, Message: failed.Where() + ": " + failed.Text})
		default:
			unsure = append(unsure, config.Warning{Pos: rule.Pos, Path: key, Message: "was not checked: " + err.Error()})
		}
	}
	return faults, unsure
}

func validate(ctx context.Context, path string, python func() (string, error)) error {
	text, err := readScript(path)
	if err != nil {
		return err
	}
	if strings.HasSuffix(path, ".star") {
		return validateStar(text)
	}
	unavailable := func(err error) error { return &ScriptError{Path: path, Kind: ScriptUnavailable, Text: err.Error()} }
	interpreter, err := python()
	if err != nil {
		return unavailable(err)
	}
	ctx, cancel := context.WithTimeout(ctx, validateWithin)
	defer cancel()
	cmd := exec.CommandContext(ctx, interpreter, "-I", "-S", "-c", validateProgram)
	cmd.Stdin, cmd.Env, cmd.Dir = bytes.NewReader(text.source), []string{"LC_ALL=C.UTF-8"}, "/"
	out, err := cmd.Output()
	if err != nil {
		return unavailable(fmt.Errorf("%s: %w", interpreter, err))
	}
	var found replyFault
	if err := json.Unmarshal(out, &found); err != nil {
		return unavailable(fmt.Errorf("%s did not answer: %w", interpreter, err))
	}
	if found.Text == "" {
		return nil
	}
	return &ScriptError{Path: path, Kind: ScriptInvalid, Line: found.Line, Text: found.Text}
}
