package turncli

import "testing"

// BenchmarkCall is a whole call over a kept connection: one request that is
// answered with the terminal receipt, the audit record durable.
func BenchmarkCall(b *testing.B) {
	h := newHouse(b)
	o := h.open(nil)
	_, c := h.window(o, "toolu_1")
	n := 0
	for b.Loop() {
		if n%maxReceipts == 0 { // a response holds no more
			o.Release(b.Context())
			o = h.open(nil)
			_, c = h.window(o, "toolu_1")
		}
		n++
		if a := c.call(n, "kit.echo", `{"text":"x"}`); a.text("status") != "completed" {
			b.Fatal(a.raw)
		}
	}
}
