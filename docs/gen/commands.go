package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// commands is the help of the binary and of every command below it, as it prints
// it, so that the page cannot say anything else.
func commands(ctx context.Context, root string) (string, error) {
	dir, err := os.MkdirTemp("", "mindroom-docs-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	bin := filepath.Join(dir, "mindroom")
	build := exec.CommandContext(ctx, "go", "build", "-o", bin, "./cmd/mindroom")
	build.Dir = root
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build mindroom: %w\n%s", err, out)
	}
	var b strings.Builder
	err = walk(ctx, bin, nil, &b)
	return b.String(), err
}

// listed finds the lines of the COMMANDS section of a help text.
var listed = regexp.MustCompile(`(?m)^  ([a-z][a-z-]*) +\S`)

func walk(ctx context.Context, bin string, path []string, b *strings.Builder) error {
	cmd := exec.CommandContext(ctx, bin, append(append([]string{}, path...), "--help")...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s --help: %w: %s", strings.Join(path, " "), err, errs.String())
	}
	help := strings.TrimRight(out.String(), "\n")
	fmt.Fprintf(b, "## %s\n\n```\n%s\n```\n\n", strings.Join(append([]string{"mindroom"}, path...), " "), help)
	_, section, ok := strings.Cut(help, "\nCOMMANDS\n")
	if !ok {
		return nil
	}
	section, _, _ = strings.Cut(section, "\n\n")
	for _, m := range listed.FindAllStringSubmatch(section, -1) {
		if err := walk(ctx, bin, append(append([]string{}, path...), m[1]), b); err != nil {
			return err
		}
	}
	return nil
}
