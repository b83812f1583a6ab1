//go:build goolm

package e2e

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mindroom/internal/media"
	"mindroom/internal/message"
	"mindroom/internal/model/modeltest"
	"mindroom/internal/model/modeltest/speech"
	"mindroom/internal/person"
	"mindroom/test/story"
)

// says is a text as the model's whole answer.
func says(text string) modeltest.Reply { return modeltest.Reply{Text: []string{text}} }

// calls is one call of the model.
func calls(tool, arguments string) modeltest.Reply {
	return modeltest.Reply{Calls: []modeltest.Call{{ID: "call_1", Name: tool, Arguments: []string{arguments}}}}
}

// beginWith is a story with a fake provider, which gives the answers in order.
func beginWith(t *testing.T, encrypted bool, answers ...modeltest.Reply) (*sealed, *modeltest.Server) {
	t.Helper()
	provider := modeltest.NewServer(t)
	for _, answer := range answers {
		provider.Scenes = append(provider.Scenes, modeltest.Scene{Frames: speech.OpenAI().Frames(answer)})
	}
	s := &sealed{t: t, folder: t.TempDir()}
	var err error
	s.Story, err = story.Begin(t.Context(), story.Options{
		Folder: s.folder, Bin: bin, Patience: 2 * time.Minute, Encrypted: encrypted,
		Model: &story.Model{YAML: fmt.Sprintf("{provider: openai, id: test-model, host: %q, context_window: 200000, extra_kwargs: {api_key: %s}}", provider.URL, modeltest.Key), Words: "a fake provider"},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("the runtime did not end in order: %v", err)
		}
		noneLeft(t, s.folder)
	})
	return s, provider
}

// picture is a small PNG.
func picture(t *testing.T) []byte {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, 8, 4))
	img.Set(3, 2, color.RGBA{200, 30, 30, 255})
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A person sends a picture: the model is asked with it. A long answer comes as a
// message and a file with all of it, and the next question holds all of it. In a
// room in clear and in an encrypted one (spec/runtime.md 3.12, 3.16).
func TestPicturesAndLongAnswers(t *testing.T) {
	t.Parallel()
	for _, encrypted := range []bool{false, true} {
		t.Run(fmt.Sprintf("encrypted %v", encrypted), func(t *testing.T) {
			t.Parallel()
			var words []string
			for i := range 12_000 {
				words = append(words, fmt.Sprintf("word%05d", i))
			}
			long := strings.Join(words, " ") // 120 KB
			s, provider := beginWith(t, encrypted, says("A red dot."), says(long), says("That was all."))
			anna := s.Person()
			raw := picture(t)

			root, err := anna.SendFile(s.within(), s.Room(), "", "m.image", "dot.png", "image/png", "what is it?", raw)
			s.must(err)
			if got := s.answerTo(anna, root); got.Body() != "A red dot." || got.Encrypted != encrypted {
				t.Errorf("the answer is %q, encrypted %v", got.Body(), got.Encrypted)
			}
			asked := provider.Bodies()[0]
			if !strings.Contains(asked, "data:image/png;base64,"+base64.StdEncoding.EncodeToString(raw)) || !strings.Contains(asked, "what is it?") {
				t.Errorf("the model was not asked with the picture: %.600s", asked)
			}

			next, err := anna.Send(s.within(), s.Room(), "tell me everything")
			s.must(err)
			answer := s.answerTo(anna, next)
			cut, _ := answer.Content[message.KeyCut].(map[string]any)
			if cut["attachment"] != "answer.md" || !strings.HasPrefix(long, answer.Body()[:10_000]) {
				t.Errorf("the answer says %v, %.60q", cut, answer.Body())
			}
			file, err := anna.WaitFor(s.within(), func(e person.Event) bool { return e.Content["msgtype"] == "m.file" && e.ThreadRoot() == next })
			s.must(err)
			if got, err := anna.File(s.within(), file); err != nil || string(got) != long {
				t.Errorf("the file has %d bytes of %d, %v", len(got), len(long), err)
			}
			if encrypted != file.Encrypted || encrypted != (file.Content["file"] != nil) || file.Content[message.KeyLongText] == nil {
				t.Errorf("the file's message, encrypted %v: %v", file.Encrypted, file.Content)
			}

			last, err := anna.SendThread(s.within(), s.Room(), next, "is that all?")
			s.must(err)
			_, err = anna.WaitFor(s.within(), func(e person.Event) bool { return strings.HasSuffix(e.Body(), "That was all.") })
			s.must(err)
			asked = provider.Bodies()[2]
			if !strings.Contains(asked, words[len(words)-1]) || strings.Contains(asked, "Cut here") {
				t.Errorf("asked about %s the model does not read its whole answer: %d bytes", last, len(asked))
			}
			s.oneFileEach(raw, []byte(long))
		})
	}
}

