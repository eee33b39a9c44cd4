package redis

import (
	"slices"
	"strings"
	"testing"

	goredis "github.com/redis/go-redis/v9"
)

func TestURL(t *testing.T) {
	for _, c := range []struct {
		name, url, master string
		addresses         []string
		user, password    string
		tls               bool
	}{
		{name: "one", url: "redis://cache:6380", addresses: []string{"cache:6380"}},
		{name: "no port", url: "redis://cache", addresses: []string{"cache:6379"}},
		{name: "no scheme", url: "cache:6380", addresses: []string{"cache:6380"}},
		{name: "database", url: "redis://cache:6380/3", addresses: []string{"cache:6380"}},
		{name: "credentials", url: "redis://floor:s%2Cec@cache:6380", addresses: []string{"cache:6380"}, user: "floor", password: "s,ec"},
		{name: "TLS", url: "rediss://cache:6380", addresses: []string{"cache:6380"}, tls: true},
		{name: "socket", url: "unix:///run/redis.sock", addresses: []string{"/run/redis.sock"}},
		{name: "cluster", url: "redis://floor:secret@a:1, b:2,redis://c:3", addresses: []string{"a:1", "b:2", "c:3"}, user: "floor", password: "secret"},
		{name: "cluster with TLS", url: "rediss://a:1,b:2", addresses: []string{"a:1", "b:2"}, tls: true},
		{name: "Sentinel", url: "a:26379,b:26379", master: "floor", addresses: []string{"a:26379", "b:26379"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			o, err := Config{URL: c.url, MasterName: c.master}.options()
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(o.Addrs, c.addresses) || o.Username != c.user || o.Password != c.password ||
				(o.TLSConfig != nil) != c.tls || o.MasterName != c.master {
				t.Errorf("%+v", o)
			}
			if c.tls && len(c.addresses) > 1 && o.TLSConfig.ServerName != "" {
				t.Errorf("every node would have to show the certificate of %s", o.TLSConfig.ServerName)
			}
		})
	}
}

func TestAWrongURLNamesItsVariableAndNoPassword(t *testing.T) {
	for _, url := range []string{
		"", " ", ",", "http://cache:6379", "redis://cache:port", "redis://cache:6379/x", "redis://a:1,,b:2",
		"redis://:se/cret@cache:6379", "redis://:se cret@cache:6379", "redis://cache:6379?unknown=secret", "redis://%zz@cache",
	} {
		b, err := Open(Config{URL: url, DatabaseID: "plant", Node: "n1"})
		if err == nil {
			b.Close()
			t.Errorf("%q was taken", url)
			continue
		}
		if text := err.Error(); !strings.Contains(text, "REDIS_URL") || strings.Contains(text, "cret") {
			t.Errorf("%q: %v", url, err)
		}
	}
}

func TestSeveralAddressesAreAClusterAndAMasterNameIsSentinel(t *testing.T) {
	leavesNothing(t)
	cluster, err := Open(Config{URL: "redis://127.0.0.1:1,127.0.0.1:2"})
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close()
	if _, ok := cluster.client.(*goredis.ClusterClient); !ok {
		t.Errorf("two addresses: %T", cluster.client)
	}
	sentinel, err := Open(Config{URL: "redis://127.0.0.1:1,127.0.0.1:2", MasterName: "floor"})
	if err != nil {
		t.Fatal(err)
	}
	defer sentinel.Close()
	if _, ok := sentinel.client.(*goredis.Client); !ok {
		t.Errorf("with a master name: %T", sentinel.client)
	}
}
