package await

import (
	"testing"
	"time"
)

// pace is how often a condition is looked at.
const pace = 2 * time.Millisecond

// Until returns once ok says yes. It fails the test where that takes longer than
// patience, which is never slept.
func Until(t testing.TB, patience time.Duration, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !ok(); time.Sleep(pace) {
		if time.Now().After(end) {
			t.Fatalf("not within %v: %s", patience, what)
		}
	}
}
