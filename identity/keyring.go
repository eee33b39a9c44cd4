package identity

import (
	"cmp"
	"context"
	"crypto"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/prometheus/client_golang/prometheus"
)

const (
	// readEvery is how old the keys get, and how long one that was withdrawn is taken.
	readEvery = time.Minute
	// readTime bounds one reading.
	readTime = 5 * time.Second
	// refreshAfter is how soon unknown keys may have them read again.
	refreshAfter = 5 * time.Second
)

// key is one that a token may be signed with.
type key struct {
	id        string // "" fits any token
	algorithm string // "" = any that fits the key
	public    crypto.PublicKey
}

func (k key) equal(other key) bool {
	public, can := k.public.(interface{ Equal(crypto.PublicKey) bool })
	return k.id == other.id && k.algorithm == other.algorithm && can && public.Equal(other.public)
}

// keyring is the keys as their source last gave them. While that is away, they stay.
type keyring struct {
	source source
	after  time.Duration
	reads  *prometheus.CounterVec

	mu      sync.Mutex
	keys    []key
	changes int64         // of keys
	asked   time.Time     // when they were last asked for
	reading chan struct{} // closed when that has ended; nil if it has
}

func newKeyring(c Config) *keyring {
	r := &keyring{
		source: sourceOf(c), after: cmp.Or(c.RefreshAfter, refreshAfter),
		reads: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "occupy_token_key_reads_total", Help: "How often the keys of tokens were read, by result: ok or failed. While it fails, those that are known stay.",
		}, []string{"result"}),
	}
	for _, result := range []string{"ok", "failed"} {
		r.reads.WithLabelValues(result) // an alert looks for a rise from zero
	}
	return r
}

func (r *keyring) collectors() []prometheus.Collector {
	return []prometheus.Collector{r.reads, prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "occupy_token_keys", Help: "Keys that a token may be signed with.",
	}, func() float64 {
		r.mu.Lock()
		defer r.mu.Unlock()
		return float64(len(r.keys))
	})}
}

var errNoKeys = errors.New("there is no key to check tokens with")

// read asks the source. Returns its error, or errNoKeys: what was known stays.
func (r *keyring) read(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	keys, err := r.source(ctx)
	if err == nil && len(keys) == 0 {
		err = errNoKeys
	}
	if err != nil {
		r.reads.WithLabelValues("failed").Inc()
		return err
	}
	r.reads.WithLabelValues("ok").Inc()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked = time.Now()
	if !slices.EqualFunc(keys, r.keys, key.equal) {
		r.keys, r.changes = keys, r.changes+1
	}
	return nil
}

// version rises when the keys change.
func (r *keyring) version() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.changes
}

// refresh reads the keys again and waits for that, as long as ctx lasts: one reading
// serves all who ask meanwhile, and none follows soon, whoever asks.
func (r *keyring) refresh(ctx context.Context) {
	reading := r.beginReading()
	if reading == nil {
		return
	}
	select {
	case <-reading:
	case <-ctx.Done():
	}
}

// beginReading returns nil if it is too soon.
func (r *keyring) beginReading() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.reading == nil && time.Since(r.asked) >= r.after {
		r.asked, r.reading = time.Now(), make(chan struct{})
		go r.endReading(r.reading)
	}
	return r.reading
}

// endReading does not end with the request that began it: others wait for it, too.
func (r *keyring) endReading(done chan struct{}) {
	if err := r.read(context.Background()); err != nil {
		slog.Error("the keys of tokens could not be read; those that are known stay", "err", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reading = nil
	close(done)
}

func (r *keyring) run(ctx context.Context) {
	tick := time.NewTicker(readEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			r.refresh(ctx)
		case <-ctx.Done():
			return
		}
	}
}

// find are the keys that may have signed a token. If there is none the source is asked.
func (r *keyring) find(ctx context.Context, id, algorithm string) []jwt.VerificationKey {
	found := r.known(id, algorithm)
	if len(found) == 0 {
		r.refresh(ctx)
		found = r.known(id, algorithm)
	}
	return found
}

func (r *keyring) known(id, algorithm string) (found []jwt.VerificationKey) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, k := range r.keys {
		if (id == "" || k.id == "" || k.id == id) && (k.algorithm == "" || k.algorithm == algorithm) {
			found = append(found, k.public)
		}
	}
	return found
}
