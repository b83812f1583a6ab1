package anthropic

import (
	"testing"

	"go.uber.org/goleak"

	"mindroom/internal/model/modeltest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestConformance(t *testing.T) {
	t.Parallel()
	modeltest.RunHTTP(t, dialect)
}
