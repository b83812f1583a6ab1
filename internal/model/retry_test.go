package model_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"mindroom/internal/model"
)

// flaky fails with the given errors, one an attempt, then answers; before that it takes its time and sends its event, if
// it has one.
type flaky struct {
	failures []*model.Error
	event    model.Event
	takes    time.Duration
	attempts int
}

func (f *flaky) Name() string { return "flaky" }

func (f *flaky) Stream(_ context.Context, _ model.Request, sink func(model.Event)) (model.Response, error) {
	f.attempts++
	time.Sleep(f.takes)
	if f.event != (model.Event{}) {
		sink(f.event)
	}
	if f.attempts <= len(f.failures) {
		return model.Response{}, f.failures[f.attempts-1]
	}
	return model.Response{Stop: model.StopEnd}, nil
}

func TestRetrying(t *testing.T) {
	t.Parallel()
	busy := &model.Error{Kind: model.KindOverloaded, Retryable: true}
	asks := func(d time.Duration) *model.Error {
		return &model.Error{Kind: model.KindRateLimit, Retryable: true, RetryAfter: d}
	}
	wrong := &model.Error{Kind: model.KindBadRequest}
	policy := model.Policy{Attempts: 4, Base: time.Second, Longest: 5 * time.Second, Total: 40 * time.Second}
	for name, c := range map[string]struct {
		failures []*model.Error
		event    model.Event
		takes    time.Duration
		attempts int
		ok       bool
		least    time.Duration // waited in all
		most     time.Duration
	}{
		"at once":                  {nil, model.Event{}, 0, 1, true, 0, 0},
		"doubling with jitter":     {[]*model.Error{busy, busy}, model.Event{}, 0, 3, true, 3 * time.Second, 3750 * time.Millisecond},
		"bounded attempts":         {[]*model.Error{busy, busy, busy, busy, busy}, model.Event{}, 0, 4, false, 7 * time.Second, 9 * time.Second},
		"not retryable":            {[]*model.Error{wrong}, model.Event{}, 0, 1, false, 0, 0},
		"asked to wait":            {[]*model.Error{asks(4 * time.Second)}, model.Event{}, 0, 2, true, 4 * time.Second, 4 * time.Second},
		"asked to wait too long":   {[]*model.Error{asks(time.Hour)}, model.Event{}, 0, 1, false, 0, 0},
		"something was said":       {[]*model.Error{busy}, model.Event{Text: "Well"}, 0, 1, false, 0, 0},
		"something was thought":    {[]*model.Error{busy}, model.Event{Reasoning: "hm"}, 0, 2, true, time.Second, 1250 * time.Millisecond},
		"a call had begun":         {[]*model.Error{busy}, model.Event{CallName: "x"}, 0, 2, true, time.Second, 1250 * time.Millisecond},
		"each takes long":          {[]*model.Error{busy, busy, busy}, model.Event{}, 20 * time.Second, 2, false, 41 * time.Second, 42 * time.Second},
		"retryable, then it isn't": {[]*model.Error{busy, wrong}, model.Event{}, 0, 2, false, time.Second, 1250 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f := &flaky{failures: c.failures, event: c.event, takes: c.takes}
				told := 0
				p := policy
				p.Waiting = func(int, time.Duration, *model.Error) { told++ }
				began := time.Now()
				_, err := model.Retrying(f, p).Stream(t.Context(), model.Request{}, nil)
				if took := time.Since(began); took < c.least || took > c.most {
					t.Errorf("waited %s, want between %s and %s", took, c.least, c.most)
				}
				if f.attempts != c.attempts || (err == nil) != c.ok || told != c.attempts-1 {
					t.Errorf("%d attempts (told of %d waits), error %v; want %d attempts, success: %v", f.attempts, told, err, c.attempts, c.ok)
				}
			})
		})
	}
}

func TestRetryingWaitEndsWithTheContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		f := &flaky{failures: []*model.Error{{Kind: model.KindOverloaded, Retryable: true, Provider: "flaky"}}}
		began := time.Now()
		_, err := model.Retrying(f, model.Policy{Attempts: 2, Base: time.Minute, Longest: time.Hour}).Stream(ctx, model.Request{}, nil)
		var failure *model.Error
		if !errors.As(err, &failure) || failure.Kind != model.KindCancelled || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error is %v, want cancelled by the deadline", err)
		}
		if took := time.Since(began); took != time.Second || f.attempts != 1 {
			t.Errorf("took %s and %d attempts, want one second and one attempt", took, f.attempts)
		}
	})
}

// endless sends reasoning for ever, as keep-alive bytes would come.
type endless struct{ attempts int }

func (*endless) Name() string { return "endless" }

func (e *endless) Stream(ctx context.Context, _ model.Request, sink func(model.Event)) (model.Response, error) {
	e.attempts++
	for ctx.Err() == nil {
		sink(model.Event{Reasoning: "hm"})
		time.Sleep(700 * time.Millisecond) // never at the instant at which a bound ends
	}
	return model.Response{}, &model.Error{Kind: model.KindCancelled, Provider: "endless", Err: ctx.Err()}
}

// An attempt ends although something arrives all the time; a caller that leaves is no timeout.
func TestRetryingBoundsAnAttempt(t *testing.T) {
	t.Parallel()
	policy := model.Policy{Attempts: 3, Base: time.Second, Longest: time.Second, Total: 90 * time.Second, Attempt: time.Minute}
	for name, c := range map[string]struct {
		leaves   time.Duration
		kind     model.Kind
		attempts int
		took     time.Duration
	}{
		"for ever":          {time.Hour, model.KindTimeout, 2, 121 * time.Second},
		"the caller leaves": {30 * time.Second, model.KindCancelled, 1, 30 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), c.leaves)
				defer cancel()
				e := &endless{}
				began := time.Now()
				_, err := model.Retrying(e, policy).Stream(ctx, model.Request{}, nil)
				var failure *model.Error
				if !errors.As(err, &failure) || failure.Kind != c.kind || e.attempts != c.attempts {
					t.Errorf("%d attempts ended with %v, want %d and %s", e.attempts, err, c.attempts, c.kind)
				}
				if took := time.Since(began).Round(time.Second); took < c.took || took > c.took+time.Second {
					t.Errorf("took %s, want %s", took, c.took)
				}
			})
		})
	}
}
