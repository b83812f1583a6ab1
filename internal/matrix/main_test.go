package matrix

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"mindroom/test/homeserver"
)

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		if err := childMain(); err != nil {
			fmt.Fprintln(os.Stderr, "child:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(homeserver.Main(m, func() error { return goleak.Find() }))
}
