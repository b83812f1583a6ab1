package clock

import (
	"testing"
	"time"
	_ "time/tzdata" // the zones must be there wherever this runs
)

// What is stored is the same wherever the process thinks it is, also across the
// hours that a zone has twice or not at all, and a deadline is as long as it says.
func TestStampsKnowNoZone(t *testing.T) {
	t.Parallel()
	instants := map[string]time.Time{
		"an hour that Berlin does not have": time.Date(2026, 3, 29, 1, 30, 0, 0, time.UTC),
		"an hour that Berlin has twice":     time.Date(2026, 10, 25, 0, 30, 0, 0, time.UTC),
		"its second time":                   time.Date(2026, 10, 25, 1, 30, 0, 0, time.UTC),
		"Auckland is a day ahead":           time.Date(2026, 11, 29, 22, 0, 0, 0, time.UTC),
		"Los Angeles springs forward":       time.Date(2026, 3, 8, 9, 59, 59, 999_999_000, time.UTC),
		"Lord Howe moves half an hour":      time.Date(2026, 4, 4, 15, 0, 0, 0, time.UTC),
		"the turn of the year":              time.Date(2026, 12, 31, 23, 59, 59, 0, time.UTC),
	}
	for _, name := range []string{"UTC", "Pacific/Auckland", "America/Los_Angeles", "Europe/Berlin", "Australia/Lord_Howe", "Asia/Kathmandu"} {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		for what, at := range instants {
			wall := Wall(func() time.Time { return at.In(zone) })
			if got, want := wall.Stamp(), Stamp(at); got != want {
				t.Errorf("%s, %s: %s, want %s", name, what, got, want)
			}
			for _, length := range []time.Duration{time.Hour, 5 * time.Hour, 24 * time.Hour, 30 * 24 * time.Hour} {
				deadline, err := ParseStamp(Stamp(wall.Now().Add(length)))
				if err != nil || deadline.Sub(at) != length || deadline.Location() != time.UTC {
					t.Errorf("%s, %s: %s later is %s, %v", name, what, length, deadline, err)
				}
			}
		}
	}
}
