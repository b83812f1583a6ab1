package guard

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
)

// answers is a resolver that gives its answers one after the other and repeats
// the last.
type answers struct {
	calls atomic.Int32
	sets  [][]netip.Addr
}

func resolving(sets ...[]string) *answers {
	r := &answers{}
	for _, set := range sets {
		var parsed []netip.Addr
		for _, s := range set {
			parsed = append(parsed, netip.MustParseAddr(s))
		}
		r.sets = append(r.sets, parsed)
	}
	return r
}

func (r *answers) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	n := int(r.calls.Add(1)) - 1
	return r.sets[min(n, len(r.sets)-1)], nil
}

// listener is a loopback server that counts connections.
func listener(t *testing.T) (port string, accepted *atomic.Int32) {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	accepted = &atomic.Int32{}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			accepted.Add(1)
			c.Close()
		}
	}()
	t.Cleanup(func() { l.Close(); <-done })
	_, port, err = net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port, accepted
}

func refusal(t *testing.T, err error) *Refusal {
	t.Helper()
	var r *Refusal
	if !errors.As(err, &r) {
		t.Fatalf("error = %v, want a *Refusal", err)
	}
	return r
}

// Invariants 2 and 4: every spelling of this host is refused, and nothing
// reaches it.
func TestRefusedHosts(t *testing.T) {
	t.Parallel()
	port, accepted := listener(t)
	for _, host := range []string{
		"127.0.0.1", "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7f.0x0.0x0.0x1", "0177.0.0.1", "017700000001", "127.0.0.1.",
		"0", "0.0.0.0", "0x", "1.", "", ".", "10.0.0.1", "169.254.169.254", "::1", "::", "::ffff:127.0.0.1", "::ffff:7f00:1", "64:ff9b::7f00:1",
		"::127.0.0.1", "fe80::1%lo", "2002:7f00:1::", "0:0:0:0:0:0:0:1", "localhost", "loopback.example",
	} {
		d := Dialer{Resolver: resolving([]string{"127.0.0.1", "::1", "::ffff:127.0.0.1"})}
		conn, err := d.DialContext(t.Context(), "tcp", net.JoinHostPort(host, port))
		if err == nil {
			conn.Close()
			t.Errorf("%q was dialled", host)
			continue
		}
		if r := refusal(t, err); r.Why == "" || !strings.Contains(err.Error(), "not read") {
			t.Errorf("%q: the refusal says %q", host, err)
		}
	}
	if n := accepted.Load(); n != 0 {
		t.Errorf("%d connections were made", n)
	}
}

func TestPrivateAllowed(t *testing.T) {
	t.Parallel()
	port, _ := listener(t)
	d := Dialer{AllowPrivate: true, Resolver: resolving([]string{"127.0.0.1"})}
	for _, host := range []string{"127.0.0.1", "name.example"} {
		conn, err := d.DialContext(t.Context(), "tcp", net.JoinHostPort(host, port))
		if err != nil {
			t.Fatalf("%s: %v", host, err)
		}
		conn.Close()
	}
	// Invariant 3.
	for _, host := range []string{"169.254.169.254", "0.0.0.0", "::ffff:127.0.0.1", "100.100.100.200", "127.1"} {
		_, err := d.DialContext(t.Context(), "tcp", net.JoinHostPort(host, port))
		if r := refusal(t, err); r.Private {
			t.Errorf("%s: the refusal names a setting that does not help", host)
		}
	}
	if n := d.Resolver.(*answers).calls.Load(); n != 1 {
		t.Errorf("%d look-ups, want 1: an address is not looked up", n)
	}
}

// Invariant 1: a name that answers with a public address first and this host
// afterwards (rebinding) never leads here: it is resolved once, and only what was
// judged is dialled.
func TestRebinding(t *testing.T) {
	t.Parallel()
	port, accepted := listener(t)
	// What would be dialled is looked at instead of dialled: the public address
	// is a stranger's.
	r := resolving([]string{"1.1.1.1", "127.0.0.1"}, []string{"127.0.0.1"})
	d := Dialer{Resolver: r}
	got, err := d.addresses(t.Context(), "rebind.example")
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || got[0] != netip.MustParseAddr("1.1.1.1") {
		t.Fatalf("addresses = %v, want only 1.1.1.1", got)
	}
	if _, err := d.DialContext(t.Context(), "tcp", "rebind.example:"+port); err == nil {
		t.Fatal("the second answer was dialled")
	} else {
		refusal(t, err)
	}
	if n := r.calls.Load(); n != 2 {
		t.Errorf("%d look-ups for two connections, want 2", n)
	}
	// The socket's own check, should anything above it ever be wrong.
	if err := d.control("x")(t.Context(), "tcp4", "127.0.0.1:80", nil); err == nil {
		t.Error("control let loopback pass")
	}
	if err := d.control("x")(t.Context(), "tcp4", "1.1.1.1:80", nil); err != nil {
		t.Errorf("control refused a public address: %v", err)
	}
	if n := accepted.Load(); n != 0 {
		t.Errorf("%d connections reached this host", n)
	}
}

func TestManyAddressesAreNoPortScan(t *testing.T) {
	t.Parallel()
	d := Dialer{Resolver: resolving([]string{"1.1.1.1", "1.1.1.2", "1.1.1.3", "1.1.1.4", "1.1.1.5", "1.1.1.6"})}
	got, err := d.addresses(t.Context(), "many.example")
	if err != nil || len(got) != attempts {
		t.Fatalf("addresses = %v, %v; want %d", got, err, attempts)
	}
}

func FuzzHost(f *testing.F) {
	for _, s := range []string{"127.1", "0x7f.1", "example.org", "[::1]", "1.2.3.4.", "a.0x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, host string) {
		d := Dialer{Resolver: resolving([]string{"127.0.0.1"})}
		got, err := d.addresses(context.Background(), host)
		if err != nil {
			return
		}
		for _, a := range got {
			if verdict, _ := Judge(a); verdict != Public {
				t.Fatalf("%q may be dialled at %s", host, a)
			}
		}
	})
}
