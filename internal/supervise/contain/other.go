//go:build !linux

package contain

import "errors"

// Kill always fails here: groups are a thing of Linux.
func (g Group) Kill() error { return errors.New("process groups of this kind exist only on Linux") }
