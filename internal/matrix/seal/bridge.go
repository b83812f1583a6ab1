//go:build goolm

package seal

import (
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"slices"

	"github.com/rs/zerolog"
)

// bridge gives the library a logger whose lines from warnings up reach log, each
// a degree lower than the library thinks: it warns of a first channel to a
// device, and calls an error what is repaired by the next key. It logs public
// keys only.
func bridge(log *slog.Logger) zerolog.Logger {
	return zerolog.New(lines{log}).Level(zerolog.WarnLevel)
}

// lines takes each line of the library's log, a JSON object.
type lines struct{ log *slog.Logger }

func (l lines) Write(line []byte) (int, error) { return l.WriteLevel(zerolog.WarnLevel, line) }

func (l lines) WriteLevel(level zerolog.Level, line []byte) (int, error) {
	at := slog.LevelDebug
	if level >= zerolog.ErrorLevel {
		at = slog.LevelWarn
	}
	var fields map[string]any
	if err := json.Unmarshal(line, &fields); err != nil {
		l.log.Log(context.Background(), at, "encryption", "line", string(line))
		return len(line), nil
	}
	text, _ := fields[zerolog.MessageFieldName].(string)
	attrs := make([]any, 0, 2*len(fields))
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if name != zerolog.MessageFieldName && name != zerolog.LevelFieldName {
			attrs = append(attrs, name, fields[name])
		}
	}
	l.log.Log(context.Background(), at, "encryption: "+text, attrs...)
	return len(line), nil
}
