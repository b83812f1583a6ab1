package guard

import (
	"net/netip"
	"testing"
)

// Invariants 2 and 3.
func TestJudge(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]Verdict{
		"1.1.1.1": Public, "93.184.216.34": Public, "172.15.255.255": Public, "172.32.0.0": Public, "100.63.255.255": Public,
		"100.128.0.0": Public, "223.255.255.255": Public, "2606:4700:4700::1111": Public, "2a00:1450:4001:81b::200e": Public,

		"127.0.0.1": Private, "127.255.255.254": Private, "10.1.2.3": Private, "172.16.0.1": Private, "172.31.255.255": Private,
		"192.168.1.1": Private, "100.64.0.1": Private, "::1": Private, "fc00::1": Private, "fd12:3456::1": Private,

		"0.0.0.0": Never, "0.1.2.3": Never, "169.254.169.254": Never, "169.254.0.1": Never, "100.100.100.200": Never,
		"168.63.129.16": Never, "192.0.0.192": Never, "192.0.2.1": Never, "198.18.0.1": Never, "198.51.100.7": Never,
		"203.0.113.9": Never, "224.0.0.1": Never, "239.255.255.255": Never, "240.0.0.1": Never, "255.255.255.255": Never,
		"192.88.99.1": Never,

		"::": Never, "::127.0.0.1": Never, "::ffff:127.0.0.1": Never, "::ffff:1.1.1.1": Never, "::ffff:0:7f00:1": Never,
		"64:ff9b::7f00:1": Never, "64:ff9b::101:101": Never, "64:ff9b:1::1": Never, "100::1": Never, "2001::1": Never,
		"2001:db8::1": Never, "2002:7f00:1::": Never, "3fff::1": Never, "5f00::1": Never, "fd00:ec2::254": Never,
		"fe80::1": Never, "fe80::1%eth0": Never, "fec0::1": Never, "ff02::1": Never, "4000::1": Never, "2606::1%eth0": Never,
	} {
		if got, why := Judge(netip.MustParseAddr(address)); got != want {
			t.Errorf("Judge(%s) = %d (%s), want %d", address, got, why, want)
		}
	}
	if got, _ := Judge(netip.Addr{}); got != Never {
		t.Errorf("Judge of no address = %d, want Never", got)
	}
}

// FuzzJudge holds the table to the standard library's own idea of addresses:
// what that calls special is never public, and wrapping an IPv4 address into
// IPv6 never makes it more reachable.
func FuzzJudge(f *testing.F) {
	for _, seed := range []string{"127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::a00:1", "2606:4700::1", "fe80::1%1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		a, err := netip.ParseAddr(s)
		if err != nil {
			return
		}
		verdict, why := Judge(a)
		if why == "" {
			t.Fatalf("Judge(%s) gives no reason", a)
		}
		plain := a.Unmap().WithZone("")
		special := plain.IsLoopback() || plain.IsPrivate() || plain.IsLinkLocalUnicast() || plain.IsMulticast() ||
			plain.IsInterfaceLocalMulticast() || plain.IsUnspecified()
		if verdict == Public && (special || !plain.IsGlobalUnicast()) {
			t.Fatalf("Judge(%s) = Public", a)
		}
		if plain.Is4() {
			if wrapped, _ := Judge(netip.AddrFrom16(plain.As16())); wrapped != Never {
				t.Fatalf("the mapped form of %s is %d, want Never", plain, wrapped)
			}
		}
	})
}
