package actors_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/troupedb/troupe/actors"
	"github.com/troupedb/troupe/actors/admin"
	"github.com/troupedb/troupe/actors/config"
	"github.com/troupedb/troupe/keyspace/journal"
	"github.com/troupedb/troupe/keyspace/journal/faultfs"
)

// The tests of what a whole server keeps, on disks that fail.

var durableSeed = flag.Uint64("durable-seed", 0, "of the random tests of what is kept; 0 draws one")

func drawDurableSeed(t *testing.T) uint64 {
	seed := *durableSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("-durable-seed %d", seed)
	return seed
}

// durablePatience is how long tests wait for what has to come.
const durablePatience = 60 * time.Second

// dataDir is where the servers of the tests keep their data.
const dataDir = "/data"

// kept is a server on a disk of the test's.
type kept struct {
	*actors.DB
	t *testing.T
}

// openOn opens a server on a disk, with settings as words: "appendfsync",
// "always", ….
func openOn(disk journal.FS, settings ...string) (*actors.DB, error) {
	flags := []config.Flag{{Name: "enable-debug-command", Words: []string{"yes"}}, {Name: "dir", Words: []string{dataDir}}}
	for i := 0; i < len(settings); i += 2 {
		flags = append(flags, config.Flag{Name: settings[i], Words: strings.Fields(settings[i+1])})
	}
	loaded, err := config.Load(config.Sources{Flags: flags})
	if err != nil {
		return nil, err
	}
	options := loaded.Options(hclog.NewNullLogger())
	admin.New(loaded).Join(&options)
	options.Binds, options.Unix, options.Storage.FS = nil, "", disk
	return actors.Open(options)
}

// keep opens a server that ends with the test.
func keep(t *testing.T, disk journal.FS, settings ...string) *kept {
	t.Helper()
	db, err := openOn(disk, settings...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return &kept{db, t}
}

// do runs a command that may not fail.
func (k *kept) do(words ...string) actors.Reply {
	k.t.Helper()
	reply, err := k.ask(words...)
	if err != nil {
		k.t.Fatalf("%q: %v", words, err)
	}
	return reply
}

func (k *kept) ask(words ...string) (actors.Reply, error) {
	ctx, cancel := context.WithTimeout(context.Background(), durablePatience)
	defer cancel()
	args := make([]any, len(words)-1)
	for i, word := range words[1:] {
		args[i] = word
	}
	return k.Do(ctx, words[0], args...)
}

// want compares a reply.
func (k *kept) want(reply string, words ...string) {
	k.t.Helper()
	got, err := k.ask(words...)
	if err != nil {
		k.t.Errorf("%q: %v, want %s", words, err, reply)
	} else if got.String() != reply {
		k.t.Errorf("%q is answered %s, want %s", words, got, reply)
	}
}

// info is a field of INFO persistence.
func (k *kept) info(field string) string {
	k.t.Helper()
	for line := range strings.Lines(k.do("INFO", "persistence").Text()) {
		if name, value, _ := strings.Cut(strings.TrimSpace(line), ":"); name == field {
			return value
		}
	}
	return ""
}

// soon waits until something is so.
func (k *kept) soon(what string, isSo func() bool) {
	k.t.Helper()
	ticker := time.NewTicker(2 * time.Millisecond)
	defer ticker.Stop()
	for end := time.Now().Add(durablePatience); !isSo(); <-ticker.C {
		if time.Now().After(end) {
			k.t.Fatalf("it does not come about that %s", what)
		}
	}
}

// rewrite has the journal begin anew with a snapshot.
func (k *kept) rewrite() {
	k.t.Helper()
	before := k.info("aof_rewrites")
	k.do("BGREWRITEAOF")
	k.soon("the journal is rewritten", func() bool { return k.info("aof_rewrites") != before })
}

// write writes a file to a disk.
func write(t *testing.T, disk journal.FS, name string, text []byte) {
	t.Helper()
	file, err := disk.Create(dataDir + "/" + name)
	if err == nil {
		_, err = file.Write(text)
	}
	if err == nil {
		err = file.Sync()
	}
	if err == nil {
		err = disk.SyncDir(dataDir)
	}
	if err != nil {
		t.Fatal(err)
	}
	file.Close()
}

// read reads a file of a disk.
func read(t *testing.T, disk journal.FS, name string) []byte {
	t.Helper()
	size, err := disk.Stat(dataDir + "/" + name)
	if err != nil {
		t.Fatal(err)
	}
	file, err := disk.Open(dataDir + "/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	text := make([]byte, size)
	if n, err := file.ReadAt(text, 0); n != len(text) {
		t.Fatal(err)
	}
	return text
}

// only is the one name in the directory that begins so.
func only(t *testing.T, disk journal.FS, prefix string) string {
	t.Helper()
	names, err := disk.ReadDir(dataDir)
	if err != nil {
		t.Fatal(err)
	}
	found := ""
	for _, name := range names {
		if strings.HasPrefix(name, prefix) {
			if found != "" {
				t.Fatalf("there are %s and %s", found, name)
			}
			found = name
		}
	}
	if found == "" {
		t.Fatalf("no %s… in %v", prefix, names)
	}
	return found
}

// newDisk is an empty disk with the data directory.
func newDisk(t *testing.T, seed uint64) *faultfs.Disk {
	t.Helper()
	disk := faultfs.New(seed)
	if err := disk.MkdirAll(dataDir); err != nil {
		t.Fatal(err)
	}
	return disk
}

var errDisk = fmt.Errorf("the disk has failed")
