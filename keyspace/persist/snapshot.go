package persist

import (
	"bufio"
	"fmt"
	"hash/crc32"
	"slices"
	"sync"
	"time"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/journal"
	"github.com/troupedb/troupe/keyspace/rdb"
)

// sliceBytes is about how much of a shard is written down in one turn: a few
// hundred small keys, a tenth of a millisecond's worth.
const sliceBytes = 16 << 10

// writeBytes is how much is written to the file at once.
const writeBytes = 256 << 10

// snapshot is the writing of one file.
type snapshot struct {
	*Store
	options Options
	untimed bool // without deadlines of fields
	file    journal.File
	images  []*image // by shard
	thawed  []*image // of cold values, likewise
	buffer  *bufio.Writer
	sizes   []size
	sum     uint32 // of what was written

	mu  sync.Mutex // guards what follows
	out *rdb.FileWriter
	err error
}

// written is a file that was written whole.
type written struct {
	version  uint64
	size     int64
	checksum uint32 // as of journal.Snapshot
	keys     int
	changes  int64 // of the node, until then
	took     time.Duration
	left     int // deadlines of fields that were left out
	format   int // version of RDB
}

// write writes all there is to a file of that path, as of one moment, and gets
// it onto the disk. cut tells that moment's version, while all shards are held.
// If it fails, or is given up, nothing is left of the file.
func (s *Store) write(path string, cut func() uint64, halt <-chan struct{}) (w written, err error) {
	return s.writeAs(&snapshot{Store: s, options: *s.options.Load()}, path, cut, halt)
}

