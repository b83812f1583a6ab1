package model_test

import (
	"encoding/json"
	"strings"
	"testing"

	"mindroom/internal/media"
	"mindroom/internal/model"
)

// Everything that is sent counts.
func TestEstimate(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("word ", 800) // a thousand tokens
	for name, c := range map[string]struct {
		req  model.Request
		want int
	}{
		"nothing": {model.Request{}, 0},
		"system":  {model.Request{System: long}, 1000},
		"text":    {model.Request{Messages: []model.Message{model.UserText(long), model.UserText(long)}}, 2000},
		"call":    {model.Request{Messages: []model.Message{{Parts: []model.Part{model.CallPart(model.Call{Arguments: json.RawMessage(long)})}}}}, 1000},
		"result":  {model.Request{Messages: []model.Message{model.ToolResults(model.Result{Text: long, Media: []media.Ref{{}}})}}, 2600},
		"opaque":  {model.Request{Messages: []model.Message{{Parts: []model.Part{model.OpaquePart(model.Opaque{Raw: []byte(long)})}}}}, 1000},
		"media":   {model.Request{Messages: []model.Message{{Parts: []model.Part{model.MediaPart(media.Ref{})}}}}, 1600},
		"tool":    {model.Request{Tools: []model.Tool{{Description: long, Schema: json.RawMessage(long)}}}, 2000},
	} {
		if got := model.Estimate(c.req); got != c.want {
			t.Errorf("%s: %d tokens, want %d", name, got, c.want)
		}
	}
}
