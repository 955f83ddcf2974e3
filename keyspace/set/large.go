package set

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/dict"
	"github.com/troupedb/troupe/keyspace/slab"
)

// large is a set in its large form, a keyspace.Object.
type large struct{ *dict.Dict }

// newLarge makes an empty set with its members in mem. No two sets should have
// the same seed: see keyspace.Tx.NewSeed.
func newLarge(mem *slab.Heap, seed uint64) *large { return &large{dict.New(mem, seed, dict.None)} }

// Type implements keyspace.Object.
func (l *large) Type() keyspace.Type { return keyspace.Set }

// Encoding implements keyspace.Object.
func (l *large) Encoding() keyspace.Encoding { return keyspace.HashTable }

// Free implements keyspace.Object.
func (l *large) Free(_ *slab.Heap, effort int) (done bool) { return l.Dict.Free(effort) }

// Copy implements keyspace.Object.
func (l *large) Copy(_, mem *slab.Heap) keyspace.Object { return &large{l.CopyTo(mem, l.NewSeed())} }
