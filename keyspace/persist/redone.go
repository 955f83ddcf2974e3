package persist

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/aof"
	"github.com/troupedb/troupe/keyspace/rdb"
	"github.com/troupedb/troupe/resp/command"
)

// unit does what an append-only file says at one place.
func (l *loader) unit(u *aof.Unit) error {
	if u.Item.Kind != 0 {
		return l.item(&u.Item)
	}
	for _, c := range u.Commands {
		l.records++
		if err := l.command(c, u.Time*1000); err != nil {
			return &aof.FileError{File: u.File, Offset: u.Offset, Begin: u.Offset, Err: err}
		}
	}
	return nil
}

// command does a command of an append-only file, which was written at a time, Unix
// milliseconds, or if that is 0 at one that is not known.
func (l *loader) command(c aof.Command, at int64) error {
	spec := l.store.Spec(c.Words)
	switch {
	case spec == nil:
		return l.library(c.Words)
	case !spec.ArityOK(len(c.Words)):
		return fmt.Errorf("%s has %d words", spec.Name, len(c.Words))
	case spec.Flags.Has(command.Blocking):
		return fmt.Errorf("%s may wait for others, so it can't be done again", spec.Name)
	}
	if at == 0 && isRelative(spec.Name, c.Words) {
		at = time.Now().UnixMilli()
	}
	return l.redoAt(spec, keyspace.Effect{DB: c.DB, Words: c.Words}, at)
}

// isRelative reports whether a command counts from the time at which it is done,
// as hardly any does that redis-server has written. The others are done as if
// nothing had ever ended: what had, the file says.
func isRelative(name string, words [][]byte) bool {
	has := func(options ...string) bool {
		for _, word := range words[1:] {
			for _, option := range options {
				if strings.EqualFold(string(word), option) {
					return true
				}
			}
		}
		return false
	}
	switch name {
	case "EXPIRE", "PEXPIRE", "SETEX", "PSETEX", "HEXPIRE", "HPEXPIRE", "EVAL", "EVALSHA":
		return true
	case "SET", "GETEX", "HSETEX", "HGETEX":
		return has("EX", "PX")
	case "RESTORE":
		return !has("ABSTTL")
	case "XADD":
		return has("*")
	}
	return false
}

// library does a command about scripts and functions.
func (l *loader) library(words [][]byte) error {
	if l.functions == nil {
		return nil
	}
	if err := l.functions.Redo(words); err != nil {
		return fmt.Errorf("%.200q: %w", bytes.Join(words, []byte{' '}), err)
	}
	return nil
}

// redoAt has an effect redone, by the shard that it concerns or all.
func (l *loader) redoAt(spec *command.Spec[*keyspace.Tx], e keyspace.Effect, at int64) error {
	if e.DB >= l.databases {
		return fmt.Errorf("it is about database %d, and there are %d: start with --databases %d", e.DB, l.databases, e.DB+1)
	}
	shard, single := l.shardOf(spec, e.Words)
	if !single {
		return l.everywhere(spec, e, at)
	}
	f := l.feeds[shard]
	f.batch.add(effect{spec, e.DB, at, len(e.Words), l.found[0].Pos}, e.Words)
	l.sendFull(f)
	return l.failure()
}

// count adds what another loader has read.
func (l *loader) count(other *loader) {
	l.keys, l.records = l.keys+other.keys, l.records+other.records
	if l.refused == 0 {
		l.refusal = other.refusal
	}
	l.refused += other.refused
}

// transfer puts all keys of another place into this one, over those that have the
// same names.
func (l *loader) transfer(from keyspace.Place) error {
	r, w := io.Pipe()
	l.store.running.Go(func() { w.CloseWithError(writePlace(from, w)) })
	defer r.Close()
	return l.readRDB(r, rdb.ReadOptions{Unchecked: true})
}

// writePlace writes all keys of a place that nobody changes, as a file of RDB.
func writePlace(place keyspace.Place, w io.Writer) error {
	out := rdb.NewFileWriter(w, rdb.WriteOptions{Version: rdb.VersionMax, Unchecked: true})
	for shard := range place.Len() {
		broken := place.Visit([]int{shard}, func(tx *keyspace.Tx) {
			tx.Load(func() { writeShard(tx, place.Databases(), out) })
		})
		if broken != nil {
			return fmt.Errorf("%v", broken.Reason)
		}
	}
	return out.End()
}

func writeShard(tx *keyspace.Tx, databases int, out *rdb.FileWriter) {
	i := newImage(false)
	for tx.DB = 0; tx.DB < databases; tx.DB++ {
		parts := i.Database(nil, tx.DB)
		tx.EachWhole(func(v keyspace.Value) bool {
			if parts = i.Entry(parts, tx, v); len(parts) < writeBytes {
				return true
			}
			err := out.Parts(parts, i.wants())
			parts = parts[:0]
			return err == nil
		})
		if out.Parts(parts, i.wants()) != nil {
			return // End will say it
		}
	}
}
