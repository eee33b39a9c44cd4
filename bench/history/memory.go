package main

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"
)

// memory reads that many rows of an export, and tells how much more memory the gateway
// has meanwhile than idle.
func (r *rig) memory(ctx context.Context, rows int) error {
	idle, err := r.resident()
	if err != nil {
		return err
	}
	ctx, leave := context.WithCancel(ctx)
	defer leave()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+r.address+"/export/history.ndjson", nil)
	if err != nil {
		return err
	}
	request.Header.Set("X-User-Id", "ana")
	began := time.Now()
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	n, most := 0, idle
	for lines := bufio.NewScanner(response.Body); n < rows && lines.Scan(); n++ {
		if n%5000 == 0 {
			now, err := r.resident()
			if err != nil {
				return err
			}
			most = max(most, now)
		}
	}
	if n == 0 {
		return fmt.Errorf("export: %s, and no row", response.Status)
	}
	took := time.Since(began)
	fmt.Printf("export: %d rows in %v, %.0f a second; the gateway's memory %d MB idle, %d MB at most (to reach: 50 MB more)\n",
		n, took.Round(time.Second), float64(n)/took.Seconds(), idle>>20, most>>20)
	return nil
}

// resident is how much memory the gateway has, in bytes.
func (r *rig) resident() (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", r.gateway.Process.Pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(text), "VmRSS:")
	var kilobytes int64
	_, err = fmt.Sscan(rest, &kilobytes)
	return kilobytes << 10, err
}
