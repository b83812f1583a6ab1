//go:build !goolm

package seal

import "context"

// Open says ErrLeftOut: see doc.go.
func Open(context.Context, Config) (Device, error) { return nil, ErrLeftOut }
