package turncli

import (
	"context"

	"mindroom/internal/tool"
)

// lane orders the calls of one response's commands: shared ones run side by side,
// an exclusive one alone. A shell holds no place: its own calls, exclusive ones
// among them, run while it waits for them.
type lane struct{ shares tool.Shares }

var _ tool.Lane = (*lane)(nil)

func (l *lane) Acquire(ctx context.Context, ref tool.Ref, class tool.Class) (func(), error) {
	if class == tool.Outer {
		return func() {}, ctx.Err()
	}
	return l.shares.Acquire(ctx, ref, class)
}
