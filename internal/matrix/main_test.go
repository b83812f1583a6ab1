package matrix

import (
	"os"
	"testing"

	"go.uber.org/goleak"

	"mindroom/test/homeserver"
)

func TestMain(m *testing.M) {
	os.Exit(homeserver.Main(m, func() error { return goleak.Find() }))
}
