package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// initLine is a line that the Go runtime writes for each initialised package.
var initLine = regexp.MustCompile(`(?m)^init (\S+) @([\d.]+) ms, ([\d.]+) ms clock`)

// packageInit adds up what an inittrace tells: milliseconds inside package
// initialisers, and the dearest package with its share.
func packageInit(trace string) (total float64, dearest string, most float64, err error) {
	lines := initLine.FindAllStringSubmatch(trace, -1)
	if len(lines) == 0 {
		return 0, "", 0, fmt.Errorf("the program wrote no trace of its initialisation")
	}
	for _, l := range lines {
		clock, err := strconv.ParseFloat(l[3], 64)
		if err != nil {
			return 0, "", 0, fmt.Errorf("line %q of the trace: %w", l[0], err)
		}
		total += clock
		if clock > most {
			dearest, most = l[1], clock
		}
	}
	return total, dearest, most, nil
}

// initialisation is what the binary does before its first own statement.
func (b *bench) initialisation(ctx context.Context) (Row, error) {
	var took sample
	var worst string
	for range b.rounds(20) {
		cmd := exec.CommandContext(ctx, filepath.Join(b.bin, "mindroom"), "version")
		cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
		var trace strings.Builder
		cmd.Stderr = &trace
		if err := cmd.Run(); err != nil {
			return Row{}, fmt.Errorf("mindroom version: %w", err)
		}
		total, dearest, most, err := packageInit(trace.String())
		if err != nil {
			return Row{}, err
		}
		took = append(took, total)
		worst = fmt.Sprintf("dearest package: %s, %s ms", dearest, number(most))
	}
	return spread("package initialisation of mindroom", "ms", took).note("%s", worst), nil
}
