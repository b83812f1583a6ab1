package main

import (
	"context"
	"fmt"
	"strings"

	"mindroom/internal/control"
	"mindroom/internal/identity"
	"mindroom/internal/script"
)

// pick finds the run that arg means: an id, the beginning of one, or a name.
func pick(ctx context.Context, c *control.Client, arg string) (control.Run, error) {
	if _, err := identity.ParseRunID(arg); err == nil {
		return c.Show(ctx, arg)
	}
	runs, err := c.List(ctx, true, 0)
	if err != nil {
		return control.Run{}, err
	}
	return choose(runs, arg)
}

// choose is pick's decision. A beginning may leave out the prefix that all ids
// have. Of several runs with one name, the only one that is not over is meant:
// scripts are started again under their name, and the present one is of interest.
func choose(runs []control.Run, arg string) (control.Run, error) {
	var named, live, begun []control.Run
	for _, r := range runs {
		if r.Name == arg {
			named = append(named, r)
			if !over(r) {
				live = append(live, r)
			}
		}
		if strings.HasPrefix(r.ID, arg) || strings.HasPrefix(r.ID, string(identity.KindRun)+"-"+arg) {
			begun = append(begun, r)
		}
	}
	switch {
	case arg == "":
		return control.Run{}, usagef("RUN is empty")
	case len(named) == 1:
		return named[0], nil
	case len(live) == 1:
		return live[0], nil
	case len(named) > 1:
		return control.Run{}, fmt.Errorf("%s are named %q (%s): give the id of one", count(len(named), "run"), arg, ids(named))
	case len(begun) == 1:
		return begun[0], nil
	case len(begun) > 1:
		return control.Run{}, fmt.Errorf("%s begin with %q (%s): give more of the id", count(len(begun), "run"), arg, ids(begun))
	}
	return control.Run{}, fmt.Errorf("no run has the id or name %q: mindroom scripts ls --all lists them", arg)
}

// over reports whether the run has ended for good.
func over(r control.Run) bool { return script.State(r.State).Terminal() }

// ids are the first few ids of runs, for a message.
func ids(runs []control.Run) string {
	const most = 4
	list := make([]string, 0, most+1)
	for i, r := range runs {
		if i == most {
			list = append(list, "…")
			break
		}
		list = append(list, r.ID)
	}
	return strings.Join(list, ", ")
}
