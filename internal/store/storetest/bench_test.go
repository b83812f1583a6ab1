package storetest

import "testing"

// BenchmarkFsync is the disk's own price of making 4 KiB durable.
func BenchmarkFsync(b *testing.B) {
	p50, p99, err := Fsync(b.TempDir(), max(b.N, 100))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(p50.Microseconds()), "p50-µs")
	b.ReportMetric(float64(p99.Microseconds()), "p99-µs")
}
