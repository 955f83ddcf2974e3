package rdb

import (
	"bytes"
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/shardtest"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/redistest"
)

// Files are what a real redis-server writes and reads.

// filePeer is a redis-server whose file is known.
type filePeer struct {
	peer
	path string
}

func dialFilePeer(t *testing.T, args ...string) filePeer {
	dir := t.TempDir()
	p := peer{shardtest.DialRedis(t, append([]string{"--dir", dir, "--dbfilename", "dump.rdb"}, args...)...), t}
	p.ask("HELLO", "3")
	p.ask("CONFIG", "SET", "sanitize-dump-payload", "yes")
	return filePeer{p, filepath.Join(dir, "dump.rdb")}
}

// saved is the file that redis-server saves.
func (p filePeer) saved() []byte {
	p.t.Helper()
	p.do("SAVE")
	file, err := os.ReadFile(p.path)
	if err != nil {
		p.t.Fatal(err)
	}
	return file
}

// load makes redis-server load a file, which redis-check-rdb has nothing
// against.
func (p filePeer) load(file []byte) {
	p.t.Helper()
	if err := os.WriteFile(p.path, file, 0o600); err != nil {
		p.t.Fatal(err)
	}
	checkFile(p.t, p.path)
	p.do("DEBUG", "RELOAD", "NOSAVE")
}

func checkFile(t *testing.T, path string) {
	t.Helper()
	out, err := exec.Command(redistest.Program(t, "redis-check-rdb"), path).CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("RDB looks OK")) {
		t.Fatalf("redis-check-rdb: %v\n%s", err, out)
	}
}

// content is what a file holds, in an order that does not depend on how it was
// written, and without what it says of itself.
func content(t *testing.T, file []byte) (all []told) {
	t.Helper()
	for _, i := range mustRead(t, file) {
		if i.kind == KeyItem {
			i.members = ordered(i.typ, i.members)
			i.large = false
		}
		if i.kind == KeyItem || i.kind == FunctionItem {
			all = append(all, i)
		}
	}
	slices.SortFunc(all, func(a, b told) int {
		return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.db, b.db), strings.Compare(a.key, b.key), strings.Compare(a.text, b.text))
	})
	return all
}

func sameContent(t *testing.T, what string, got, want []told) {
	t.Helper()
	for i := range min(len(got), len(want)) {
		if !sameTold(got[i:i+1], want[i:i+1]) {
			t.Fatalf("%s: %v, want %v", what, got[i], want[i])
		}
	}
	if len(got) != len(want) {
		t.Fatalf("%s: %d items, want %d", what, len(got), len(want))
	}
}

// A server full of everything: its file is read here, what was read is written,
// in another order, and it loads that as what it had.
func TestExchangeFilesWithRedis(t *testing.T) {
	t.Parallel()
	eachSeed(t, func(t *testing.T, rng *rand.Rand) {
		p := dialFilePeer(t, "--databases", "20")
		fill(p, rng)
		digest := resp.Format(p.do("DEBUG", "DIGEST"))
		file := p.saved()
		want := content(t, file)
		p.load(rewrite(t, rng, file))
		if again := resp.Format(p.do("DEBUG", "DIGEST")); again != digest {
			t.Error("what is read here and written again is something else to redis-server")
		}
		sameContent(t, "read, written, loaded and saved by redis-server", content(t, p.saved()), want)
	})
}

// fill gives a redis-server keys of all types and forms in several databases,
// with and without deadlines, and functions.
func fill(p filePeer, rng *rand.Rand) {
	p.t.Helper()
	for _, set := range thresholds {
		p.do("CONFIG", "SET", set[0], set[1])
	}
	p.do("DEBUG", "QUICKLIST-PACKED-THRESHOLD", "1000b")
	for _, db := range []string{"0", "3", "19"} {
		p.do("CONFIG", "SET", "list-max-listpack-size", []string{"5", "-1", "-2", "1"}[rng.IntN(4)])
		p.do("SELECT", db)
		for i := range 60 {
			k := kept[rng.IntN(len(kept))]
			key := fmt.Sprintf("%s:%d", drawText(rng, 30), i)
			p.do(creations[k.typ](key, drawMembers(rng, k.typ, k.enc))...)
			if rng.IntN(3) == 0 {
				p.do("PEXPIREAT", key, strconv.FormatInt(1<<42+rng.Int64N(1<<41), 10))
			}
		}
		fillStreams(p, rng)
		p.do("RPUSH", "large list", strings.Repeat("x", 2<<20), "y")
		p.do("SETRANGE", "large string", "2000000", "x")
		p.do("DEBUG", "POPULATE", "1000", "p", "10")
	}
	p.do("EVAL", `for i = 1, 60000 do redis.call('HSET', 'large hash', 'the field ' .. i, i) end`, "0")
	p.do("FUNCTION", "LOAD", "#!lua name=one\nredis.register_function('f', function() return 1 end)")
	p.do("FUNCTION", "LOAD", "#!lua name=two\n--"+strings.Repeat("-", 1000)+"\nredis.register_function('g', function() return 1 end)")
}

