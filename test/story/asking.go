package story

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"mindroom/internal/approval"
	"mindroom/internal/message"
	"mindroom/internal/person"
)

// asking is the part of the story in which a person decides about a call.
type asking struct {
	*Story
	root string
	// card is the readable message that asks.
	card person.Event
}

// noteFile and note are what the person wants written down.
const (
	noteFile = "log.txt"
	note     = "the fire is out"
)

func (a *asking) ask(ctx context.Context) (string, error) {
	text := "Please write down in " + noteFile + ": " + note
	if !a.model.Offline {
		text += "\n\nCall save_file for it at once, then answer in one sentence."
	}
	root, err := a.person.Send(ctx, a.room, text)
	a.root = root
	return text, err
}

// asked waits for the question. Nothing was written before it is decided.
func (a *asking) asked(ctx context.Context) (string, error) {
	err := a.untilIn(ctx, a.root, func(thread []person.Event) (bool, error) {
		for _, e := range thread {
			if e.Content[approval.KeyCard] != nil {
				a.card = e
				return true, nil
			}
		}
		return false, nil
	})
	if err != nil {
		return "", err
	}
	if found, err := a.written(); err != nil || found != "" {
		return "", fmt.Errorf("the file was written before anybody decided: %s, %w", found, err)
	}
	return a.card.Body(), nil
}

// approve reacts as a person does, and waits for the call and the answer.
func (a *asking) approve(ctx context.Context) (string, error) {
	if _, err := a.person.React(ctx, a.room, a.card.ID, "✅"); err != nil {
		return "", err
	}
	answer, over := "", false
	err := a.untilIn(ctx, a.root, func(thread []person.Event) (bool, error) {
		for _, e := range thread {
			if e.ID == a.card.ID {
				over = strings.Contains(e.Body(), "Approved")
			}
		}
		for _, e := range finished(thread, a.agentID()) {
			if e.Content[message.KeyStreamStatus] != string(message.StatusCompleted) {
				return false, fmt.Errorf("the answer ended as %v: %s", e.Content[message.KeyStreamStatus], e.Body())
			}
			answer = e.Body()
		}
		return over && answer != "", nil
	})
	if err != nil {
		return "", err
	}
	found, err := a.written()
	if err == nil && found == "" {
		err = errors.New("the file was not written")
	}
	return answer, err
}

// written is the path of the person's file, or nothing.
func (a *asking) written() (found string, err error) {
	err = filepath.WalkDir(filepath.Join(a.o.Folder, "storage"), func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // it went while this looked
		}
		if err != nil || d.Name() != noteFile {
			return err
		}
		raw, err := os.ReadFile(path)
		if strings.Contains(string(raw), note) {
			found = path
		}
		return err
	})
	return found, err
}
