//go:build !goolm

package seal

import "context"

// Included says whether this program was built with encryption.
const Included = false

// Open says ErrLeftOut: see doc.go.
func Open(context.Context, Config) (Device, error) { return nil, ErrLeftOut }
