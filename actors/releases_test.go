package actors_test

import (
	"flag"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/troupedb/troupe/keyspace/journal"
	"github.com/troupedb/troupe/resp"
)

var recordRelease = flag.String("record-release", "", "write what a data directory of this release looks like, by the release's name, to testdata/releases")

// releasesDir has a data directory of every release, and what it has to hold.
const releasesDir = "../testdata/releases"

// releaseCommands make one of each: types, encodings, deadlines, users' functions. The
// first ones are in a snapshot, those after "" in the journal behind it.
var releaseCommands = `SET text value
SET number 12345
SET long ` + strings.Repeat("long-", 400) + `
SET until 2100 PXAT 4102444800000
SETBIT bits 1000 1
APPEND appended one
PFADD visitors a b c d e
RPUSH small 1 2 three
HSET hash f v g 2
HSET fields a 1 b 2
HPEXPIREAT fields 4102444800000 FIELDS 1 a
SADD ints 1 2 3
SADD words one two three
ZADD board 1.5 ann 2 bob inf top
GEOADD places 13.361389 38.115556 Palermo 15.087269 37.502669 Catania
XADD stream 1-1 f v
XADD stream 2-1 f w
XGROUP CREATE stream group 0
XREADGROUP GROUP group reader COUNT 2 STREAMS stream >
FUNCTION LOAD "#!lua name=kept\nredis.register_function{function_name='hello', callback=function() return 'hello' end, flags={'no-writes'}}"

SET text changed
INCRBY number 5
DEL appended
LPOP small
RPUSH small four
HDEL hash f
HSET hash h 3
SREM words one
ZINCRBY board 10 ann
ZREM board bob
XADD stream 3-1 f x
XACK stream group 1-1
RENAME words renamed
COPY board copied
EXPIREAT renamed 4102444800
EVAL "redis.call('SET', KEYS[1], 'scripted') redis.call('RPUSH', KEYS[2], 'scripted')" 2 scripted:text scripted:list`

// fillRelease runs them, and writes large collections in both parts.
func (k *kept) fillRelease() {
	snapshot, after, _ := strings.Cut(releaseCommands, "\n\n")
	large := func(from, to int) {
		for i := from; i < to; i++ {
			n := fmt.Sprint(i)
			k.do("RPUSH", "large:list", "element "+n)
			k.do("HSET", "large:hash", "field "+n, n)
			k.do("SADD", "large:set", "member "+n)
			k.do("ZADD", "large:zset", n, "member "+n)
		}
	}
	for line := range strings.Lines(snapshot) {
		k.do(splitLine(k.t, line)...)
	}
	large(0, 300)
	k.rewrite()
	for line := range strings.Lines(after) {
		k.do(splitLine(k.t, line)...)
	}
	large(300, 400)
}

// splitLine takes a line apart as redis-cli does.
func splitLine(t *testing.T, line string) []string {
	t.Helper()
	args, ok := resp.SplitLine([]byte(strings.TrimSpace(line)))
	if !ok {
		t.Fatalf("what is %s?", line)
	}
	var words []string
	for _, arg := range args {
		words = append(words, string(arg))
	}
	return words
}

// holds is what a data directory holds: the digest, and some values to see them.
func (k *kept) holds() string {
	var b strings.Builder
	for _, line := range []string{
		"DBSIZE", "GET text", "GET number", "PEXPIRETIME until", "HGETALL hash", "HPEXPIRETIME fields FIELDS 2 a b", "LRANGE small 0 -1",
		"ZRANGE board 0 -1 WITHSCORES", "PFCOUNT visitors", "XPENDING stream group", "XRANGE stream - +", "FCALL_RO hello 0", "GET scripted:text",
		"GEODIST places Palermo Catania km", "LLEN large:list", "HLEN large:hash", "SCARD large:set", "ZSCORE large:zset \"member 399\"",
		"DEBUG DIGEST", // after PFCOUNT, which keeps what it has counted
	} {
		fmt.Fprintf(&b, "%s\n  %s\n", line, k.do(splitLine(k.t, line)...))
	}
	return b.String()
}

// TestReleases: what any release has written is read by this one, and goes on.
func TestReleases(t *testing.T) {
	t.Parallel()
	if *recordRelease != "" {
		recordDir(t, filepath.Join(releasesDir, *recordRelease))
	}
	releases, err := os.ReadDir(releasesDir)
	if err != nil || len(releases) == 0 {
		t.Fatalf("%d releases, %v", len(releases), err)
	}
	for _, release := range releases {
		t.Run(release.Name(), func(t *testing.T) {
			t.Parallel()
			want, err := os.ReadFile(filepath.Join(releasesDir, release.Name(), "holds"))
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(filepath.Join(releasesDir, release.Name(), "data"))); err != nil {
				t.Fatal(err)
			}
			for range 2 { // the second time it is this release's own
				db := keep(t, journal.Disk, "dir", dir)
				if got := db.holds(); got != string(want) {
					t.Errorf("it holds\n%s\nwant\n%s", got, want)
				}
				db.rewrite()
				db.Close()
			}
		})
	}
}

// recordDir writes what this release makes of the commands.
func recordDir(t *testing.T, dir string) {
	data := filepath.Join(dir, "data")
	if err := os.MkdirAll(data, 0o755); err != nil {
		t.Fatal(err)
	}
	db := keep(t, journal.Disk, "dir", data, "shards", "4")
	db.fillRelease()
	holds := db.holds()
	db.Close()
	if err := os.WriteFile(filepath.Join(dir, "holds"), []byte(holds), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestDowngrade: a directory of a later release is refused, and stays as it is.
func TestDowngrade(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db := keep(t, journal.Disk, "dir", dir)
	db.do("SET", "k", "v")
	db.Close()
	path := filepath.Join(dir, "manifest")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines, _, _ := strings.Cut(strings.Replace(string(text), "troupe manifest 1\n", "troupe manifest 2\nnew to this release\n", 1), "crc32c ")
	later := fmt.Sprintf("%scrc32c %08x\n", lines, crc32.Checksum([]byte(lines), crc32.MakeTable(crc32.Castagnoli)))
	if err := os.WriteFile(path, []byte(later), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = openOn(journal.Disk, "dir", dir)
	if err == nil || !strings.Contains(err.Error(), `format "2"`) || !strings.Contains(err.Error(), path) {
		t.Errorf("a directory of a later release: %v", err)
	}
	if now, err := os.ReadFile(path); err != nil || string(now) != later {
		t.Errorf("its manifest has changed: %v", err)
	}
}
