package supervise

import "mindroom/internal/sibling"

const (
	binaryName = "mindroom-supervise"
	// locateEnv names the binary's path where it does not lie beside the program: in tests.
	locateEnv = "MINDROOM_SUPERVISE"
)

// Locate returns the path of the supervisor's binary: $MINDROOM_SUPERVISE, else mindroom-supervise beside this program, symbolic links followed.
// It fails with KindNoSupervisor.
func Locate() (string, error) {
	path, err := sibling.Find(binaryName, locateEnv)
	if err != nil {
		return "", &Error{Kind: KindNoSupervisor, Text: "the supervisor was not found", Err: err}
	}
	return path, nil
}
