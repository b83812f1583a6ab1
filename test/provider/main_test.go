package provider

import (
	"testing"
	"time"

	"go.uber.org/goleak"

	"mindroom/internal/model"
	"mindroom/internal/model/anthropic"
	"mindroom/internal/model/modeltest"
	"mindroom/internal/model/modeltest/speech"
	"mindroom/internal/model/openai"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// dialects are the two streams that every provider over HTTP speaks.
func dialects() map[string]modeltest.Dialect {
	a, o := speech.Anthropic(), speech.OpenAI()
	a.New = func(base string, idle time.Duration, s model.Settings) (model.Provider, error) {
		s.Host, s.ExtraKwargs = base, map[string]any{"idle_timeout": idle.Seconds()}
		return anthropic.New(s)
	}
	o.New = func(base string, idle time.Duration, s model.Settings) (model.Provider, error) {
		s.ExtraKwargs = map[string]any{"base_url": base + "/v1", "idle_timeout": idle.Seconds()}
		return openai.Constructors()["openai"](s)
	}
	return map[string]modeltest.Dialect{"anthropic": a, "openai": o}
}
