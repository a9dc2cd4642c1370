package webhook

import (
	"net/netip"
	"testing"

	"blotter/internal/reason"
)

func TestPublic(t *testing.T) {
	for text, want := range map[string]bool{
		"8.8.8.8": true, "93.184.216.34": true, "2606:2800:220:1::1": true, "::ffff:8.8.8.8": true,
		"127.0.0.1": false, "127.255.255.254": false, "0.0.0.0": false, "0.1.2.3": false, "10.0.0.1": false, "172.16.0.1": false,
		"192.168.1.1": false, "169.254.169.254": false, "100.64.0.1": false, "198.18.0.1": false, "192.0.2.1": false,
		"224.0.0.1": false, "255.255.255.255": false, "240.0.0.1": false,
		"::": false, "::1": false, "fe80::1": false, "fe80::1%eth0": false, "fc00::1": false, "fd12::1": false, "ff02::1": false,
		"::ffff:127.0.0.1": false, "::ffff:10.0.0.1": false, "64:ff9b::7f00:1": false, "2002:7f00:1::": false, "2001:0:7f00:1::": false,
		"2001:db8::1": false, "fec0::1": false,
	} {
		if got := public(netip.MustParseAddr(text)); got != want {
			t.Errorf("%s: public %v, want %v", text, got, want)
		}
	}
}

func TestGuard(t *testing.T) {
	for address, want := range map[string]reason.Code{
		"8.8.8.8:443": "", "127.0.0.1:443": reason.WebhookPrivate, "[::1]:443": reason.WebhookPrivate, "nonsense": reason.WebhookPrivate,
	} {
		if got := reason.Of(guard("tcp", address, nil)); got != want {
			t.Errorf("%s: %q, want %q", address, got, want)
		}
	}
}