func fillStreams(p filePeer, rng *rand.Rand) {
	p.t.Helper()
	for i := range 1 + rng.IntN(300) {
		p.do("XADD", "stream", fmt.Sprint(i+1, "-*"), []string{"a", "b"}[rng.IntN(2)], string(drawText(rng, 100)), "c", "1")
	}
	p.do("XGROUP", "CREATE", "stream", "g", "0")
	p.do("XGROUP", "CREATE", "stream", "h", "$")
	p.do("XREADGROUP", "GROUP", "g", "joe", "COUNT", "20", "STREAMS", "stream", ">")
	p.do("XREADGROUP", "GROUP", "g", "ann", "COUNT", "1", "STREAMS", "stream", ">")
	p.do("XDEL", "stream", "1-0")
	p.do("XGROUP", "CREATE", "empty stream", "g", "0", "MKSTREAM")
}

// rewrite reads a file and writes all that it holds, in chunks in any order as
// shards make them, some values in pieces.
func rewrite(t *testing.T, rng *rand.Rand, file []byte) []byte {
	t.Helper()
	head := NewEncoder(nil)
	head.Origin(Origin{Redis: "7.0.15", Created: 1e9, Memory: 1 << 20})
	head.Aux("troupe-version", "0.1.0")
	head.Aux("troupe-epoch", "17")
	var chunks [][]byte
	r := NewFileReader(bytes.NewReader(file), ReadOptions{})
	for it, err := r.Next(); err == nil; it, err = r.Next() {
		e := NewEncoder(nil)
		e.Compress(rng.IntN(2) == 0)
		switch it.Kind {
		case FunctionItem:
			head.Function(it.Raw)
			continue
		case SizeItem:
			e.SelectDB(it.DB)
			e.ResizeDB(it.Keys, it.Timed)
		case KeyItem:
			e.SelectDB(it.DB)
			rewriteKey(t, rng, e, it)
		}
		chunks = append(chunks, e.Bytes())
	}
	if r.Err() != nil {
		t.Fatal(r.Err())
	}
	rng.Shuffle(len(chunks), func(i, j int) { chunks[i], chunks[j] = chunks[j], chunks[i] })
	var out memoryFile
	w := NewFileWriter(&out, WriteOptions{})
	for _, chunk := range append([][]byte{head.Bytes()}, chunks...) {
		w.Parts(chunk, 10)
	}
	if err := w.End(); err != nil {
		t.Fatal(err)
	}
	return out.bytes
}

func rewriteKey(t *testing.T, rng *rand.Rand, e *Encoder, it Item) {
	t.Helper()
	typ := it.Form.Type()
	if typ == keyspace.Stream {
		e.Key(it.Meta, it.Key, Value{Type: typ, Stream: NewDecoder(it.Raw).Stream(it.Form)})
		return
	}
	elements := it.Elements
	if elements == nil {
		elements = NewDecoder(it.Raw).Elements(it.Form)
	}
	var members []member
	for el := range elements {
		members = append(members, keep(el))
	}
	if rng.IntN(3) == 0 {
		count := len(members)
		if typ == keyspace.String {
			count = len(members[0].text)
		}
		w := e.BeginValue(it.Meta, it.Key, Shape{Type: typ, Count: count})
		for _, m := range members {
			w.Append(e, m.element())
		}
		return
	}
	enc := keyspace.HashTable
	switch {
	case it.Form == SetIntset:
		enc = keyspace.Intset
	case len(members) < 100:
		enc = keyspace.Listpack
	}
	e.Key(it.Meta, it.Key, valueOf(typ, enc, members))
}

// Files of old versions are the same to redis-server.
func TestOldFilesAsReadByRedis(t *testing.T) {
	t.Parallel()
	p := dialFilePeer(t)
	for version, sample := range samples() {
		if version == 9 || version > 10 {
			continue // of a module that redis-server does not have; of a later one
		}
		p.load(sample.file)
		sameContent(t, fmt.Sprint("version ", version), content(t, p.saved()), content(t, sample.file))
	}
}

// What is said of a key's use comes and goes.
func TestUseOfKeysWithRedis(t *testing.T) {
	t.Parallel()
	p := dialFilePeer(t)
	f := func(policy string, m Meta, subcommand string, least, most int64) {
		t.Helper()
		p.do("CONFIG", "SET", "maxmemory-policy", policy)
		e := NewEncoder(nil)
		e.Key(m, []byte("k"), valueOf(keyspace.String, keyspace.Raw, []member{{text: "v"}}))
		p.load(fileOf(t, e))
		if n := p.do("OBJECT", subcommand, "k").Int(); n < least || n > most {
			t.Errorf("OBJECT %s is %d after %v", subcommand, n, m)
		}
		got := content(t, p.saved())[0].meta
		if m.Freq >= 0 && int64(got.Freq) < least || m.Idle >= 0 && got.Idle < least {
			t.Errorf("%v is saved as %v", m, got)
		}
	}
	f("allkeys-lru", Meta{-1, 5000, -1}, "IDLETIME", 4999, 5600)
	f("allkeys-lfu", Meta{-1, -1, 200}, "FREQ", 190, 201)
}

// Hashes with deadlines make a file that redis-server 7.0 refuses, as it would
// lose them.
func TestLaterVersionIsRefusedByRedis(t *testing.T) {
	t.Parallel()
	e := NewEncoder(nil)
	e.Key(NoMeta, []byte("h"), valueOf(keyspace.Hash, keyspace.HashTable, timedPairs))
	path := filepath.Join(t.TempDir(), "dump.rdb")
	if err := os.WriteFile(path, fileOf(t, e), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(redistest.Program(t, "redis-check-rdb"), path).CombinedOutput()
	if err == nil || !bytes.Contains(out, []byte("version 12")) {
		t.Errorf("%v\n%s", err, out)
	}
}
