package aof

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/troupedb/troupe/keyspace/rdb"
	"github.com/troupedb/troupe/keyspace/shardtest"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/redistest"
)

// The formats are what a real redis-server writes.

// peer is a redis-server that keeps its files in a directory.
type peer struct {
	*shardtest.Redis
	t   *testing.T
	dir string
}

func dial(t *testing.T, args ...string) peer {
	dir := t.TempDir()
	return peer{shardtest.DialRedis(t, append([]string{"--dir", dir}, args...)...), t, dir}
}

// do asks for what must go well.
func (p peer) do(words ...string) resp.Reply {
	p.t.Helper()
	var argv [][]byte
	for _, word := range words {
		argv = append(argv, []byte(word))
	}
	return p.doBytes(argv)
}

func (p peer) doBytes(argv [][]byte) resp.Reply {
	p.t.Helper()
	reply, _, err := resp.Decode(p.Ask([][][]byte{argv})[0])
	if err != nil || reply.IsError() {
		p.t.Fatalf("%.100q is answered %s, %v", argv, reply.Str(), err)
	}
	return reply
}

// state is what tells one keyspace from another.
func (p peer) state() string {
	p.t.Helper()
	return resp.Format(p.do("DEBUG", "DIGEST")) + resp.Format(p.do("FUNCTION", "LIST"))
}

// rewritten lets redis-server begin its files anew, and waits for that.
func (p peer) rewritten() {
	p.t.Helper()
	p.do("BGREWRITEAOF")
	for busy := true; busy; {
		info := p.do("INFO", "persistence").Str()
		busy = strings.Contains(info, "aof_rewrite_in_progress:1") || strings.Contains(info, "aof_rewrite_scheduled:1")
	}
}

// fill changes keys of all types in some databases.
func (p peer) fill(rng *rand.Rand, rounds int) {
	p.t.Helper()
	key := func() string { return fmt.Sprint("key ", rng.IntN(20)) }
	for range rounds {
		p.do("SELECT", []string{"0", "5", "15"}[rng.IntN(3)])
		p.do("SET", "s"+key(), strings.Repeat("text", rng.IntN(100)))
		p.do("SET", "t"+key(), "v", "PXAT", strconv.FormatInt(1<<42+rng.Int64N(1<<40), 10))
		p.do("RPUSH", "l"+key(), "a", "\r\n*1\r\n", "\x00")
		p.do("SADD", "i"+key(), strconv.Itoa(rng.IntN(1000)))
		p.do("SADD", "e"+key(), fmt.Sprint("member ", rng.IntN(1000)))
		p.do("ZADD", "z"+key(), strconv.FormatFloat(rng.NormFloat64(), 'g', -1, 64), "m")
		p.do("HSET", "h"+key(), fmt.Sprint("f", rng.IntN(300)), "v")
		p.do("XADD", "x"+key(), "*", "f", "v")
		p.do("EVAL", "redis.call('SELECT', 7) redis.call('INCR', 'a') redis.call('INCR', 'b')", "0")
		p.do("MULTI")
		p.do("INCR", "n"+key())
		p.do("SELECT", "2")
		p.do("INCR", "n"+key())
		p.do("EXEC")
		p.do("LPOP", "l"+key())
	}
}

// replay does on another redis-server what units say.
func (p peer) replay(next func() (Unit, error)) (transactions int) {
	p.t.Helper()
	for {
		u, err := next()
		switch {
		case errors.Is(err, io.EOF):
			return transactions
		case err != nil:
			p.t.Fatal(err)
		case u.Item.Kind == rdb.FunctionItem:
			p.do("FUNCTION", "LOAD", string(u.Item.Raw))
		case u.Item.Kind == rdb.KeyItem:
			p.restore(&u.Item)
		}
		if u.Transaction {
			transactions++
		}
		for _, c := range u.Commands {
			p.do("SELECT", strconv.Itoa(c.DB))
			p.doBytes(c.Words)
		}
	}
}

