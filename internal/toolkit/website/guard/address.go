package guard

import "net/netip"

// Verdict is what an address is to the guard.
type Verdict int

// The verdicts. The zero value is the strictest one.
const (
	// Never is refused whatever the settings say.
	Never Verdict = iota
	// Private is refused unless private addresses are allowed.
	Private
	// Public is always allowed.
	Public
)

// block is a range of addresses and what it is called in a refusal.
type block struct {
	prefix  netip.Prefix
	verdict Verdict
	what    string
}

func mustBlock(prefix string, verdict Verdict, what string) block {
	return block{netip.MustParsePrefix(prefix), verdict, what}
}

// blocks are the ranges of the IANA special-purpose registries that are no
// public unicast, narrower ones first: the first match decides.
var blocks = []block{
	// Metadata services whose addresses lie in otherwise ordinary ranges.
	mustBlock("168.63.129.16/32", Never, "cloud metadata"),
	mustBlock("100.100.100.200/32", Never, "cloud metadata"),
	mustBlock("fd00:ec2::254/128", Never, "cloud metadata"),
	mustBlock("fd20:ce::254/128", Never, "cloud metadata"),

	mustBlock("0.0.0.0/8", Never, "unspecified"),
	mustBlock("10.0.0.0/8", Private, "private"),
	mustBlock("100.64.0.0/10", Private, "carrier-grade NAT"),
	mustBlock("127.0.0.0/8", Private, "loopback"),
	mustBlock("169.254.0.0/16", Never, "link-local"),
	mustBlock("172.16.0.0/12", Private, "private"),
	mustBlock("192.0.0.0/24", Never, "protocol assignment"),
	mustBlock("192.0.2.0/24", Never, "documentation"),
	mustBlock("192.88.99.0/24", Never, "6to4 relay"),
	mustBlock("192.168.0.0/16", Private, "private"),
	mustBlock("198.18.0.0/15", Never, "benchmarking"),
	mustBlock("198.51.100.0/24", Never, "documentation"),
	mustBlock("203.0.113.0/24", Never, "documentation"),
	mustBlock("224.0.0.0/4", Never, "multicast"),
	mustBlock("240.0.0.0/4", Never, "reserved"),

	mustBlock("::1/128", Private, "loopback"),
	mustBlock("::/128", Never, "unspecified"),
	mustBlock("::/96", Never, "IPv4-compatible"),
	mustBlock("64:ff9b::/96", Never, "NAT64"),
	mustBlock("64:ff9b:1::/48", Never, "NAT64"),
	mustBlock("100::/64", Never, "discard"),
	mustBlock("2001::/32", Never, "Teredo"),
	mustBlock("2001::/23", Never, "protocol assignment"),
	mustBlock("2001:db8::/32", Never, "documentation"),
	mustBlock("2002::/16", Never, "6to4"),
	mustBlock("3fff::/20", Never, "documentation"),
	mustBlock("5f00::/16", Never, "segment routing"),
	mustBlock("fc00::/7", Private, "private"),
	mustBlock("fe80::/10", Never, "link-local"),
	mustBlock("fec0::/10", Never, "site-local"),
	mustBlock("ff00::/8", Never, "multicast"),
}

// global is the only IPv6 range that is handed out as public unicast.
var global = netip.MustParsePrefix("2000::/3")

// Judge says what a is, and in a word or two why. A zero, mapped or zoned
// address is Never.
func Judge(a netip.Addr) (Verdict, string) {
	switch {
	case !a.IsValid():
		return Never, "invalid"
	case a.Is4In6():
		return Never, "IPv4-mapped"
	case a.Zone() != "":
		return Never, "zoned"
	}
	for _, b := range blocks {
		if b.prefix.Contains(a) {
			return b.verdict, b.what
		}
	}
	if a.Is4() || global.Contains(a) {
		return Public, "public"
	}
	return Never, "unassigned"
}
