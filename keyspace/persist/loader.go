package persist

import (
	"bytes"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/journal"
	"github.com/troupedb/troupe/keyspace/rdb"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

// A loader reads in one goroutine and has the shards take what was read in one
// each: a batch is one turn of its shard. What concerns several shards waits
// until all before it is done.

const (
	batchItems = 1024
	batchBytes = 128 << 10
	batchesMax = 4 // that wait for a shard
)

// loader puts into the shards what is read.
type loader struct {
	store     *Store
	place     keyspace.Place
	functions Functions       // nil: they are there
	found     []command.KeyAt // keys of the present command
	effects   keyspace.EffectReader
	databases int
	feeds     []*feed
	keys      int64
	records   int64
	progress  Progress
	read      int64 // bytes of the present file
	before    int64 // records of those before it
	ahead     int   // records that each shard may expect of it

	refused int64 // effects that were answered by errors
	refusal string

	failed atomic.Bool
	mu     sync.Mutex
	err    error // the first of the shards'
}

// feed is what one shard is to take.
type feed struct {
	shard   int
	batch   *batch
	batches chan *batch
	free    chan *batch    // that were done, to be filled again
	under   sync.WaitGroup // batches that are not done
	room    int            // for keys, that was made
}

// batch is what a shard takes in one turn.
type batch struct {
	items   []rdb.Item
	effects []effect
	bytes   int
	ahead   int      // effects that may follow
	words   []byte   // of the effects
	ends    []int    // of their words
	all     [][]byte // the words, while they are redone
	d       rdb.Decoder
}

// reset empties a batch, so that it can be filled again.
func (b *batch) reset() {
	clear(b.items) // they may hold a lot of memory
	b.items, b.effects, b.words, b.ends, b.bytes = b.items[:0], b.effects[:0], b.words[:0], b.ends[:0], 0
}

// effect is one to be redone: its words are the batch's next ones.
type effect struct {
	spec  *command.Spec[*keyspace.Tx]
	db    int
	at    int64
	words int
	key   int // which one of them is a key
}

func newLoader(s *Store, place keyspace.Place, functions Functions) *loader {
	l := &loader{store: s, place: place, functions: functions, databases: place.Databases()}
	for i := range place.Len() {
		f := &feed{shard: i, batch: &batch{}, batches: make(chan *batch, batchesMax), free: make(chan *batch, batchesMax+1)}
		l.feeds = append(l.feeds, f)
		s.running.Go(func() { l.take(f) })
	}
	return l
}

// close ends the loader, and says what went wrong.
func (l *loader) close() error {
	for _, f := range l.feeds {
		f.under.Wait()
		close(f.batches)
	}
	return l.unreserve()
}

// take has the shard take its batches.
func (l *loader) take(f *feed) {
	for b := range f.batches {
		if broken := l.place.Visit([]int{f.shard}, func(tx *keyspace.Tx) { f.put(l, tx, b) }); broken != nil {
			l.fail(errWhileLoading(broken))
		}
		if b.bytes <= 2*batchBytes {
			b.reset()
			select {
			case f.free <- b:
			default:
			}
		}
		f.under.Done()
	}
}

func errWhileLoading(broken *keyspace.Broken) error {
	return fmt.Errorf("loading: %v\n%s", broken.Reason, broken.Stack)
}

func (l *loader) fail(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.err = errors.Join(l.err, err)
	l.failed.Store(true)
}

// failure is the first error of the shards.
func (l *loader) failure() error {
	if !l.failed.Load() {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// send hands a shard what was gathered for it.
func (l *loader) send(f *feed) {
	if len(f.batch.items)+len(f.batch.effects) == 0 {
		return
	}
	f.under.Add(1)
	f.batch.ahead = l.ahead
	f.batches <- f.batch
	select {
	case f.batch = <-f.free:
	default:
		f.batch = &batch{}
	}
}

// sendFull is send for a batch that is large enough.
func (l *loader) sendFull(f *feed) {
	if len(f.batch.items)+len(f.batch.effects) >= batchItems || f.batch.bytes >= batchBytes {
		l.send(f)
	}
}

// settle waits until all that was read is there.
func (l *loader) settle() error {
	for _, f := range l.feeds {
		l.send(f)
	}
	for _, f := range l.feeds {
		f.under.Wait()
	}
	return l.failure()
}

// begin notes which file is read.
func (l *loader) begin(file string, total int64) {
	l.progress, l.read = Progress{File: file, Total: total, Began: time.Now()}, 0
	l.before, l.ahead = l.records, 0
	l.reached(0)
}

// took notes that so many bytes were read.
func (l *loader) took(n int64) {
	l.read += n
	l.reached(l.read)
}

// progressEvery is after how many bytes the progress is made known.
const progressEvery = 1 << 20

func (l *loader) reached(offset int64) {
	if offset != 0 && offset-l.progress.Done < progressEvery {
		return
	}
	l.progress.Done, l.progress.Keys = offset, l.keys+l.records
	if records := l.records - l.before; records > 0 {
		l.ahead = int(float64(records)*float64(max(l.progress.Total-offset, 0))/float64(offset)) / len(l.feeds)
	}
	now := l.progress
	l.store.loaded.Store(&now)
}

// reserve makes room for the keys of a database, if the file is long enough to
// hold as many.
func (l *loader) reserve(item *rdb.Item) error {
	if item.DB >= l.databases || item.Keys > uint64(l.progress.Total)/keyBytesMin {
		return nil
	}
	each := int(item.Keys) / len(l.feeds)
	for _, f := range l.feeds {
		if broken := l.place.Visit([]int{f.shard}, func(tx *keyspace.Tx) { tx.Reserve(item.DB, each) }); broken != nil {
			return errWhileLoading(broken)
		}
	}
	return nil
}

// keyBytesMin is how many bytes of a file a key takes, at least.
const keyBytesMin = 4

// key gives a key to its shard.
func (l *loader) key(item *rdb.Item) error {
	f := l.feeds[l.place.ShardOf(item.Key)]
	if item.Elements != nil {
		return l.large(f, item)
	}
	f.batch.items = append(f.batch.items, *item)
	f.batch.bytes += len(item.Raw)
	l.sendFull(f)
	return l.failure()
}

// large puts a value in place whose elements are read meanwhile.
func (l *loader) large(f *feed, item *rdb.Item) (err error) {
	broken := l.place.Visit([]int{f.shard}, func(tx *keyspace.Tx) { err = putPart(tx, []rdb.Item{*item}, &rdb.Decoder{}) })
	if broken != nil {
		return errWhileLoading(broken)
	}
	return err
}

// put puts a batch in place.
func (f *feed) put(l *loader, tx *keyspace.Tx, b *batch) {
	if l.putItems(tx, b.items, &b.d); len(b.effects) > 0 {
		keys := keysOf(tx, b.effects[0].db)
		l.redo(tx, b)
		f.foresee(tx, b, keys)
	}
}

// putItems makes keys what the file says.
func (l *loader) putItems(tx *keyspace.Tx, items []rdb.Item, d *rdb.Decoder) {
	for len(items) > 0 {
		part := items[:min(len(items), warmItems)]
		items = items[len(part):]
		var keys [warmItems][]byte
		for i := range part {
			keys[i] = part[i].Key
		}
		tx.Warm(part[0].DB, keys[:len(part)]) // mostly they are all of one database
		if err := putPart(tx, part, d); err != nil {
			l.fail(err)
			return
		}
	}
}

// putPart makes keys what the file says, one after the other.
func putPart(tx *keyspace.Tx, part []rdb.Item, d *rdb.Decoder) (err error) {
	tx.Load(func() {
		for i := 0; i < len(part) && err == nil; i++ {
			tx.DB = part[i].DB
			err = putValue(tx, &part[i], d)
		}
	})
	for i := 0; i < len(part) && err == nil; i++ {
		restamp(tx, &part[i])
	}
	return err
}

// warmItems is how many keys are looked ahead for.
const warmItems = 32

// redo redoes effects.
func (l *loader) redo(tx *keyspace.Tx, b *batch) {
	all, from := b.all[:0], 0
	for _, end := range b.ends {
		all = append(all, b.words[from:end])
		from = end
	}
	b.all = all
	for rest := b.effects; len(rest) > 0; {
		part := rest[:min(len(rest), warmItems)]
		rest = rest[len(part):]
		warmEffects(tx, part, all)
		for i := range part {
			e := &part[i]
			words := all[:e.words:e.words]
			all = all[e.words:]
			if reply := tx.Redo(e.spec, keyspace.Effect{DB: e.db, Words: words}, e.at); reply.IsError() {
				l.refuse(words, reply)
			}
		}
	}
}

// warmEffects looks ahead for the keys of effects, whose words are the next ones.
func warmEffects(tx *keyspace.Tx, part []effect, words [][]byte) {
	var room [warmItems][]byte
	keys := room[:0]
	for i := range part {
		if part[i].db == part[0].db {
			keys = append(keys, words[part[i].key])
		}
		words = words[part[i].words:]
	}
	tx.Warm(part[0].db, keys)
}

func (l *loader) refuse(words [][]byte, reply resp.Reply) {
	if atomic.AddInt64(&l.refused, 1) == 1 {
		l.refusal = fmt.Sprintf("%.200q: %s", bytes.Join(words, []byte{' '}), reply.Str())
	}
}

// restamp gives a key the access clock that the file says.
func restamp(tx *keyspace.Tx, item *rdb.Item) {
	if item.Idle < 0 && item.Freq < 0 {
		return
	}
	tx.DB = item.DB
	if v := tx.Peek(item.Key); !v.Missing() {
		tx.Restamp(v, item.Idle, int64(item.Freq))
	}
}

func putValue(tx *keyspace.Tx, item *rdb.Item, d *rdb.Decoder) error {
	kind := tx.Kind(item.Form.Type())
	if kind == nil {
		return item.Error(rdb.ErrUnknown)
	}
	d.Reset(item.Raw)
	elements := item.Elements
	var mistake resp.Reply
	switch {
	case kind.Type == keyspace.String && elements == nil:
		text := d.Text()
		if d.Err() == nil {
			tx.PutText(item.Key, text, item.Deadline, "")
		}
	case kind.PutParts != nil:
		parts := d.Stream(item.Form)
		if d.Err() == nil {
			mistake = kind.PutParts(tx, item.Key, parts, item.Deadline, "")
		}
	default:
		if elements == nil {
			elements = d.Elements(item.Form)
		}
		mistake = kind.Put(tx, item.Key, elements, item.Deadline, "")
	}
	switch err := d.Err(); {
	case errors.Is(err, rdb.ErrEmpty): // Redis passes over these too
		return nil
	case err != nil:
		return item.Error(err)
	case mistake.IsError():
		return item.Error(errors.New(mistake.Str()))
	}
	return nil
}

// record gives a record's effects to the shards that they concern.
func (l *loader) record(r journal.Record) error {
	if err := l.store.halted(); err != nil {
		return err
	}
	l.records++
	return l.effects.Each(r.Body, func(e keyspace.Effect) error { return l.effect(e, r) })
}

func (l *loader) effect(e keyspace.Effect, r journal.Record) error {
	spec := l.store.Spec(e.Words)
	var err error
	if spec == nil {
		err = l.library(e.Words)
	} else {
		err = l.redoAt(spec, e, r.Time)
	}
	if err != nil {
		return fmt.Errorf("version %d: %w", r.Version, err)
	}
	return nil
}

// add copies an effect into the batch.
func (b *batch) add(e effect, words [][]byte) {
	for _, word := range words {
		b.words = append(b.words, word...)
		b.ends = append(b.ends, len(b.words))
		b.bytes += len(word)
	}
	b.effects = append(b.effects, e)
}

// shardOf is the shard that holds all keys of a command, if one does.
func (l *loader) shardOf(spec *command.Spec[*keyspace.Tx], words [][]byte) (shard int, single bool) {
	if spec.Flags.Has(command.AllShards) || spec.Reaches != nil && spec.Reaches(words) {
		return 0, false
	}
	keys, ok := spec.AppendKeys(l.found[:0], words)
	if l.found = keys; !ok || len(keys) == 0 {
		return 0, false
	}
	shard = l.place.ShardOf(words[keys[0].Pos])
	for _, key := range keys[1:] {
		if l.place.ShardOf(words[key.Pos]) != shard {
			return 0, false
		}
	}
	return shard, true
}

// everywhere redoes an effect over all shards, after all that came before it.
func (l *loader) everywhere(spec *command.Spec[*keyspace.Tx], e keyspace.Effect, at int64) error {
	if err := l.settle(); err != nil {
		return err
	}
	broken := l.place.VisitEach(func(tx *keyspace.Tx) {
		if reply := tx.Redo(spec, e, at); reply.IsError() {
			l.refuse(e.Words, reply)
		}
	})
	if broken != nil {
		return errWhileLoading(broken)
	}
	return nil
}
