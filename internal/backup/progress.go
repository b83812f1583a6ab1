package backup

import (
	"fmt"
	"time"
)

// Progress hears how far something is that takes more than a second; nil hears
// nothing.
type Progress func(line string)

// told is how often somebody is told.
const told = time.Second

// meter counts bytes towards a total.
type meter struct {
	say         Progress
	verb        string
	done, total int64
	next        time.Time
}

// over begins to count; a total of 0 is not known.
func (p Progress) over(verb string, total int64) *meter {
	return &meter{say: p, verb: verb, total: total, next: time.Now().Add(told)}
}

func (m *meter) add(bytes int64) {
	m.done += bytes
	if m.say == nil || time.Now().Before(m.next) {
		return
	}
	m.next = time.Now().Add(told)
	if m.total > 0 {
		m.say(fmt.Sprintf("%s %d of %d MiB", m.verb, m.done>>20, m.total>>20))
		return
	}
	m.say(fmt.Sprintf("%s %d MiB", m.verb, m.done>>20))
}
