//go:build !linux

package supervise

import "os"

// Start refuses before it comes here.
func socketPair() (ours, theirs *os.File, err error) { return nil, nil, unsupported() }

func memoryFile(string) (*os.File, error) { return nil, unsupported() }

func pipe(bool, bool) (read, write *os.File, err error) { return nil, nil, unsupported() }
