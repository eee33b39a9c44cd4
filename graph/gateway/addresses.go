package gateway

import (
	"context"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

type addressKey struct{}

// addressOf is where a request came from.
func addressOf(ctx context.Context) netip.Addr {
	address, _ := ctx.Value(addressKey{}).(netip.Addr)
	return address
}

// withAddress finds out where a request came from: its peer, or, if that is a proxy of
// our own, who that had it from. What others write into X-Forwarded-For is not believed.
func withAddress(proxies []netip.Prefix, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		peer, _ := netip.ParseAddrPort(r.RemoteAddr) // none if it is no TCP connection
		from := forwarded(plainAddress(peer.Addr()), r.Header.Values("X-Forwarded-For"), proxies)
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), addressKey{}, from)))
	})
}

// forwarded goes back over the hops, the last one first, as long as one of our own says
// where it had the request from.
func forwarded(from netip.Addr, lists []string, proxies []netip.Prefix) netip.Addr {
	if len(proxies) == 0 || len(lists) == 0 {
		return from
	}
	hops := strings.Split(strings.Join(lists, ","), ",")
	for _, hop := range slices.Backward(hops) {
		if !slices.ContainsFunc(proxies, func(p netip.Prefix) bool { return p.Contains(from) }) {
			return from
		}
		before, ok := parseHop(strings.TrimSpace(hop))
		if !ok {
			return from
		}
		from = before
	}
	return from
}

// parseHop reads an address; some proxies write a port behind it.
func parseHop(text string) (netip.Addr, bool) {
	if address, err := netip.ParseAddr(strings.Trim(text, "[]")); err == nil {
		return plainAddress(address), true
	}
	with, err := netip.ParseAddrPort(text)
	return plainAddress(with.Addr()), err == nil
}

// plainAddress has one form for each address.
func plainAddress(a netip.Addr) netip.Addr { return a.Unmap().WithZone("") }

// network is what one machine has: of IPv6, all addresses of a /64.
func network(a netip.Addr) netip.Addr {
	if !a.Is6() {
		return a
	}
	prefix, _ := a.Prefix(64) // an address without a zone has one
	return prefix.Addr()
}
