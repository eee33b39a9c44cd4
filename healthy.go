package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"
)

// healthyWithin is how long a gateway that lives may take to say so.
const healthyWithin = 2 * time.Second

// askHealth asks the gateway of these settings, on this machine, whether it lives: for
// containers that have nothing else to ask with. Returns an error if it does not.
func (c *Config) askHealth(ctx context.Context) error {
	address, err := net.ResolveTCPAddr("tcp", c.Listen)
	if err != nil || address.Port == 0 {
		return fmt.Errorf("OCCUPY_LISTEN=%s says no port to ask at", c.Listen)
	}
	if address.IP == nil || address.IP.IsUnspecified() {
		address.IP = net.IPv4(127, 0, 0, 1)
	}
	ctx, done := context.WithTimeout(ctx, healthyWithin)
	defer done()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address.String()+"/healthz", nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("/healthz says %s", response.Status)
	}
	return nil
}