// writeAs is write for a snapshot that was made for it.
func (s *Store) writeAs(p *snapshot, path string, cut func() uint64, halt <-chan struct{}) (w written, err error) {
	began := time.Now()
	file, err := s.FS.Create(path)
	if err != nil {
		return w, err
	}
	p.file = file
	w, err = p.run(cut, halt)
	w.checksum = p.sum
	if err == nil {
		err = file.Sync()
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err != nil {
		_ = s.FS.Remove(path)
		return w, fmt.Errorf("writing a snapshot: %w", err)
	}
	w.took = time.Since(began)
	return w, nil
}

// run writes the file. Once the shards have been told that they are saved, they
// are walked to the end, whatever happens.
func (p *snapshot) run(cut func() uint64, halt <-chan struct{}) (w written, err error) {
	var libraries [][]byte
	p.Node.HoldTier()
	defer p.Node.ReleaseTier()
	broken := p.Node.VisitEach(func(tx *keyspace.Tx) {
		w.version, w.changes, libraries = cut(), p.Node.Changes(), p.Functions.Libraries()
		p.begin(tx)
		p.count(tx)
	})
	if broken != nil {
		return w, fmt.Errorf("%v", broken.Reason)
	}
	p.saver.atCut()
	p.head(w.version, libraries)
	var walks sync.WaitGroup
	for shard := range p.Node.Len() {
		walks.Go(func() { p.walk(shard, halt) })
	}
	walks.Wait()
	for shard := range p.Node.Len() {
		p.walkLarge(shard, halt)
	}
	for shard := range p.Node.Len() {
		p.Node.Visit([]int{shard}, func(tx *keyspace.Tx) {
			keys, late := tx.EndSave()
			w.keys += keys
			p.fail(late)
		})
	}
	for _, i := range slices.Concat(p.images, p.thawed) {
		w.left += i.left
	}
	if p.err == nil {
		p.fail(p.out.End())
		p.fail(p.buffer.Flush())
	}
	w.size, w.format = p.out.Size(), p.out.Version()
	return w, p.err
}

// begin makes the cut.
func (p *snapshot) begin(tx *keyspace.Tx) {
	version := 0
	if tx.TimedFields() && !p.untimed {
		version = rdb.VersionMax
	}
	p.buffer = bufio.NewWriterSize(p, writeBytes)
	p.out = rdb.NewFileWriter(p.buffer, rdb.WriteOptions{Version: version, Unchecked: p.options.Unchecked})
	tx.StartSave(func() keyspace.Image {
		i := newImage(!p.options.Plain)
		i.untimed = p.untimed
		p.images = append(p.images, i)
		return i
	})
}

// size is how many keys a database has.
type size struct{ number, keys, timed int }

// count notes the sizes of the databases.
func (p *snapshot) count(tx *keyspace.Tx) {
	for i := range p.Node.Databases() {
		db := size{number: i}
		tx.EachShard(func(sh *keyspace.Shard) {
			db.keys += sh.Keys(i)
			db.timed += sh.Expiring(i)
		})
		if db.keys > 0 {
			p.sizes = append(p.sizes, db)
			p.saver.total.Add(int64(db.keys))
		}
	}
}

// Write implements io.Writer for the file.
func (p *snapshot) Write(b []byte) (int, error) {
	p.sum = crc32.Update(p.sum, castagnoli, b)
	return p.file.Write(b)
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// head writes what the file begins with.
func (p *snapshot) head(version uint64, libraries [][]byte) {
	e := rdb.NewEncoder(nil)
	e.Origin(rdb.Origin{Redis: redisVersion, Created: time.Now().Unix(), Base: p.Journal})
	e.Aux("troupe-ver", p.Release)
	e.Aux("troupe-version", fmt.Sprint(version))
	for _, code := range libraries {
		e.Function(code)
	}
	for _, db := range p.sizes {
		e.SelectDB(db.number)
		e.ResizeDB(uint64(db.keys), uint64(db.timed))
	}
	p.put(e.Bytes(), e.Version())
}

// redisVersion is that of the redis-server which reads these files.
const redisVersion = "7.0.15"

// walk writes down a shard but for its large values.
func (p *snapshot) walk(shard int, halt <-chan struct{}) {
	var bytes []byte
	var keys, before, wants int
	pace := pace{store: p.Store}
	cold := p.newColdPart()
	defer cold.close()
	for done := false; !done; {
		p.heed(shard, halt)
		broken := p.Node.Visit([]int{shard}, func(tx *keyspace.Tx) {
			bytes, done = tx.SaveSome(bytes[:0], sliceBytes)
			cold.met = tx.TakeCold()
			keys, wants = tx.SavedKeys(), p.images[shard].wants()
			pace.look(tx)
		})
		p.saver.walked.Add(int64(keys - before))
		before = keys
		if broken != nil {
			p.fail(fmt.Errorf("%v", broken.Reason))
			return
		}
		p.put(bytes, wants)
		cold.write()
		pace.rest()
	}
}

// walkLarge writes down the large values of a shard.
func (p *snapshot) walkLarge(shard int, halt <-chan struct{}) {
	var bytes []byte
	var wants int
	pace := pace{store: p.Store}
	for left := 1; left > 0; {
		p.heed(shard, halt)
		broken := p.Node.Visit([]int{shard}, func(tx *keyspace.Tx) {
			bytes, _ = tx.SaveLarge(bytes[:0], sliceBytes)
			left, wants = tx.LargeLeft(), p.images[shard].wants()
			pace.look(tx)
		})
		if broken != nil {
			p.fail(fmt.Errorf("%v", broken.Reason))
			return
		}
		p.put(bytes, wants)
		pace.rest()
	}
}

// heed gives the save of a shard up if nothing will come of the file.
func (p *snapshot) heed(shard int, halt <-chan struct{}) {
	select {
	case <-halt:
		p.fail(errGivenUp)
	default:
	}
	p.mu.Lock()
	failed := p.err != nil
	p.mu.Unlock()
	if failed {
		p.Node.Visit([]int{shard}, func(tx *keyspace.Tx) { tx.GiveUpSave() })
	}
}

// put appends to the file.
func (p *snapshot) put(parts []byte, wants int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == nil && len(parts) > 0 {
		p.err = p.out.Parts(parts, wants)
	}
}

func (p *snapshot) fail(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == nil {
		p.err = err
	}
}
