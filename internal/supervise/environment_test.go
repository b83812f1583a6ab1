package supervise_test

import (
	"slices"
	"testing"

	"mindroom/internal/supervise"
)

func TestPassedOn(t *testing.T) {
	t.Parallel()
	environ := []string{"OPENAI_API_KEY=k", "PATH=/bin", "LC_ALL=C", "HOME=/home", "MINDROOM_API_KEY=k", "TZ=", "=x", "PATHS=y", "LC"}
	if got := supervise.PassedOn(environ); !slices.Equal(got, []string{"PATH=/bin", "LC_ALL=C", "TZ="}) {
		t.Errorf("%v", got)
	}
	if got := supervise.PassedOn(environ, "HOME"); !slices.Equal(got, []string{"PATH=/bin", "LC_ALL=C", "HOME=/home", "TZ="}) {
		t.Errorf("with another: %v", got)
	}
}
