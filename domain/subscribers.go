package domain

// subscribers are those of a Hub. Those that name items are found by them: thousands of
// holds wait for one item each, and are not to be asked about every change.
type subscribers struct {
	all   map[*Subscription]struct{}
	broad map[*Subscription]struct{}            // any change may be theirs
	named map[string]map[*Subscription]struct{} // by the names of items
}

func newSubscribers() subscribers {
	return subscribers{map[*Subscription]struct{}{}, map[*Subscription]struct{}{}, map[string]map[*Subscription]struct{}{}}
}

func (a *subscribers) add(s *Subscription) {
	a.all[s] = struct{}{}
	if len(s.filter.ItemNames) == 0 {
		a.broad[s] = struct{}{}
	}
	for _, name := range s.filter.ItemNames {
		if a.named[name] == nil {
			a.named[name] = map[*Subscription]struct{}{}
		}
		a.named[name][s] = struct{}{}
	}
}

// remove returns false if it was not there.
func (a *subscribers) remove(s *Subscription) bool {
	_, there := a.all[s]
	delete(a.all, s)
	delete(a.broad, s)
	for _, name := range s.filter.ItemNames {
		if delete(a.named[name], s); len(a.named[name]) == 0 {
			delete(a.named, name)
		}
	}
	return there
}

// each hands to everybody those changes that may be theirs, in order; to nobody none.
func (a *subscribers) each(changes []*Change, do func(*Subscription, []*Change)) {
	if len(changes) == 0 {
		return
	}
	for sub := range a.broad {
		do(sub, changes)
	}
	if len(a.named) == 0 {
		return
	}
	theirs := map[*Subscription][]*Change{}
	for _, c := range changes {
		for sub := range a.named[c.Occupancy.ItemName] {
			theirs[sub] = append(theirs[sub], c)
		}
	}
	for sub, changes := range theirs {
		do(sub, changes)
	}
}
