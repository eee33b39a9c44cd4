package redis

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	goredis "github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// Config says which Redis to use, and for whom.
type Config struct {
	// URL is redis://[user:password@]host:port, rediss:// for TLS, or several of
	// that, separated by commas: the nodes of a cluster or, with a MasterName,
	// the Sentinels. Those after the first may leave out the scheme. Credentials
	// and TLS are those of the first. A database number has no meaning here.
	URL        string
	MasterName string
	// DatabaseID names the database whose gateways hear each other.
	DatabaseID string
	// Node names this process. If another one has the same name, that is logged.
	Node string
}

// errURL repeats nothing of the URL, for there may be a password in it.
var errURL = errors.New("REDIS_URL: want redis://[user:password@]host:port, or several separated by commas")

// options are those of a client that gives up soon and is kept small.
func (c Config) options() (*goredis.UniversalOptions, error) {
	o := &goredis.UniversalOptions{
		MasterName:  c.MasterName,
		DialTimeout: patience, ReadTimeout: patience, WriteTimeout: patience,
		ContextTimeoutEnabled: true,
		DialerRetries:         1, // listen and speak come back by themselves
		MaxRetries:            1, // a pooled connection may be one of a Redis that has restarted
		PoolSize:              1,
		PipelinePoolSize:      -1,
		// Both are for the managed service of one vendor.
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
		DisableIdentity:          true,
	}
	scheme := "redis"
	for i, address := range strings.Split(c.URL, ",") {
		address = strings.TrimSpace(address)
		if before, _, found := strings.Cut(address, "://"); found {
			scheme = before
		} else if address != "" {
			address = scheme + "://" + address
		}
		node, err := goredis.ParseURL(address)
		if err != nil {
			return nil, errURL
		}
		o.Addrs = append(o.Addrs, node.Addr)
		if i == 0 {
			o.Username, o.Password, o.TLSConfig = node.Username, node.Password, node.TLSConfig
		}
	}
	if o.TLSConfig != nil && (len(o.Addrs) > 1 || c.MasterName != "") {
		o.TLSConfig.ServerName = "" // each node has a certificate of its own
	}
	return o, nil
}

// goLogger takes what go-redis would write to standard error, over and over,
// while Redis is away.
type goLogger struct{}

func (goLogger) Printf(ctx context.Context, format string, v ...any) {
	if slog.Default().Enabled(ctx, slog.LevelDebug) {
		slog.DebugContext(ctx, fmt.Sprintf(format, v...))
	}
}

func init() { goredis.SetLogger(goLogger{}) }
