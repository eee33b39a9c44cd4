package main

import (
	"github.com/IBM/pgxpoolprometheus"
	"github.com/prometheus/client_golang/prometheus"

	"occupy/persistence/postgres"
)

// poolCollectors are the metrics of the connection pools.
func poolCollectors(store *postgres.Store) (all []prometheus.Collector) {
	for name, pool := range store.Pools() {
		all = append(all, pgxpoolprometheus.NewCollector(pool, map[string]string{"pool": name}))
	}
	return all
}
