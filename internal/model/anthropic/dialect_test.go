package anthropic

import (
	"time"

	"mindroom/internal/model"
	"mindroom/internal/model/modeltest"
	"mindroom/internal/model/modeltest/speech"
)

var dialect = func() modeltest.Dialect {
	d := speech.Anthropic()
	d.New = func(base string, idle time.Duration, s model.Settings) (model.Provider, error) {
		s.Host = base
		s.ExtraKwargs = map[string]any{"idle_timeout": idle.Seconds()}
		return New(s)
	}
	return d
}()

var (
	frame  = speech.Frame
	frames = dialect.Frames
)
