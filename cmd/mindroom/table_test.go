package main

import (
	"bytes"
	"testing"
	"time"
)

func TestTable(t *testing.T) {
	t.Parallel()
	print := func(u *ui) string {
		var out bytes.Buffer
		u.out = &out
		tab := table{head: []string{"NAME", "STATE"}}
		tab.row(cell{text: "界界"}, cell{text: "running", ink: green})
		tab.row(cell{text: "a\tlong name"}, cell{text: "failed", ink: red})
		if err := tab.print(u); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	for _, c := range []struct {
		name, want string
		u          ui
	}{
		{"pipe", "NAME\tSTATE\n界界\trunning\na\\tlong name\tfailed\n", ui{colour: true}},
		{"terminal", "NAME          STATE\n界界          running\na\\tlong name  failed\n", ui{outTTY: true}},
		{"colour", "\x1b[1mNAME\x1b[0m          \x1b[1mSTATE\x1b[0m\n界界          \x1b[32mrunning\x1b[0m\na\\tlong name  \x1b[31mfailed\x1b[0m\n", ui{outTTY: true, colour: true}},
	} {
		if got := print(&c.u); got != c.want {
			t.Errorf("%s:\n%q, want\n%q", c.name, got, c.want)
		}
	}
}

func TestAgo(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		0: "0s ago", 59 * time.Second: "59s ago", 61 * time.Second: "1m ago", 90 * time.Minute: "1h 30m ago", 50 * time.Hour: "2d 2h ago", -time.Minute: "in 1m",
	} {
		if got := ago(d); got != want {
			t.Errorf("ago(%v) = %q, want %q", d, got, want)
		}
	}
}
