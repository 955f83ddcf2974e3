package actors_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/troupedb/troupe/keyspace/journal/faultfs"
	"github.com/troupedb/troupe/resp/draw"
)

// content is all that a server holds: a line a key, by database and key, with
// what its digest does not tell.
func (k *kept) content() map[string]string {
	k.t.Helper()
	all := map[string]string{"functions": k.do("FUNCTION", "LIST", "WITHCODE").String()}
	for n := range 16 {
		db := &kept{k.DB.DB(n), k.t}
		for _, key := range db.do("KEYS", "*").Strings() {
			all[fmt.Sprintf("%d/%q", n, key)] = db.describe(key)
		}
	}
	return all
}

func (k *kept) describe(key string) string {
	kind := k.do("TYPE", key).Text()
	text := fmt.Sprint(kind, " ", k.do("DEBUG", "DIGEST-VALUE", key), " until ", k.do("PEXPIRETIME", key))
	switch kind {
	case "stream":
		text += " " + k.do("XINFO", "STREAM", key, "FULL", "COUNT", "0").String()
		if at := strings.Index(text, `"radix-tree-keys"`); at > 0 { // how it lies in memory
			text = text[:at] + text[strings.Index(text, `"last-generated-id"`):]
		}
	case "zset": // a score of -0 becomes 0 when a set is packed, here as in Redis, and its digest another
		scores := k.do("ZRANGE", key, "0", "-1", "WITHSCORES").String()
		return fmt.Sprint(kind, strings.ReplaceAll(scores, ",-0]", ",0]"), " until ", k.do("PEXPIRETIME", key))
	case "hash":
		fields := k.do("HKEYS", key).Strings()
		slices.Sort(fields)
		text += " " + k.do(append([]string{"HPEXPIRETIME", key, "FIELDS", strconv.Itoa(len(fields))}, fields...)...).String()
	}
	return text
}

// wantContent compares.
func (k *kept) wantContent(want map[string]string) {
	k.t.Helper()
	got := k.content()
	all := maps.Clone(want)
	maps.Copy(all, got)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if got[name] != want[name] {
			k.t.Errorf("%s\n  is    %.600s\n  was   %.600s", name, got[name], want[name])
		}
	}
}

// busy has several callers run random commands of all kinds at once, while the
// journal is rewritten and RDB files are written.
func (k *kept) busy(rng *rand.Rand, commands int) {
	var callers sync.WaitGroup
	for range 4 {
		source := draw.Source{Rand: rand.New(rand.NewPCG(rng.Uint64(), 0)), Skip: []string{"FLUSHALL"}}
		db := k.DB.DB(rng.IntN(3))
		callers.Go(func() {
			for range commands {
				source.Now = time.Now().UnixMilli()
				words := source.AtWill()
				args := make([]any, len(words)-1)
				for i, word := range words[1:] {
					args[i] = word
				}
				patience := durablePatience
				if strings.HasPrefix(strings.ToUpper(words[0]), "B") || strings.HasPrefix(strings.ToUpper(words[0]), "XREAD") {
					patience = 2 * time.Millisecond // it may wait for ever
				}
				ctx, cancel := context.WithTimeout(context.Background(), patience)
				_, _ = db.Do(ctx, words[0], args...)
				cancel()
			}
		})
	}
	done := make(chan struct{})
	go func() {
		callers.Wait()
		close(done)
	}()
	for {
		select {
		case <-done:
			return
		default:
		}
		words := [][]string{{"BGREWRITEAOF"}, {"SAVE"}, {"BGSAVE", "SCHEDULE"}}[rng.IntN(3)]
		_, _ = k.ask(words...)
	}
}

// settle lets all end that ends within seconds, and waits until it is gone: the
// clock may be an earlier one after the next start, for which it has not ended.
func (k *kept) settle() {
	k.t.Helper()
	k.do("DEBUG", "ADVANCE", "20000")
	for n := range 16 {
		db := &kept{k.DB.DB(n), k.t}
		db.soon("nothing is left that has ended", func() bool { return db.do("DBSIZE").Int() == int64(len(db.do("KEYS", "*").Strings())) })
	}
	k.content() // looks at every field
}

var ends = map[string]func(*kept, *faultfs.Disk) *faultfs.Disk{
	"closed":   func(k *kept, disk *faultfs.Disk) *faultfs.Disk { k.Close(); return disk.Crash() },
	"killed":   func(k *kept, disk *faultfs.Disk) *faultfs.Disk { k.do("WAITAOF", "1", "0", "0"); return disk.Kill() },
	"no power": func(k *kept, disk *faultfs.Disk) *faultfs.Disk { k.do("WAITAOF", "1", "0", "0"); return disk.Crash() },
}

// What random commands of all kinds have made is there after a start, with any
// number of shards: after an orderly end, a kill and a power cut, several times.
func TestRandomDataOutlivesStarts(t *testing.T) {
	t.Parallel()
	seed := drawDurableSeed(t)
	for how, end := range ends {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(seed, uint64(len(how))))
			disk := newDisk(t, seed)
			for range 4 {
				db := keep(t, disk, "shards", strconv.Itoa([]int{1, 2, 3, 16}[rng.IntN(4)]),
					"appendfsync", []string{"always", "everysec", "no"}[rng.IntN(3)],
					"journal-segment-size", []string{"64kb", "64mb"}[rng.IntN(2)])
				db.busy(rng, 400)
				db.settle()
				want := db.content()
				disk = end(db, disk)
				after := keep(t, disk, "shards", strconv.Itoa([]int{1, 2, 3, 16}[rng.IntN(4)]))
				after.wantContent(want)
				after.Close()
			}
		})
	}
}

// The same for a server that only writes RDB files.
func TestRandomDataIsSaved(t *testing.T) {
	t.Parallel()
	seed := drawDurableSeed(t)
	rng := rand.New(rand.NewPCG(seed, 9))
	disk := newDisk(t, seed)
	for range 6 {
		settings := []string{"appendonly", "no", "shards", strconv.Itoa([]int{1, 2, 3, 16}[rng.IntN(4)])}
		db := keep(t, disk, settings...)
		db.busy(rng, 400)
		db.settle()
		want := db.content()
		db.do("SAVE")
		db.do("SET", "unsaved", "1")
		disk = disk.Crash()
		db = keep(t, disk, "appendonly", "no", "shards", strconv.Itoa([]int{1, 2, 3, 16}[rng.IntN(4)]))
		db.wantContent(want)
		db.Close()
	}
}
