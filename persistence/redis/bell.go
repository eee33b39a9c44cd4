package redis

import (
	"context"
	"crypto/rand"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"occupy/domain"
)

const (
	// patience bounds whatever is asked of Redis.
	patience = time.Second
	// beatEvery is how often a gateway tries whether it hears itself.
	beatEvery = time.Second
	// awayAfter is how long it may hear nothing.
	awayAfter = 3 * time.Second
	// listenAgainAfter is how soon a lost subscription is tried again.
	listenAgainAfter = 200 * time.Millisecond
)

// The words that are said in the channel, each followed by a blank and the process
// that says it. Beats are followed by another blank and the name of the node, renewals
// by what they are, as JSON.
const (
	wordChanged = "changed"
	wordBeat    = "beat"
	wordListens = "listens" // a beat of one that wants to be told of renewals
	wordRenewed = "renewed"
	wordMissed  = "missed" // some renewals were not told
)

// client is what the Bell needs of Redis.
type client interface {
	Publish(ctx context.Context, channel string, message any) *goredis.IntCmd
	Subscribe(ctx context.Context, channels ...string) *goredis.PubSub
	Close() error
}

// Bell carries the word between the gateways of one database. Make one with
// Open, Run it, Close it.
type Bell struct {
	client  client
	channel string
	node    string
	self    string // this process: two may have been given one name

	ring chan struct{} // this gateway has something to tell
	rung chan struct{} // another one had
	beat chan struct{} // not to wait for: a subscription has begun, and can hear a beat

	renewals renewals

	heard atomic.Pointer[time.Time] // when this node last heard itself
	away  bool                      // what was logged last; used by speak only
	twins map[string]bool           // others of this name that were logged; used by listen only
}

var _ domain.Bell = (*Bell)(nil)

// Open makes a Bell. Redis need not be there: nothing is asked of it yet.
// Returns an error that names REDIS_URL if the URL is wrong.
func Open(c Config) (*Bell, error) {
	options, err := c.options()
	if err != nil {
		return nil, err
	}
	return newBell(goredis.NewUniversalClient(options), c), nil
}

func newBell(client client, c Config) *Bell {
	return &Bell{
		client: client, channel: "occupy:" + c.DatabaseID, node: c.Node, self: rand.Text(),
		ring: make(chan struct{}, 1), rung: make(chan struct{}, 1), beat: make(chan struct{}, 1),
		renewals: renewals{tell: make(chan struct{}, 1)}, twins: map[string]bool{},
	}
}

// Close closes the connections. Call it after Run has returned.
func (b *Bell) Close() error { return b.client.Close() }

// Ring tells the other gateways of this database. It never blocks; rings that
// come faster than Redis takes them become one, and one that Redis does not
// take is lost.
func (b *Bell) Ring() { signal(b.ring) }

// Rung receives once if another gateway has rung since it last received, or if
// it may have: after each connection to Redis.
func (b *Bell) Rung() <-chan struct{} { return b.rung }

// Away tells whether Redis carries no word at present: this gateway has not
// heard itself for three seconds, or not yet at all.
func (b *Bell) Away() bool {
	heard := b.heard.Load()
	return heard == nil || time.Since(*heard) > awayAfter
}

// Run listens and speaks until ctx ends. While Redis is away it keeps trying.
func (b *Bell) Run(ctx context.Context) {
	var loops sync.WaitGroup
	loops.Go(func() { b.listen(ctx) })
	loops.Go(func() { b.speak(ctx) })
	loops.Wait()
}

func (b *Bell) speak(ctx context.Context) {
	tick := time.NewTicker(beatEvery)
	defer tick.Stop()
	var collected <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case <-b.ring:
			_ = b.publish(ctx, wordChanged)
		case <-b.renewals.tell:
			if collected == nil {
				collected = time.After(tellEvery)
			}
		case <-collected:
			collected = nil
			b.publishRenewed(ctx)
		case <-b.beat:
			b.publishBeat(ctx)
		case <-tick.C:
			b.publishBeat(ctx)
			b.noteAway()
		}
	}
}

// publishBeat says that this node is there, and what it wants. What was lost
// while Redis was away is told after it.
func (b *Bell) publishBeat(ctx context.Context) {
	word := wordBeat
	if b.renewals.hear.Load() != nil {
		word = wordListens
	}
	if err := b.publish(ctx, word, b.node); err == nil {
		signal(b.renewals.tell)
	}
}

// publish says a word. One that Redis does not take is lost.
func (b *Bell) publish(ctx context.Context, word string, more ...string) error {
	ctx, done := context.WithTimeout(ctx, patience)
	defer done()
	said := strings.Join(append([]string{word, b.self}, more...), " ")
	err := b.client.Publish(ctx, b.channel, said).Err()
	if err != nil {
		slog.Debug("redis: publish", "word", word, "err", err)
	}
	return err
}

// noteAway logs when Redis goes away and when it is back.
func (b *Bell) noteAway() {
	away := b.Away()
	if away == b.away {
		return
	}
	b.away = away
	if away {
		slog.Warn("Redis is away; other gateways' changes are seen up to a second later")
	} else {
		slog.Info("Redis is back")
	}
}

func (b *Bell) listen(ctx context.Context) {
	for ctx.Err() == nil {
		err := b.listenOnce(ctx)
		slog.Debug("redis: listen", "err", err)
		// Of a cluster, a subscription asks for no news by itself, and would go on
		// trying a node that is gone for a minute.
		if cluster, is := b.client.(interface{ ReloadState(context.Context) }); is {
			cluster.ReloadState(ctx)
		}
		select {
		case <-ctx.Done():
		case <-time.After(listenAgainAfter):
		}
	}
}

// listenOnce listens on one connection until that breaks or falls silent. It
// carries this node's own beats, so a silent one is dead, even if no error says
// so: the host may have vanished, or the node may have left the cluster.
func (b *Bell) listenOnce(ctx context.Context) error {
	sub := b.client.Subscribe(ctx)
	defer sub.Close()
	defer context.AfterFunc(ctx, func() { sub.Close() })() // a read does not end with ctx
	if err := sub.Subscribe(ctx, b.channel); err != nil {
		return err
	}
	for {
		message, err := sub.ReceiveTimeout(ctx, awayAfter)
		if err != nil {
			return err
		}
		switch m := message.(type) {
		case *goredis.Subscription:
			signal(b.beat)
			signal(b.rung) // something may have been missed
			b.hearRenewed("")
		case *goredis.Message:
			b.hear(m.Payload)
		}
	}
}

func (b *Bell) hear(payload string) {
	word, rest, _ := strings.Cut(payload, " ")
	process, body, _ := strings.Cut(rest, " ")
	if process == b.self {
		now := time.Now()
		b.heard.Store(&now)
		return
	}
	switch word {
	case wordChanged:
		signal(b.rung)
	case wordBeat:
		b.noteName(process, body)
	case wordListens:
		b.noteName(process, body)
		b.noteWanted()
	case wordRenewed, wordMissed:
		b.hearRenewed(body)
	}
}

// noteName logs once that another process has this one's name.
func (b *Bell) noteName(process, node string) {
	if node != b.node || b.twins[process] {
		return
	}
	b.twins[process] = true
	slog.Warn("OCCUPY_NODE is also the name of another gateway; nobody can tell who leads a job or lost numbers", "node", node)
}

// signal sets the flag that a channel of one place is.
func signal(flag chan<- struct{}) {
	select {
	case flag <- struct{}{}:
	default:
	}
}
