package webhook

import (
	"fmt"
	"net/netip"
	"syscall"

	"blotter/internal/reason"
)

// inside lists what is not the public Internet beyond what net/netip names: shared
// address space (RFC 6598), this network, IETF protocol assignments, documentation and
// benchmarking (RFC 6890), and prefixes that carry an IPv4 address within an IPv6 one,
// behind which any of those may stand (RFC 6052, 3056, 4380).
var inside = prefixes(
	"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4",
	"64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "2002::/16", "fec0::/10",
)

func prefixes(texts ...string) (out []netip.Prefix) {
	for _, t := range texts {
		out = append(out, netip.MustParsePrefix(t))
	}
	return out
}

// public reports whether an address belongs to the public Internet.
func public(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	if !a.IsGlobalUnicast() || a.IsPrivate() || a.IsLoopback() || a.IsLinkLocalUnicast() {
		return false
	}
	for _, p := range inside {
		if p.Contains(a) {
			return false
		}
	}
	return true
}

// guard refuses a connection to an address that is not public. It looks at the address
// itself, after names were resolved, at the moment of connecting: a name that resolves to
// another address the second time gains nothing.
func guard(_, address string, _ syscall.RawConn) error {
	a, err := netip.ParseAddrPort(address)
	if err != nil || !public(a.Addr()) {
		return reason.Because(reason.WebhookPrivate, fmt.Errorf("webhook: the endpoint's address is not public"))
	}
	return nil
}
