package hooks

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	"mindroom/internal/config"
	"mindroom/internal/excerpt"
	"mindroom/internal/lifecycle"
	"mindroom/internal/secret"
	"mindroom/internal/supervise"
	"mindroom/internal/tool"
)

const (
	// atOnce bounds the hooks that are asked at a time; another one waits within its own timeout.
	atOnce = 16
	// tellAtOnce bounds the calls whose ends are told at a time, and tellMost those that wait for it as well.
	tellAtOnce = 8
	tellMost   = 512
)

// Parts is what Configured works with.
type Parts struct {
	// Config holds the configuration; each call meets the hooks of the newest.
	Config *config.Holder
	// Environ is the environment of this process; programs see a few variables of it that hold no secret.
	Environ []string
	// Getenv finds the secrets that secret_env names.
	Getenv func(name string) string
	// Run owns what is told beside receipts.
	Run lifecycle.Runner
	// Redactor takes secrets out of events; nil is secret.Default.
	Redactor *secret.Redactor
	// Log hears of hooks that failed; nil is slog.Default().
	Log *slog.Logger
}

// Configured runs the hooks of the configuration. Its methods may be called from any goroutine; Drain is for its end.
type Configured struct {
	Parts
	client  *http.Client
	env     []string
	asked   chan struct{}
	telling chan struct{}

	mu      sync.Mutex
	waiting int
	idle    chan struct{} // closed when waiting falls to zero; nil when nobody wants to know
	secrets map[string]secret.Value
}

var _ tool.Hooks = (*Configured)(nil)

// New makes hooks. It starts nothing.
func New(p Parts) *Configured {
	if p.Redactor == nil {
		p.Redactor = secret.Default
	}
	if p.Log == nil {
		p.Log = slog.Default()
	}
	return &Configured{
		Parts: p, client: newClient(), env: supervise.PassedOn(p.Environ, "HOME"), asked: make(chan struct{}, atOnce), telling: make(chan struct{}, tellAtOnce),
		secrets: map[string]secret.Value{},
	}
}

// matching are the hooks of one sort for a function, in their order.
func (c *Configured) matching(after bool, function string) (hooks []config.ToolHook) {
	for _, h := range c.Config.Current().Config.ToolHooks {
		fits := func(pattern string) bool { return tool.Match(pattern, function) }
		if h.After == after && slices.ContainsFunc(h.Match, fits) {
			hooks = append(hooks, h)
		}
	}
	return hooks
}

// Before asks each matching hook in order; the first decline ends the call.
func (c *Configured) Before(ctx context.Context, call tool.Call) *tool.Fault {
	hooks := c.matching(false, call.Name.Function)
	if len(hooks) == 0 {
		return nil
	}
	event, err := describe(call, c.Redactor)
	var body []byte
	if err == nil {
		body, err = event.encode()
	}
	if err != nil {
		return tool.Faultf(tool.FaultDeclined, "hooks could not be asked about %s: %v", call.Name, err)
	}
	for _, h := range hooks {
		if fault := c.ask(ctx, h, call, body); fault != nil {
			return fault
		}
	}
	return nil
}

func (c *Configured) ask(ctx context.Context, h config.ToolHook, call tool.Call, body []byte) *tool.Fault {
	answer, err := c.reach(ctx, h, body)
	var allow bool
	var reason string
	if err == nil {
		allow, reason, err = parseAnswer(answer)
	}
	switch {
	case err == nil && allow:
		return nil
	case err != nil && ctx.Err() != nil: // nobody waits for the call any more; that is no fault of the hook
		return &tool.Fault{Kind: tool.FaultCancelled, Message: "the call was ended while a hook was asked about it; it never ran", Retryable: true}
	case err == nil:
		return tool.Faultf(tool.FaultDeclined, "%s was declined by the hook %s: %s", call.Name, h.Name, excerpt.Head(c.Redactor.Redact(reason), maxReason))
	}
	c.Log.Warn("a hook gave no answer", "hook", h.Name, "at", h.Pos.String(), "call", call.Ref.String(), "tool", call.Name.String(), "goes on", h.AllowOn, "error", err)
	if h.AllowOn {
		return nil
	}
	var late *lateError
	why := "it failed"
	if errors.As(err, &late) {
		why = late.Error()
	}
	return tool.Faultf(tool.FaultDeclined, "%s was declined because the hook %s gave no answer (%s); an operator must look at it", call.Name, h.Name, why)
}

// lateError is a hook that had no answer when its time was over.
type lateError struct{ within time.Duration }

func (e *lateError) Error() string { return fmt.Sprintf("not within %s", e.within) }

// reach gives the event to one hook within its time.
func (c *Configured) reach(ctx context.Context, h config.ToolHook, body []byte) (answer []byte, err error) {
	ctx, cancel := context.WithTimeout(ctx, h.Timeout)
	defer cancel()
	select {
	case c.asked <- struct{}{}:
		defer func() { <-c.asked }()
		if h.URL != "" {
			answer, err = c.post(ctx, h, body)
		} else {
			answer, err = c.run(ctx, h, body)
		}
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return nil, errors.Join(&lateError{h.Timeout}, err)
	}
	return answer, err
}

// After tells each matching hook how the call ended, beside the receipt.
func (c *Configured) After(_ context.Context, call tool.Call, out tool.Outcome, took time.Duration) {
	hooks := c.matching(true, call.Name.Function)
	if len(hooks) == 0 {
		return
	}
	dropped := func(why string) {
		c.Log.Warn("hooks are not told how a call ended", "call", call.Ref.String(), "tool", call.Name.String(), "reason", why)
	}
	if !c.enter() {
		dropped(fmt.Sprintf("%d ends wait to be told already", tellMost))
		return
	}
	started := c.Run.Go("hooks after "+call.Ref.String(), func(ctx context.Context) error {
		defer c.leave()
		select {
		case c.telling <- struct{}{}:
		case <-ctx.Done():
			dropped("the runtime ends")
			return nil
		}
		defer func() { <-c.telling }()
		event, err := describe(call, c.Redactor)
		var body []byte
		if err == nil {
			body, err = event.ended(out, took, c.Redactor).encode()
		}
		if err != nil {
			dropped(err.Error())
			return nil
		}
		for _, h := range hooks {
			if _, err := c.reach(ctx, h, body); err != nil {
				c.Log.Warn("a hook was not told how a call ended", "hook", h.Name, "at", h.Pos.String(), "call", call.Ref.String(), "error", err)
			}
		}
		return nil
	})
	if !started {
		c.leave()
		dropped("the runtime ends")
	}
}

// enter counts one more end to be told; false when there are too many.
func (c *Configured) enter() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting >= tellMost {
		return false
	}
	c.waiting++
	return true
}

func (c *Configured) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting--; c.waiting == 0 && c.idle != nil {
		close(c.idle)
		c.idle = nil
	}
}

// Drain waits until every end so far was told, or ctx ends; it is for a stop, after the last call.
func (c *Configured) Drain(ctx context.Context) error {
	defer c.client.CloseIdleConnections()
	c.mu.Lock()
	if c.waiting == 0 {
		c.mu.Unlock()
		return nil
	}
	if c.idle == nil {
		c.idle = make(chan struct{})
	}
	idle := c.idle
	c.mu.Unlock()
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("hooks: %w", ctx.Err())
	}
}
