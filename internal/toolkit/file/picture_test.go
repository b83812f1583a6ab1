package file

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mindroom/internal/canonical"
	"mindroom/internal/media"
	"mindroom/internal/tool"
)

// see calls read_file with a place for files.
func see(t *testing.T, dir, name string, keep func(context.Context, int, io.Reader, string, string) (media.Ref, error)) tool.Outcome {
	t.Helper()
	functions, err := New().Build(tool.Env{})
	if err != nil {
		t.Fatal(err)
	}
	doc, err := canonical.FromValue(map[string]any{"file_name": name})
	if err != nil {
		t.Fatal(err)
	}
	call := tool.Call{Ref: tool.Ref{Door: tool.DoorTurn, Owner: "t", ID: "1"}, Args: doc}
	return functions[0].Body.Run(t.Context(), tool.Invocation{Call: call, Workspace: dir, Keep: keep})
}

// Sentence 4: a picture is told by its content, goes beside the result, and the
// result says what it is.
func TestPicture(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var drawn bytes.Buffer
	if err := png.Encode(&drawn, image.NewGray(image.Rect(0, 0, 5, 3))); err != nil {
		t.Fatal(err)
	}
	for name, raw := range map[string][]byte{
		"chart.txt": drawn.Bytes(), "fake.png": []byte("no picture"), "empty.png": nil, "other.bin": {0, 1, 2},
		"huge.png": append(drawn.Bytes(), make([]byte, maxPicture)...),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), raw, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var kept []byte
	keep := func(_ context.Context, part int, r io.Reader, mime, name string) (media.Ref, error) {
		raw, err := io.ReadAll(r)
		kept = raw
		return media.Ref{Digest: fmt.Sprint(part), MIME: media.TypeOf(raw, mime, name), Name: name, Size: int64(len(raw))}, err
	}
	out := see(t, dir, "chart.txt", keep)
	var got pictureResult
	if err := json.Unmarshal(out.Value, &got); err != nil || out.State != tool.StateCompleted {
		t.Fatalf("%+v, %v", out, err)
	}
	if len(out.Media) != 1 || out.Media[0].MIME != "image/png" || !bytes.Equal(kept, drawn.Bytes()) || got.Width != 5 || got.Height != 3 ||
		got.Bytes != drawn.Len() || !strings.HasPrefix(got.AttachmentID, "att_") || got.MIME != "image/png" {
		t.Errorf("the result %s with %+v", out.Value, out.Media)
	}
	for name, want := range map[string]string{"fake.png": "no picture", "empty.png": `"content":""`} {
		if out := see(t, dir, name, keep); out.State != tool.StateCompleted || out.Media != nil || !strings.Contains(string(out.Value), want) {
			t.Errorf("%s: %+v %s", name, out, out.Value)
		}
	}
	for name, want := range map[string]string{"huge.png": "make a smaller one", "other.bin": "binary", "none.png": "there is no none.png"} {
		if out := see(t, dir, name, keep); out.Fault == nil || !strings.Contains(out.Fault.Message, want) || out.Media != nil {
			t.Errorf("%s: %+v", name, out)
		}
	}
	if out := see(t, dir, "chart.txt", nil); out.Fault == nil || !strings.Contains(out.Fault.Message, "binary") {
		t.Errorf("where no files are kept: %+v", out)
	}
	full := func(context.Context, int, io.Reader, string, string) (media.Ref, error) {
		return media.Ref{}, &media.Error{Kind: media.Full, File: "chart.txt"}
	}
	if out := see(t, dir, "chart.txt", full); out.Fault == nil || !strings.Contains(out.Fault.Message, "no space is left") {
		t.Errorf("on a full disk: %+v", out)
	}
}
