package audit

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"mindroom/internal/clock"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// findRows is how many rows are read at a time.
const findRows = 500

// Filter says which records are wanted; a zero field wants all.
type Filter struct {
	// After wants those with a greater sequence.
	After                         int64
	Agent, Requester, Owner, Room string
	Door                          tool.Door
	State                         tool.State
	Kind                          tool.FaultKind
	// Tool is a shell pattern over the function's name, or over toolkit.function.
	Tool string
	// Since and Until bound when the call was made; Until itself is outside.
	Since, Until time.Time
}

// Find returns the newest records that fit, oldest first; at most limit, 0 for all.
func Find(q store.Queryer, f Filter, limit int) (found []Record, err error) {
	before := int64(0)
	for {
		where, args := f.where(before)
		page, err := list(q, fmt.Sprintf("%s ORDER BY id DESC LIMIT %d", where, findRows), args...)
		if err != nil {
			return nil, fmt.Errorf("find audit records: %w", err)
		}
		for _, r := range page {
			before = r.Sequence
			if !f.fits(r) {
				continue
			}
			if found = append(found, r); len(found) == limit {
				slices.Reverse(found)
				return found, nil
			}
		}
		if len(page) < findRows {
			slices.Reverse(found)
			return found, nil
		}
	}
}

// where is the part of the filter that the database knows, for records before one; 0 is none.
func (f Filter) where(before int64) (string, []any) {
	var conditions []string
	var args []any
	add := func(condition string, arg any) {
		args = append(args, arg)
		conditions = append(conditions, fmt.Sprintf(condition, len(args)))
	}
	add("id > $%d", f.After)
	if before > 0 {
		add("id < $%d", before)
	}
	for column, want := range map[string]string{
		"agent": f.Agent, "requester": f.Requester, "owner": f.Owner, "room": f.Room, "door": string(f.Door), "state": string(f.State), "fault": string(f.Kind),
	} {
		if want != "" {
			add(column+" = $%d", want)
		}
	}
	if !f.Since.IsZero() {
		add("at >= $%d", clock.Stamp(f.Since))
	}
	if !f.Until.IsZero() {
		add("at < $%d", clock.Stamp(f.Until))
	}
	return "WHERE " + strings.Join(conditions, " AND "), args
}

func (f Filter) fits(r Record) bool {
	return f.Tool == "" || tool.Match(f.Tool, r.Name.Function) || tool.Match(f.Tool, r.Name.String())
}

// Last is the greatest sequence there is; 0 when there are no records.
func Last(q store.Queryer) (last int64, err error) {
	if err := q.QueryRow(`SELECT coalesce(max(id), 0) FROM audit`).Scan(&last); err != nil {
		return 0, fmt.Errorf("last audit record: %w", err)
	}
	return last, nil
}
