package hooks

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"mindroom/test/binary"
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

// run builds the real supervisor once for all tests.
func run(m *testing.M) int {
	remove, err := binary.Supervise()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer remove()
	code := m.Run()
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	return code
}
