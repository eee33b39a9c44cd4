package main

import (
	"context"
	"errors"
	"fmt"

	"occupy/domain"
	"occupy/persistence/devstack"
)

// develop runs Occupy with a private PostgreSQL and Redis, until ctx ends.
func develop(ctx context.Context, c Config) error {
	if c.Database != "" || c.Redis != "" {
		fmt.Println("-dev brings its own PostgreSQL and Redis: DATABASE_URL and REDIS_URL are not used.")
	}
	dir, err := devstack.DefaultDir()
	if err != nil {
		return err
	}
	fmt.Println("Starting PostgreSQL and Redis; their data is in " + dir)
	stack, err := devstack.Start(ctx, devstack.Options{Dir: dir, Durable: true, Postgres: true, Redis: true})
	if err != nil {
		return err
	}
	c.Database, c.ReadURL, c.Redis, c.RedisName = stack.DatabaseURL("occupy"), "", stack.RedisURL(), ""
	c.MigrateURL = c.Database
	c.Notice = 0 // nobody sends anything here but who has just pressed Ctrl-C
	c.started = func(address string, service *domain.Service) {
		if err := occupySamples(ctx, service); err != nil {
			fmt.Println("no sample items:", err)
		}
		greet(c.Auth, address, c.Database, stack.Notes())
	}
	return errors.Join(run(ctx, c), stack.Stop())
}

// occupySamples has a few users hold something to look at.
func occupySamples(ctx context.Context, service *domain.Service) error {
	for _, sample := range []struct {
		user string
		item domain.OccupyInput
	}{
		{"kim", domain.OccupyInput{ItemType: "LOT", ItemName: "LOT-1001", UIName: "Track In", MenuName: "Lot"}},
		{"lee", domain.OccupyInput{ItemType: "MASK", ItemName: "MASK-77", UIName: "Mask Change", MenuName: "Mask"}},
		{"park", domain.OccupyInput{ItemType: "CST", ItemName: "CST-0042", UIName: "Carrier Clean", MenuName: "Carrier"}},
	} {
		caller, err := domain.NewCaller(sample.user, []string{string(domain.RoleOperator)}, "en")
		if err != nil {
			return err
		}
		if _, err := service.Occupy(domain.WithCaller(ctx, caller), sample.item); err != nil {
			return err
		}
	}
	return nil
}

func greet(auth, address, database string, notes []string) {
	for _, note := range notes {
		fmt.Println(note)
	}
	says, header := "the header X-User-Id says who asks", "X-User-Id: kim"
	if auth == "jwt" {
		says, header = "the header Authorization has a token of OCCUPY_JWT_ISSUER", "Authorization: Bearer $TOKEN"
	}
	fmt.Printf(`
Occupy is running. Ctrl-C stops it, its PostgreSQL and its Redis; data lasts.

  http://%[1]s/         what there is
  http://%[1]s/graphql  GraphQL; %[3]s
  %[2]s

Take an item:

  curl -s http://%[1]s/graphql -H 'Content-Type: application/json' -H "%[4]s" -d '{"query":
    "mutation { occupy(input: {itemType: \"LOT\", itemName: \"LOT-2001\", uiName: \"Track In\"}) { ok code message } }"}'

`, address, database, says, header)
}
