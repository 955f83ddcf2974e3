package keyspace

// Watcher hears that a key which it watches has changed: the optimistic locks
// of WATCH and the live queries. Touched is called in the turn that changed
// the key, at its end, with the number of changes and the version of the last
// of them: each change is told once, though it may be of several keys that the
// Watcher watches. It returns at once and sends at most a message.
type Watcher interface {
	Touched(version uint64, changes int)
}

// Follower is a Watcher that wants to read what each command has left, in its
// turn. Follow is called before the command's change, which is the change'th of
// the turn, is closed: what it does to keys, as when it finds one past its
// deadline, is part of that. It may be called again for the same change.
type Follower interface {
	Watcher
	Follow(tx *Tx, change int)
}

// watches is who watches which key of one database, existing or not. Entries
// of watched keys carry flagWatched, so that writes to others pay nothing, and
// their deadlines have an order of their own.
type watches map[string][]Watcher

// Watch makes w hear of changes of the key from here on. Watching twice is
// the same as once.
func (tx *Tx) Watch(key []byte, w Watcher) {
	at := tx.homeOf(key)
	for _, have := range at.d.watched[string(key)] {
		if have == w {
			return
		}
	}
	if at.d.watched == nil {
		at.d.watched = watches{}
	}
	at.d.watched[string(key)] = append(at.d.watched[string(key)], w)
	at.flagWatched(key, true)
}

// Unwatch takes back a Watch.
func (tx *Tx) Unwatch(key []byte, w Watcher) {
	at := tx.homeOf(key)
	list := at.d.watched[string(key)]
	for i, have := range list {
		if have == w {
			list = append(list[:i:i], list[i+1:]...)
			break
		}
	}
	if len(list) > 0 {
		at.d.watched[string(key)] = list
		return
	}
	delete(at.d.watched, string(key))
	at.flagWatched(key, false)
}

// flagWatched marks the key's entry, if it has one, as watched or not. Its
// deadlines change over to the parts of their orders that say so.
func (at home) flagWatched(key []byte, on bool) {
	slot, head := at.find(key, at.sh.hash(key))
	if slot == nil || head.has(flagWatched) == on {
		return
	}
	now := head
	now.flags ^= flagWatched
	entry := at.sh.mem.Bytes(slot.Ref(), head.keyAt)
	entry[1] = now.flags
	for e := range endings {
		if head.has(e.flag()) {
			pos := getUint32(entry[head.placeAt(e):])
			when, _ := at.d.due[e].of(&head).At(pos)
			at.d.due[e].of(&head).Remove(pos)
			at.d.due[e].of(&now).Add(when, slot.Ref())
		}
	}
}