// restore puts a key of a snapshot.
func (p peer) restore(it *rdb.Item) {
	p.t.Helper()
	payload := append([]byte{byte(it.Form)}, it.Raw...)
	payload = binary.LittleEndian.AppendUint16(payload, 10)
	payload = binary.LittleEndian.AppendUint64(payload, rdb.Checksum(0, payload))
	p.do("SELECT", strconv.Itoa(it.DB))
	p.do("RESTORE", string(it.Key), strconv.FormatInt(max(it.Deadline, 0), 10), string(payload), "ABSTTL")
}

func withSeed(t *testing.T) *rand.Rand {
	t.Helper()
	seed := *seedFlag
	t.Logf("-seed=%d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

// With appendfsync everysec redis-server may answer before it has written: it does
// not write while a sync is under way.

// A directory of Redis 7, before and after it is rewritten, with bases of either
// kind, makes the same keyspace of another server.
func TestDirectoriesOfRedis(t *testing.T) {
	t.Parallel()
	rng := withSeed(t)
	for _, preamble := range []string{"yes", "no"} {
		p := dial(t, "--appendonly", "yes", "--appendfsync", "no", "--aof-use-rdb-preamble", preamble, "--aof-timestamp-enabled", "yes")
		p.do("FUNCTION", "LOAD", "#!lua name=l\nredis.register_function('f', function() return 1 end)")
		p.fill(rng, 30)
		f := func(what string, files int) {
			t.Helper()
			s, err := Open(os.DirFS(p.dir), ".")
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			other := dial(t)
			transactions := other.replay(s.Next)
			if other.state() != p.state() || s.Kind() != MultiPart || len(s.Files()) != files || (transactions > 0) != (files == 2) {
				t.Errorf("%s, preamble %s: %v, %d transactions; the keyspace is another one", what, preamble, s.Files(), transactions)
			}
		}
		f("new", 2)
		p.rewritten()
		p.fill(rng, 30)
		f("rewritten", 2)
	}
}

// One file as before Redis 7: a snapshot and commands, or commands only.
func TestOldFilesOfRedis(t *testing.T) {
	t.Parallel()
	rng := withSeed(t)
	for _, preamble := range []string{"yes", "no"} {
		p := dial(t, "--appendonly", "yes", "--appendfsync", "no", "--aof-use-rdb-preamble", preamble)
		p.fill(rng, 20)
		p.rewritten()
		p.fill(rng, 20)
		s, err := Open(os.DirFS(p.dir), ".")
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		var file []byte
		for _, part := range s.Files() {
			text, err := os.ReadFile(filepath.Join(p.dir, part.Name))
			if err != nil {
				t.Fatal(err)
			}
			file = append(file, text...)
		}
		checkFile(t, file)
		other := dial(t)
		other.replay(NewReader(bytes.NewReader(file), "appendonly.aof").Next)
		if other.state() != p.state() {
			t.Errorf("preamble %s: the keyspace is another one", preamble)
		}
	}
}

// checkFile has redis-check-aof look at a file, so that the test is one of what
// Redis takes.
func checkFile(t *testing.T, file []byte) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "appendonly.aof")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(redistest.Program(t, "redis-check-aof"), path).CombinedOutput()
	if err != nil {
		t.Fatalf("redis-check-aof: %v\n%s", err, out)
	}
}

// Where a file is cut, redis-check-aof sees the same end of what is whole.
func TestTornFilesAsSeenByRedis(t *testing.T) {
	t.Parallel()
	program := redistest.Program(t, "redis-check-aof")
	set := written("SET", "k", "v")
	file := set + written("MULTI") + set + set + written("EXEC") + set
	path := filepath.Join(t.TempDir(), "appendonly.aof")
	for end := 1; end < len(file); end += 5 {
		if err := os.WriteFile(path, []byte(file[:end]), 0o600); err != nil {
			t.Fatal(err)
		}
		out, _ := exec.Command(program, path).CombinedOutput()
		_, err := readAll(file[:end])
		want := end
		var mistake *FileError
		if errors.As(err, &mistake) {
			want = int(mistake.Begin)
		}
		told := fmt.Sprintf("ok_up_to=%d,", want)
		if mistake == nil && !bytes.Contains(out, []byte("is valid")) || mistake != nil && !bytes.Contains(out, []byte(told)) {
			t.Errorf("cut at %d: %v; redis-check-aof: %s", end, err, out)
		}
	}
}
