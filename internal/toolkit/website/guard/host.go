package guard

import (
	"net/netip"
	"strings"
)

// numeric reports whether the last label of a host is a number in any base a
// resolver might accept, which makes the host an address in disguise. Proper
// dotted addresses are parsed before this is asked.
func numeric(host string) bool {
	last := strings.TrimSuffix(host, ".")
	if i := strings.LastIndexByte(last, '.'); i >= 0 {
		last = last[i+1:]
	}
	if last == "" {
		return true
	}
	if rest, ok := strings.CutPrefix(strings.ToLower(last), "0x"); ok {
		return strings.Trim(rest, "0123456789abcdef") == ""
	}
	return strings.Trim(last, "0123456789") == ""
}

// literal is the address a host spells out, if it does. An IPv4 address inside
// IPv6 stays what it is, so that Judge refuses it.
func literal(host string) (netip.Addr, bool) {
	a, err := netip.ParseAddr(host)
	return a, err == nil
}
