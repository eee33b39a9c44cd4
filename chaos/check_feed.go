package main

// checkSights: on one connection nothing comes twice and nothing is left out; after one was lost some may
// come again, and in the end everybody has seen all there is.
func checkSights(r *record, found func(string, ...any)) {
	latest := map[item]present{}
	for _, p := range r.tables.items {
		latest[p.item()] = p
	}
	for n, s := range r.subscriptions {
		overall, inLife, state := map[item]int64{}, map[item]int64{}, map[item]string{}
		life := -1
		for _, v := range s.sights {
			if v.life != life {
				life = v.life
				clear(inLife)
			}
			last := overall[v.item]
			switch {
			case inLife[v.item] > 0 && v.version <= inLife[v.item]:
				found("subscriber %d saw %v version %d after %d on one connection", n, v.item, v.version, inLife[v.item])
			case v.version > last+1 && !v.snapshot:
				found("subscriber %d saw %v version %d after %d", n, v.item, v.version, last)
			}
			inLife[v.item] = v.version
			if v.version > last {
				overall[v.item], state[v.item] = v.version, v.state
			}
		}
		for i, p := range latest {
			if overall[i] != p.Version || state[i] != p.State {
				found("subscriber %d has %v as %s version %d at the end; it is %s version %d", n, i, state[i], overall[i], p.State, p.Version)
			}
		}
		if s.resyncs > 0 {
			found("subscriber %d could not go on after its cursor %d times", n, s.resyncs)
		}
	}
}
