package guard

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"syscall"
	"time"
)

// Resolver turns a host name into addresses; *net.Resolver is one.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// Dialer makes TCP connections to addresses that pass the guard. The zero
// Dialer resolves as the system does and refuses private addresses.
type Dialer struct {
	// Resolver resolves host names; nil is the system's.
	Resolver Resolver
	// AllowPrivate lets Private addresses pass (see Judge).
	AllowPrivate bool
}

const (
	// attempts bounds how many addresses of one name are tried, so that a name
	// with a thousand addresses is no port scan.
	attempts = 4
	// attempt bounds one of them, so that a dead first address leaves time for the
	// second; the caller's context bounds them together.
	attempt = 8 * time.Second
)

// DialContext connects to address, host:port, and has the shape http.Transport
// wants. A host that may not be reached ends in a *Refusal.
func (d *Dialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("address %q: %w", address, err)
	}
	allowed, err := d.addresses(ctx, host)
	if err != nil {
		return nil, err
	}
	dialer := net.Dialer{Timeout: attempt, ControlContext: d.control(host)}
	var errs []error
	for _, a := range allowed {
		conn, err := dialer.DialContext(ctx, network, net.JoinHostPort(a.String(), port))
		if err == nil {
			return conn, nil
		}
		errs = append(errs, err)
		if ctx.Err() != nil {
			break
		}
	}
	return nil, fmt.Errorf("connect to %s: %w", host, errors.Join(errs...))
}

// addresses are those of host that may be dialled, at most attempts. A name
// that has allowed and refused ones keeps the allowed.
func (d *Dialer) addresses(ctx context.Context, host string) ([]netip.Addr, error) {
	if a, ok := literal(host); ok {
		if refusal := d.refuse(host, a); refusal != nil {
			return nil, refusal
		}
		return []netip.Addr{a}, nil
	}
	if numeric(host) {
		return nil, &Refusal{Host: host, Why: "numeric or empty"}
	}
	var resolver Resolver = net.DefaultResolver
	if d.Resolver != nil {
		resolver = d.Resolver
	}
	found, err := resolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return nil, fmt.Errorf("resolve %s: %w", host, err)
	}
	var allowed []netip.Addr
	var refused *Refusal
	for _, a := range found {
		// Resolvers hand out IPv4 addresses in the mapped form as well.
		a = a.Unmap()
		if r := d.refuse(host, a); r != nil {
			refused = r
			continue
		}
		if len(allowed) < attempts {
			allowed = append(allowed, a)
		}
	}
	switch {
	case len(allowed) > 0:
		return allowed, nil
	case refused != nil:
		return nil, refused
	}
	return nil, fmt.Errorf("resolve %s: it has no address", host)
}

// control judges the address a socket is about to connect to: the last moment
// at which nothing has left this host.
func (d *Dialer) control(host string) func(context.Context, string, string, syscall.RawConn) error {
	return func(_ context.Context, _, address string, _ syscall.RawConn) error {
		target, err := netip.ParseAddrPort(address)
		if err != nil {
			return fmt.Errorf("address %q: %w", address, err)
		}
		if refusal := d.refuse(host, target.Addr()); refusal != nil {
			return refusal
		}
		return nil
	}
}

func (d *Dialer) refuse(host string, a netip.Addr) *Refusal {
	verdict, why := Judge(a)
	if verdict == Public || (verdict == Private && d.AllowPrivate) {
		return nil
	}
	return &Refusal{Host: host, Address: a.String(), Why: why, Private: verdict == Private}
}
