package actors_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/hashicorp/go-hclog"
	"github.com/troupedb/troupe/actors"
	"github.com/troupedb/troupe/keyspace/journal"
	"github.com/troupedb/troupe/keyspace/journal/faultfs"
	"github.com/troupedb/troupe/keyspace/persist"
	"github.com/troupedb/troupe/resp"
)

// commandsOf is an append-only file of redis-server's.
func commandsOf(lines ...string) string {
	var b []byte
	for _, line := range lines {
		b = resp.V2.Append(b, resp.Strings(strings.Fields(line)...))
	}
	return string(b)
}

// putFile writes a file that is on disk.
func putFile(t *testing.T, disk journal.FS, name, text string) {
	t.Helper()
	file, err := disk.Create(name)
	if err == nil {
		_, err = file.Write([]byte(text))
	}
	if err == nil {
		err = errors.Join(file.Sync(), file.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// redisDirectory is a disk with what redis-server 7 leaves.
func redisDirectory(t *testing.T, seed uint64) *faultfs.Disk {
	t.Helper()
	disk := newDisk(t, seed)
	parts := dataDir + "/appendonlydir"
	if err := disk.MkdirAll(parts); err != nil {
		t.Fatal(err)
	}
	name := parts + "/appendonly.aof"
	putFile(t, disk, name+".1.base.aof", commandsOf("SET text first", "RPUSH list a"))
	putFile(t, disk, name+".1.incr.aof", commandsOf("MULTI", "SET text value", "RPUSH list b", "EXEC", "SET mortal x PXAT 1000"))
	putFile(t, disk, name+".manifest", "file appendonly.aof.1.base.aof seq 1 type b\nfile appendonly.aof.1.incr.aof seq 1 type i\n")
	putFile(t, disk, dataDir+"/dump.rdb", "of no interest")
	for _, dir := range []string{parts, dataDir, "/"} {
		if err := disk.SyncDir(dir); err != nil {
			t.Fatal(err)
		}
	}
	return disk
}

// wantRedis holds that a server has what redisDirectory says.
func (k *kept) wantRedis() {
	k.t.Helper()
	k.want(`"value"`, "GET", "text")
	k.want(`["a", "b"]`, "LRANGE", "list", "0", "-1")
	k.want(":2", "DBSIZE")
}

// eachCall runs start on disks where each call in turn has a fate, until one
// is not reached; then again, what is left has to be as then says.
func eachCall(t *testing.T, make func(n int) *faultfs.Disk, start func(journal.FS) (*actors.DB, error), then func(*faultfs.Disk)) {
	t.Helper()
	for _, fate := range []error{faultfs.ErrCrash, errDisk} {
		for n, reached := 1, true; reached && !t.Failed(); n++ {
			reached = false
			disk := make(n)
			before := disk.Calls()
			disk.Fail(func(c faultfs.Call) error {
				if c.N == before+n {
					reached = true
					return fate
				}
				return nil
			})
			if db, err := start(disk); err == nil {
				defer db.Close()
			}
			disk.Fail(nil)
			if errors.Is(fate, faultfs.ErrCrash) {
				disk = disk.Crash()
			} else {
				disk = disk.Kill()
			}
			then(disk)
			if t.Failed() {
				t.Logf("call %d of the start, %v", n, fate)
			}
		}
	}
}

// A server that begins with an append-only directory may be stopped by the disk at
// any call: the next start begins with it again, or with what was made of it.
func TestAppendOnlyOutlivesCrashes(t *testing.T) {
	t.Parallel()
	seed := drawDurableSeed(t)
	eachCall(t,
		func(n int) *faultfs.Disk { return redisDirectory(t, seed+uint64(n)) },
		func(disk journal.FS) (*actors.DB, error) { return openOn(disk, "appendfsync", "always") },
		func(disk *faultfs.Disk) {
			again := keep(t, disk)
			again.wantRedis()
			again.Close()
		})
}

// A merge is there whole or not at all.
func TestMergeOutlivesCrashes(t *testing.T) {
	t.Parallel()
	seed := drawDurableSeed(t)
	source := newDisk(t, seed)
	putFile(t, source, dataDir+"/a.aof", commandsOf("SET text new", "SADD set m"))
	file := persist.Foreign{Disk: persist.FilesOf(source, dataDir), Name: "a.aof", Dir: dataDir}
	merge := func(disk journal.FS) (*actors.DB, error) {
		return actors.Open(actors.Options{Dir: dataDir, Log: hclog.NewNullLogger(), Storage: actors.Storage{
			FS: disk, Journal: true, Import: []persist.Foreign{file}, Merge: true,
		}})
	}
	merged := 0
	eachCall(t,
		func(n int) *faultfs.Disk {
			disk := newDisk(t, seed+uint64(n))
			db := keep(t, disk, "appendfsync", "always")
			db.do("SET", "text", "old")
			db.do("SET", "other", "x")
			db.Close()
			return disk
		},
		merge,
		func(disk *faultfs.Disk) {
			again := keep(t, disk)
			if again.do("EXISTS", "set").Int() == 1 {
				merged++
				again.want(`["new", "x"]`, "MGET", "text", "other")
			} else {
				again.want(`["old", "x"]`, "MGET", "text", "other")
			}
			again.Close()
		})
	if merged == 0 {
		t.Error("nothing was ever merged")
	}
}
