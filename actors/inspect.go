package actors

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/troupedb/troupe/session"
	"github.com/troupedb/troupe/subscription/watch"
)

// ActorInfo is what can be told of an actor from outside.
type ActorInfo struct {
	// Path is its name: shard/0, session/17.
	Path string
	// Waiting is the number of messages in its mailbox, -1 if nobody knows.
	Waiting int
}

// unasked stands for the number of messages of an actor until it is asked.
const unasked = -2

// Actors are all actors of the system at about this moment, by their paths.
func (s *System) Actors() []ActorInfo {
	var all []ActorInfo
	for _, bucket := range s.tree.system.ProcessRegistry.LocalPIDs.LocalPIDs {
		bucket.IterCb(func(path string, _ any) {
			if strings.Contains(path, "/") { // others are protoactor's own
				all = append(all, ActorInfo{path, unasked})
			}
		})
	}
	s.Server.Watches.Actors(func(number uint64, waiting int) {
		all = append(all, ActorInfo{watch.Address + "/" + strconv.FormatUint(number, 10), waiting})
	})
	for i := range all { // not within IterCb, which holds a lock of the registry
		if all[i].Waiting == unasked {
			all[i].Waiting = s.waiting(all[i].Path)
		}
	}
	slices.SortFunc(all, func(x, y ActorInfo) int {
		return cmp.Or(cmp.Compare(len(x.Path), len(y.Path)), strings.Compare(x.Path, y.Path))
	})
	return all
}

// Actor is the actor with the path; ok is false if there is none.
func (s *System) Actor(path string) (info ActorInfo, ok bool) {
	if n, ok := Numbered(path, watch.Address); ok {
		waiting, ok := s.Server.Watches.Actor(n)
		return ActorInfo{path, waiting}, ok
	}
	for _, bucket := range s.tree.system.ProcessRegistry.LocalPIDs.LocalPIDs {
		if bucket.Has(path) {
			return ActorInfo{path, s.waiting(path)}, true
		}
	}
	return ActorInfo{}, false
}

func (s *System) waiting(path string) int {
	if n, ok := Numbered(path, "shard"); ok && n < uint64(s.Node.Len()) {
		return s.Node.Waiting(int(n))
	}
	if one := s.SessionAt(path); one != nil {
		return one.Waiting()
	}
	return -1
}

// SessionAt is the session with the path, or nil.
func (s *System) SessionAt(path string) *session.Session {
	n, ok := Numbered(path, "session")
	if !ok {
		return nil
	}
	return s.Server.Session(n)
}

// Numbered is the number of an actor of a kind: 3 of shard/3.
func Numbered(path, kind string) (n uint64, ok bool) {
	rest, ok := strings.CutPrefix(path, kind+"/")
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseUint(rest, 10, 64)
	return n, err == nil
}
