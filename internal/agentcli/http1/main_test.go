package http1

import (
	"io"
	"log"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// quiet is the log of a server whose complaints are expected.
var quiet = log.New(io.Discard, "", 0)
