package session

import (
	"cmp"
	"slices"
	"sync/atomic"
	"unsafe"
)

// crowd bounds what all clients take together (maxmemory-clients).
type crowd struct {
	most    atomic.Int64 // bytes; 0: any amount
	evicted atomic.Int64 // links closed for that
}

// SetClientMemory bounds the memory of all clients together, in bytes; 0 is no
// bound.
func (s *Server) SetClientMemory(bytes int64) { s.crowd.most.Store(bytes) }

// EvictedClients is how many links were closed because clients took too much
// memory.
func (s *Server) EvictedClients() int64 { return s.crowd.evicted.Load() }

// ClientMemory is what all clients take, in bytes.
func (s *Server) ClientMemory() (sum int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.sessions {
		sum += one.Memory()
	}
	return sum
}

// EvictClients closes links while clients take more memory together than they
// may, those that take most first. Clients that have asked for CLIENT NO-EVICT
// are left alone, and do not count. It is called from time to time.
func (s *Server) EvictClients() {
	most := s.crowd.most.Load()
	if most == 0 {
		return
	}
	type weighed struct {
		one   *Session
		bytes int64
	}
	var all []weighed
	sum := int64(0)
	for _, one := range s.Sessions() {
		if one.Flags.Load()&FlagNoEvict == 0 && !one.evicted.Load() {
			all = append(all, weighed{one, one.Memory()})
			sum += all[len(all)-1].bytes
		}
	}
	if sum <= most {
		return
	}
	slices.SortFunc(all, func(a, b weighed) int { return cmp.Compare(b.bytes, a.bytes) })
	for _, w := range all {
		if sum <= most {
			return
		}
		sum -= w.bytes
		w.one.evicted.Store(true)
		s.crowd.evicted.Add(1)
		s.Log.Warn("Evicting client: "+string(w.one.AppendInfo(nil, nil, nil)), "clients", sum, "most", most)
		w.one.Send(&Kill{})
	}
}

// Memory is about what the session takes, in bytes: itself, what has come and is
// not yet understood, what its client has not read, a transaction's queue and what
// it watches.
func (p *Public) Memory() int64 {
	return int64(unsafe.Sizeof(Session{})) + p.Unsent.Load() + p.Input.Load() + p.QueuedBytes.Load() +
		int64(p.Locks.Load()+p.Watching.Load()+p.Channels.Load()+p.ShardChannels.Load())*watchBytes
}

// watchBytes is about what it takes to follow one key, query or channel.
const watchBytes = 256
