package hooks

import (
	"context"
	"slices"
	"testing"
	"time"

	"mindroom/internal/tool"
)

type recorder struct {
	name    string
	decline bool
	log     *[]string
}

func (r recorder) Before(context.Context, tool.Call) *tool.Fault {
	*r.log = append(*r.log, "before "+r.name)
	if r.decline {
		return tool.Faultf(tool.FaultDeclined, "declined by %s", r.name)
	}
	return nil
}

func (r recorder) After(context.Context, tool.Call, tool.Outcome, time.Duration) {
	*r.log = append(*r.log, "after "+r.name)
}

func TestFirstDeclineEndsTheChain(t *testing.T) {
	t.Parallel()
	var log []string
	chain := Chain{recorder{"a", false, &log}, recorder{"b", true, &log}, recorder{"c", false, &log}}
	fault := chain.Before(t.Context(), tool.Call{})
	if fault == nil || fault.Kind != tool.FaultDeclined || fault.Message != "declined by b" {
		t.Fatalf("Before = %v", fault)
	}
	chain.After(t.Context(), tool.Call{}, tool.Failed(fault), time.Second)
	if want := []string{"before a", "before b", "after a", "after b", "after c"}; !slices.Equal(log, want) {
		t.Errorf("order %v, want %v", log, want)
	}
}

func TestEmptyChainLetsPass(t *testing.T) {
	t.Parallel()
	if fault := Chain(nil).Before(t.Context(), tool.Call{}); fault != nil {
		t.Errorf("Before = %v", fault)
	}
}
