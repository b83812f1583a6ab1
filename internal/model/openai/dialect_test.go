package openai

import (
	"time"

	"mindroom/internal/model"
	"mindroom/internal/model/modeltest"
	"mindroom/internal/model/modeltest/speech"
)

var dialect = func() modeltest.Dialect {
	d := speech.OpenAI()
	d.New = func(base string, idle time.Duration, s model.Settings) (model.Provider, error) {
		s.ExtraKwargs = map[string]any{"idle_timeout": idle.Seconds(), "base_url": base + "/v1"}
		return Constructors()["openai"](s)
	}
	return d
}()

var (
	data   = speech.Data
	chunk  = speech.Chunk
	frames = dialect.Frames
)
