package rig

import (
	"context"

	pythonsdk "mindroom/sdk/python"
)

// Python is the interpreter itself that python3 leads to: a launcher before it
// would be measured with it.
func Python(ctx context.Context) (string, error) { return pythonsdk.Interpreter(ctx, "python3") }
