package main

import (
	"net/netip"

	"occupy/graph/gateway"
)

// RateConfig bounds how often callers may come. docs/requests.md says what the defaults
// are made for.
type RateConfig struct {
	RateLimits               string  `env:"OCCUPY_RATE_LIMITS" envDefault:"on" help:"on or off, all of OCCUPY_RATE_…; off is for load tests"`
	MutationsPerUser         int     `env:"OCCUPY_RATE_MUTATIONS_PER_USER" envDefault:"200" help:"mutations a second by one user; ten times that at once. Here and below, 0 = no bound"`
	MutationsPerAddress      int     `env:"OCCUPY_RATE_MUTATIONS_PER_ADDRESS" envDefault:"2000" help:"mutations a second from one address, behind which there may be thousands of screens; ten times that at once"`
	NewConnectionsPerUser    int     `env:"OCCUPY_RATE_CONNECTIONS_PER_USER" envDefault:"500" help:"WebSockets and event streams that one user opens a second; ten times that at once"`
	NewConnectionsPerAddress int     `env:"OCCUPY_RATE_CONNECTIONS_PER_ADDRESS" envDefault:"1000" help:"those from one address; ten times that at once"`
	SubscriptionsPerUser     int     `env:"OCCUPY_RATE_SUBSCRIPTIONS_PER_USER" envDefault:"1000" help:"subscriptions that one user begins a second; ten times that at once"`
	SubscriptionsPerAddress  int     `env:"OCCUPY_RATE_SUBSCRIPTIONS_PER_ADDRESS" envDefault:"2000" help:"those from one address; ten times that at once"`
	TrustedProxies           []proxy `env:"OCCUPY_TRUSTED_PROXIES" help:"addresses or networks, by commas, of balancers whose X-Forwarded-For is believed, such as 10.1.2.3,172.16.0.0/12; else the address of who connects counts"`
}

// proxy is the network of one or more of them.
type proxy struct{ netip.Prefix }

// UnmarshalText reads an address, or a network.
func (p *proxy) UnmarshalText(text []byte) error {
	if address, err := netip.ParseAddr(string(text)); err == nil {
		address = address.Unmap()
		p.Prefix = netip.PrefixFrom(address, address.BitLen())
		return nil
	}
	return p.Prefix.UnmarshalText(text)
}

func (c *RateConfig) check(must func(holds bool, format string, args ...any)) {
	must(c.RateLimits == "on" || c.RateLimits == "off", "OCCUPY_RATE_LIMITS is on or off, not %q", c.RateLimits)
	for _, bound := range []struct {
		name  string
		value int
	}{
		{"OCCUPY_RATE_MUTATIONS_PER_USER", c.MutationsPerUser}, {"OCCUPY_RATE_MUTATIONS_PER_ADDRESS", c.MutationsPerAddress},
		{"OCCUPY_RATE_CONNECTIONS_PER_USER", c.NewConnectionsPerUser}, {"OCCUPY_RATE_CONNECTIONS_PER_ADDRESS", c.NewConnectionsPerAddress},
		{"OCCUPY_RATE_SUBSCRIPTIONS_PER_USER", c.SubscriptionsPerUser}, {"OCCUPY_RATE_SUBSCRIPTIONS_PER_ADDRESS", c.SubscriptionsPerAddress},
	} {
		must(0 <= bound.value && bound.value <= 1_000_000, "%s must be 0 to 1000000", bound.name)
	}
}

func (c *RateConfig) rates() gateway.Rates {
	if c.RateLimits == "off" {
		return gateway.Rates{}
	}
	return gateway.Rates{
		Mutations:     gateway.Rate{PerUser: c.MutationsPerUser, PerAddress: c.MutationsPerAddress},
		Connections:   gateway.Rate{PerUser: c.NewConnectionsPerUser, PerAddress: c.NewConnectionsPerAddress},
		Subscriptions: gateway.Rate{PerUser: c.SubscriptionsPerUser, PerAddress: c.SubscriptionsPerAddress},
	}
}

func (c *RateConfig) proxies() []netip.Prefix {
	all := make([]netip.Prefix, len(c.TrustedProxies))
	for i, p := range c.TrustedProxies {
		all[i] = p.Prefix
	}
	return all
}
