package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"

	"mindroom/internal/clock"
	"mindroom/internal/excerpt"
)

const (
	// previewBytes is how much of a long result stands in its place, at most.
	previewBytes = 8 << 10
	// outputFolder is where the whole of it lies in the workspace.
	outputFolder = "mindroom_tool_outputs"
)

// Long puts a file in the place of a result that is too long for its caller. The
// whole result goes into a file of the workspace; its place and its beginning are
// told (spec/runtime.md 5.4, spec/agentcli.md 3.8).
type Long struct {
	// Bytes is the largest result, in bytes of JSON, that passes whole, and the
	// largest that stands in the place of one. At least 1024.
	Bytes int
	// Wall names the file; nil is the system's clock.
	Wall clock.Wall
}

// savedOutput is what stands in the place of a long result.
type savedOutput struct {
	Status         string `json:"status"`
	Path           string `json:"path,omitempty"`
	Bytes          int    `json:"bytes"`
	Format         string `json:"format"`
	Overwritten    bool   `json:"overwritten"`
	AutoSaved      bool   `json:"auto_saved"`
	ThresholdBytes int    `json:"threshold_bytes"`
	Preview        string `json:"preview"`
	Problem        string `json:"problem,omitempty"`
}

// Bound is a Terms.Bound. The call has had its effect by then, so a file that
// cannot be written is told in the result and is no failure of the call.
func (l Long) Bound(_ context.Context, in Invocation, value json.RawMessage) (json.RawMessage, *Fault) {
	if len(value) <= l.Bytes {
		return value, nil
	}
	text, format := string(value), "json"
	var s string
	if json.Unmarshal(value, &s) == nil {
		text, format = s, "text"
	}
	out := savedOutput{Status: "saved_to_file", Bytes: len(text), Format: format, AutoSaved: true, ThresholdBytes: l.Bytes}
	place, err := saveOutput(in, text, format, l.Wall)
	if err != nil {
		out.Status, out.AutoSaved = "not_saved", false
		out.Problem = "Only the preview is left of this result: " + err.Error() + "."
	}
	out.Path = place
	for n := previewBytes; ; n /= 2 {
		// What needs escapes grows on its way.
		out.Preview = excerpt.Head(text, n)
		raw, err := json.Marshal(map[string]savedOutput{"mindroom_tool_output": out})
		if err != nil {
			return nil, Faultf(FaultResult, "the receipt of a long result cannot be written: %v", err)
		}
		if len(raw) <= l.Bytes || n == 0 {
			return raw, nil
		}
	}
}

var notInName = regexp.MustCompile(`[^A-Za-z0-9_-]+`)

// saveOutput writes text into the workspace and gives its path there. Everything
// goes through an os.Root: the agent's own tools can put links into the
// workspace, and none of them may lead this process outside.
func saveOutput(in Invocation, text, format string, wall clock.Wall) (string, error) {
	if in.Workspace == "" {
		return "", errors.New("the agent has no workspace to keep it in")
	}
	root, err := os.OpenRoot(in.Workspace)
	if err != nil {
		return "", fmt.Errorf("the workspace cannot be opened: %w", err)
	}
	defer func() { _ = root.Close() }()
	if err := root.Mkdir(outputFolder, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("%s cannot be made: %w", outputFolder, err)
	}
	extension := ".json"
	if format == "text" {
		extension = ".txt"
	}
	stem := notInName.ReplaceAllString(wall.Now().Format("20060102T150405.000000")+"-"+in.Name.Function, "_")
	for n := range 100 {
		name := path.Join(outputFolder, fmt.Sprintf("%s-%d%s", stem, n, extension))
		f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", fmt.Errorf("%s cannot be made: %w", name, err)
		}
		_, err = f.WriteString(text)
		if err := errors.Join(err, f.Close()); err != nil {
			return "", fmt.Errorf("%s cannot be written: %w", name, errors.Join(err, root.Remove(name)))
		}
		return name, nil
	}
	return "", fmt.Errorf("%s has no free name", outputFolder)
}