// An agent sends a picture of its workspace and passes on what a person sent, by
// its id; it looks at a picture of a person with a tool. In a room in clear and in
// an encrypted one (spec/runtime.md 6.2, 6.16).
func TestAgentSendsFiles(t *testing.T) {
	t.Parallel()
	for _, encrypted := range []bool{false, true} {
		t.Run(fmt.Sprintf("encrypted %v", encrypted), func(t *testing.T) {
			t.Parallel()
			s, provider := beginWith(t, encrypted,
				calls("matrix_message", `{"message":"here it is","attachment_file_paths":["plot.png"]}`), says("Sent."),
				says("Nice data."), calls("list_attachments", `{}`), says("One."))
			anna, raw := s.Person(), picture(t)
			workspace := filepath.Join(s.folder, "storage", "agents", "watcher", "workspace")
			s.must(os.MkdirAll(workspace, 0o700))
			s.must(os.WriteFile(filepath.Join(workspace, "plot.png"), raw, 0o600))

			root, err := anna.Send(s.within(), s.Room(), "draw me a plot")
			s.must(err)
			file, err := anna.WaitFor(s.within(), func(e person.Event) bool { return e.Content["msgtype"] == "m.image" && e.ThreadRoot() == root })
			s.must(err)
			info, _ := file.Content["info"].(map[string]any)
			if got, err := anna.File(s.within(), file); err != nil || !bytes.Equal(got, raw) || file.Encrypted != encrypted || file.Sender != s.AgentID() || info["w"] != 8.0 {
				t.Errorf("the picture has %d bytes, %v: %+v", len(got), err, file)
			}
			_, err = anna.WaitFor(s.within(), func(e person.Event) bool { return strings.HasSuffix(e.Body(), "Sent.") })
			s.must(err)
			if asked := provider.Bodies()[1]; !strings.Contains(asked, `att_`) || !strings.Contains(asked, `plot.png`) || strings.Contains(asked, `\"error\"`) {
				t.Errorf("the call came to %.2000s", asked[max(0, len(asked)-2000):])
			}

			data, err := anna.SendFile(s.within(), s.Room(), "", "m.file", "data.bin", "application/x-thing", "keep this", []byte("\x00\x01 data"))
			s.must(err)
			if got := s.answerTo(anna, data); got.Body() != "Nice data." {
				t.Errorf("the answer is %q", got.Body())
			}
			id := media.Owner{Kind: media.OwnedByEvent, ID: data}.AttachmentID()
			if asked := provider.Bodies()[2]; !strings.Contains(asked, id) || !strings.Contains(asked, "data.bin") {
				t.Errorf("the model was not told of the file: %.600s", asked)
			}
			_, err = anna.SendThread(s.within(), s.Room(), data, "which files are there?")
			s.must(err)
			_, err = anna.WaitFor(s.within(), func(e person.Event) bool { return strings.HasSuffix(e.Body(), "One.") })
			s.must(err)
			if asked := provider.Bodies()[4]; !strings.Contains(asked, `\"attachment_id\":\"`+id) {
				t.Errorf("the list is %.2000s", asked[max(0, len(asked)-2000):])
			}
		})
	}
}

// oneFileEach holds that the storage has each of these files once, readable by
// its owner alone.
func (s *sealed) oneFileEach(files ...[]byte) {
	s.t.Helper()
	found := map[int]int{}
	s.must(filepath.WalkDir(filepath.Join(s.folder, "storage", "media"), func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err != nil || info.Mode().Perm() != 0o600 {
			s.t.Errorf("%s has mode %v, %v", path, info.Mode(), err)
		}
		raw, err := os.ReadFile(path)
		for i, want := range files {
			if bytes.Equal(raw, want) {
				found[i]++
			}
		}
		return err
	}))
	for i := range files {
		if found[i] != 1 {
			s.t.Errorf("file %d is there %d times", i, found[i])
		}
	}
}
