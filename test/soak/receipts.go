package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"

	"mindroom/internal/identity"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// receipt is what the database has of one call.
type receipt struct {
	digest string
	state  tool.State
	begun  bool
	// records is how many audit records it has.
	records int
}

// book is what the database has of one run.
type book struct {
	receipts map[string]*receipt
	// stray are audit records of calls without a receipt.
	stray int
}

// read reads a run's receipts and audit records.
func read(q store.Queryer, run identity.RunID) (book, error) {
	b := book{receipts: map[string]*receipt{}}
	err := store.Each(q, func(rows *store.Rows) error {
		var r receipt
		var id, state string
		if err := rows.Scan(&id, &r.digest, &state, &r.begun); err != nil {
			return err
		}
		r.state = tool.State(state)
		b.receipts[id] = &r
		return nil
	}, `SELECT call_id, digest, state, begun FROM script_calls WHERE run_id = $1`, string(run))
	if err != nil {
		return b, err
	}
	err = store.Each(q, func(rows *store.Rows) error {
		var id string
		if err := rows.Scan(&id); err != nil {
			return err
		}
		if r := b.receipts[id]; r != nil {
			r.records++
		} else {
			b.stray++
		}
		return nil
	}, `SELECT call_id FROM audit WHERE owner = $1`, string(run))
	return b, err
}

// ahead is how many calls a run may have claimed beyond those that left a mark:
// one of each thread.
const ahead = 256

// check compares what a script saw, what took effect and what is recorded. It
// returns what does not agree, nothing for a run in order.
func check(t told, marks []uint8, b book) (wrong []string) {
	last := len(marks) + ahead
	for _, s := range t.seen {
		last = max(last, s.to)
	}
	numbers := make(map[string]int, last)
	for n := range last {
		numbers[digest(n)] = n
	}
	byNumber := map[int]*receipt{}
	for id, r := range b.receipts {
		n, known := numbers[r.digest]
		switch {
		case !known:
			wrong = append(wrong, "the receipt "+id+" is of a call that no script made")
			continue
		case byNumber[n] != nil:
			wrong = append(wrong, fmt.Sprintf("call %d has two receipts", n))
		}
		byNumber[n] = r
		if r.state == tool.StatePending {
			wrong = append(wrong, fmt.Sprintf("call %d is pending for ever", n))
		} else if r.records != 1 {
			wrong = append(wrong, fmt.Sprintf("call %d (%s) has %d audit records", n, r.state, r.records))
		}
		if r.state == tool.StateCompleted && effects(marks, n) == 0 {
			wrong = append(wrong, fmt.Sprintf("call %d is completed and never took effect", n))
		}
	}
	for _, s := range t.seen {
		for n := s.from; n < s.to; n++ {
			if r := byNumber[n]; r == nil {
				wrong = append(wrong, fmt.Sprintf("call %d was seen completed and its receipt is lost", n))
			} else if r.state != tool.StateCompleted {
				wrong = append(wrong, fmt.Sprintf("call %d was seen completed and its receipt says %s", n, r.state))
			}
		}
	}
	for n, times := range marks {
		r := byNumber[n]
		switch {
		case times > 1:
			wrong = append(wrong, fmt.Sprintf("call %d took effect %d times", n, times))
		case times == 1 && r == nil:
			wrong = append(wrong, fmt.Sprintf("call %d took effect and has no receipt", n))
		case times == 1 && !r.begun:
			wrong = append(wrong, fmt.Sprintf("call %d took effect and its receipt says that it never began", n))
		}
	}
	if b.stray > 0 {
		wrong = append(wrong, fmt.Sprintf("%d audit records have no receipt", b.stray))
	}
	return wrong
}

func effects(marks []uint8, n int) uint8 {
	if n < len(marks) {
		return marks[n]
	}
	return 0
}

// digest is that of the arguments of call n.
func digest(n int) string {
	sum := sha256.Sum256([]byte(`{"n":` + strconv.Itoa(n) + `}`))
	return hex.EncodeToString(sum[:])
}
