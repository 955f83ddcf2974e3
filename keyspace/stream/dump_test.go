package stream_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/rdb"
	"github.com/troupedb/troupe/keyspace/shardtest"
	"github.com/troupedb/troupe/keyspace/stream"
	"github.com/troupedb/troupe/resp"
)

func init() { shardtest.Kinds[keyspace.Stream] = &stream.Kind }

// within runs a function in a turn of its own, over all shards.
func within(w *shardtest.World, run func(tx *keyspace.Tx) resp.Reply) resp.Reply {
	x := &keyspace.Execute{Encoder: resp.V3, Requests: []keyspace.Request{{DB: w.DB, Do: run}}}
	var all []int
	for i := range w.Shards {
		all = append(all, i)
	}
	w.Execute(x, all)
	reply, _, _ := resp.Decode(x.Out)
	return reply
}

// dump is the payload of a key, nil if it is no stream.
func dump(w *shardtest.World, key string) (payload []byte) {
	within(w, func(tx *keyspace.Tx) resp.Reply {
		v := tx.Peek([]byte(key))
		if !v.Is(keyspace.Stream) {
			return resp.Nil
		}
		value, _ := rdb.ValueOf(tx, v)
		payload = rdb.Dump(value)
		return resp.OK
	})
	return payload
}

// restore makes a key of a payload.
func restore(w *shardtest.World, key string, payload []byte) resp.Reply {
	return within(w, func(tx *keyspace.Tx) resp.Reply {
		p, err := rdb.Open(payload)
		if err == nil {
			err = p.Check()
		}
		if err != nil {
			return resp.Error("ERR " + err.Error())
		}
		if mistake := stream.Kind.PutParts(tx, []byte(key), p.Stream(), keyspace.NoDeadline, "restore"); mistake.IsError() {
			return mistake
		}
		return resp.OK
	})
}

// What either server dumps, the other one and this one restore to the same.
func TestDumpsAreExchanged(t *testing.T) {
	t.Parallel()
	redis := shardtest.DialRedis(t, "--notify-keyspace-events", "KEA")
	events := redis.Subscribe("__keyevent@*")
	ask := func(words ...string) resp.Reply {
		reply, _, _ := resp.Decode(redis.Ask([][][]byte{join(words)})[0])
		return reply
	}
	eachSeed(t, 2, func(t *testing.T, rng *rand.Rand) {
		for range 30 {
			r := newTrial(t, redis, events, rng)
			r.byID = true
			r.run(300)
			for _, key := range []string{"a", "b"} {
				ours, theirs := dump(r.world, key), ask("DUMP", key)
				if ask("TYPE", key).Str() != "stream" {
					continue
				}
				if got := ask("RESTORE", key, "0", string(ours), "REPLACE"); got.Str() != "OK" {
					t.Fatalf("RESTORE of %q: %s", ours, resp.Format(got))
				}
				if got := restore(r.world, key, []byte(theirs.Str())); got.Str() != "OK" {
					t.Fatalf("our RESTORE of %q: %s", theirs.Str(), resp.Format(got))
				}
				for _, words := range [][]string{{"XRANGE", key, "-", "+"}, {"XINFO", "STREAM", key, "FULL", "COUNT", "0"}, {"XPENDING", key, "g", "-", "+", "100"}} {
					ours := r.timeless(join(words), r.world.Exchange(join(words), r.encoder))
					reply := r.timeless(join(words), redis.Ask([][][]byte{join(words)})[0])
					if !bytes.Equal(ours, reply) {
						t.Fatalf("%q after the exchange:\n%.2000q, in Redis\n%.2000q", words, ours, reply)
					}
				}
			}
		}
	})
}

// Whatever bytes there are, they are restored or refused.
func TestBrokenPayloads(t *testing.T) {
	t.Parallel()
	eachSeed(t, 3, func(t *testing.T, rng *rand.Rand) {
		w := shardtest.New(t, 1, &stream.Commands)
		for _, line := range []string{"XADD s 1-1 f v g w", "XADD s 1-2 f 5 g x", "XADD s 2-1 h y", "XDEL s 1-2", "XGROUP CREATE s g 0",
			"XREADGROUP GROUP g ada STREAMS s >"} {
			w.Do(line)
		}
		whole := dump(w, "s")
		for range 3000 {
			broken := bytes.Clone(whole[:len(whole)-10])
			for range 1 + rng.IntN(3) {
				broken[1+rng.IntN(len(broken)-1)] = byte(rng.IntN(256))
			}
			broken = append(broken, whole[len(whole)-10:len(whole)-8]...)
			sum := rdb.Checksum(0, broken)
			for i := range 8 {
				broken = append(broken, byte(sum>>(8*i)))
			}
			if restore(w, "b", broken).Str() == "OK" {
				for _, line := range []string{"XRANGE b - +", "XREVRANGE b + -", "XINFO STREAM b FULL", "XADD b * f v", "XTRIM b MAXLEN 1"} {
					w.Do(line)
				}
			}
		}
	})
}
