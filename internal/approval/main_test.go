package approval

import (
	"os"
	"testing"

	"mindroom/test/binary"
)

// TestMain builds the real supervisor once for all tests.
func TestMain(m *testing.M) { os.Exit(binary.Main(m, binary.Supervisor)) }
