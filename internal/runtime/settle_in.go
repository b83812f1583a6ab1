package runtime

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"time"

	"mindroom/internal/config"
	"mindroom/internal/dispatch"
	"mindroom/internal/matrix"
)

// Pauses between tries of what could not be had from the homeserver: one in
// trouble is back soon, a person who has to invite the router takes longer.
const (
	firstPause = 5 * time.Second
	lastPause  = 5 * time.Minute
)

// premises is what of the configuration is there at the homeserver. Only start,
// and after it settleIn, work with it.
type premises struct {
	// news says that a newer configuration is in force.
	news chan struct{}
	// ready are the rooms that are as their plan wants, by key.
	ready map[string]matrix.RoomPlan
	// open are the accounts that listen.
	open map[string]bool
}

func newPremises() premises {
	return premises{news: make(chan struct{}, 1), ready: map[string]matrix.RoomPlan{}, open: map[string]bool{}}
}

// look has settleIn look at the configuration; it never blocks.
func (s premises) look() {
	select {
	case s.news <- struct{}{}:
	default:
	}
}

// settleIn brings accounts and rooms to what the newest configuration wants,
// whenever that changes and again until all of it is there (spec/runtime.md 1.12,
// 3.4). The account of an agent that is no longer configured stays until the next
// start, so that what it said last is sent; it answers nobody. err is what the
// start left undone, nil for nothing; nothing is tried again sooner than the
// homeserver asks.
func (p *primary) settleIn(ctx context.Context, err error) error {
	wait := firstPause
	again := time.NewTimer(max(wait, matrix.Asked(err)))
	defer again.Stop()
	for troubled := err != nil; ; {
		if !troubled {
			again.Stop()
		}
		select {
		case <-ctx.Done():
			return nil
		case <-p.premises.news:
			wait = firstPause
		case <-again.C:
			wait = min(2*wait, lastPause)
		}
		c := p.holder.Current().Config
		had := troubled
		err = p.furnish(ctx, c)
		if ctx.Err() != nil {
			return nil
		}
		switch troubled = err != nil; {
		case troubled:
			p.log.Warn("not every account and room is ready yet; trying again", "after", wait, "error", err)
			again.Reset(max(wait, matrix.Asked(err)))
		case had:
			p.log.Info("every room is ready")
		}
	}
}

// furnish makes one try of all that is missing. What fails keeps nothing else
// from its place.
func (p *primary) furnish(ctx context.Context, c *config.Config) error {
	var errs []error
	for _, name := range c.AgentNames() {
		if _, err := p.network.Ensure(ctx, name, c.Agents[name].DisplayName); err != nil {
			errs = append(errs, err)
		}
	}
	rooms, err := p.rooms(ctx, c)
	errs = append(errs, err, p.open(c))
	if len(rooms) > 0 {
		p.answers.Go("welcome", p.greet(rooms))
	}
	return errors.Join(errs...)
}

// unready are the rooms that are not as the configuration wants them.
func (p *primary) unready(c *config.Config) []matrix.RoomPlan {
	var plans []matrix.RoomPlan
	for _, plan := range roomPlans(c) {
		if done, ok := p.premises.ready[plan.Key]; !ok || !reflect.DeepEqual(done, plan) {
			plans = append(plans, plan)
		}
	}
	return plans
}

// rooms makes and joins the rooms that are missing and returns those it got, by
// key; the others are in the error.
func (p *primary) rooms(ctx context.Context, c *config.Config) (map[string]string, error) {
	plans := p.unready(c)
	if len(plans) == 0 {
		return nil, nil
	}
	rooms, missing, err := p.network.EnsureRooms(ctx, plans)
	p.members.learn(rooms)
	undone := map[string]bool{}
	for _, plan := range missing {
		undone[plan.Key] = true
	}
	for _, plan := range plans {
		// Who has no account yet is brought in once there is one.
		absent := slices.ContainsFunc(plan.Members, func(key string) bool { return p.network.Account(key) == nil })
		if !undone[plan.Key] && !absent {
			p.premises.ready[plan.Key] = plan
		}
	}
	for _, room := range rooms {
		p.roomChanged(room)
	}
	return rooms, err
}

// open lets the accounts that are ready and do not listen yet listen and answer.
func (p *primary) open(c *config.Config) error {
	accounts := p.network.Accounts()
	for _, key := range c.Entities() {
		if p.premises.open[key] || accounts[key] == "" {
			continue // the account that could not be had is tried again
		}
		if err := p.network.Start(p.wires, key); err != nil {
			return err
		}
		account := dispatch.Account{Name: accounts[key], UserID: accounts[key]}
		if key != matrix.RouterKey {
			account.Agent = key
		}
		p.dispatch.Watch(p.intake, account)
		p.premises.open[key] = true
	}
	return nil
}
