package store

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// BenchmarkWrite prints, beside the time of one write as its caller sees it
// divided by the callers, the commits and the CPU time a write costs. Compare
// with BenchmarkFsync of storetest, which is the disk's own price.
func BenchmarkWrite(b *testing.B) {
	for _, callers := range []int{1, 8, 64} {
		b.Run(fmt.Sprintf("callers=%d", callers), func(b *testing.B) {
			db := openTest(b)
			var next atomic.Int64
			before, cpu := db.Stats(), cpuTime(b)
			b.ResetTimer()
			var wg sync.WaitGroup
			for range callers {
				wg.Go(func() {
					for {
						i := next.Add(1)
						if i > int64(b.N) {
							return
						}
						if err := db.Write(context.Background(), add(fmt.Sprint(i), "a body of some length")); err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			wg.Wait()
			b.StopTimer()
			after := db.Stats()
			b.ReportMetric(float64(after.Commits-before.Commits)/float64(b.N), "commits/op")
			b.ReportMetric(float64((cpuTime(b)-cpu).Microseconds())/float64(b.N), "cpu-µs/op")
		})
	}
}

// BenchmarkRead is one point read on a snapshot of its own.
func BenchmarkRead(b *testing.B) {
	db := openTest(b)
	if err := db.Write(b.Context(), add("a", "body")); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		err := db.Read(b.Context(), func(r *Reader) error {
			return r.QueryRow("SELECT body FROM notes WHERE id = $1", "a").Scan(new(string))
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
