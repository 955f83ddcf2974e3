package hll_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/troupedb/troupe/keyspace/hll"
	"github.com/troupedb/troupe/keyspace/shardtest"
	"github.com/troupedb/troupe/resp"
)

// TestAgainstRedis sends random streams of commands to a real redis-server
// too. Replies must be the same bytes, among them those of GET: so values are
// the same too, and what is made known.
func TestAgainstRedis(t *testing.T) {
	redis := shardtest.DialRedis(t, "--notify-keyspace-events", "EA")
	events := redis.Subscribe("__keyevent@*")
	hll.EachSeed(t, 5, func(t *testing.T, rng *rand.Rand) {
		for range 12 {
			r := &trial{
				t: t, rng: rng, redis: redis, events: events, encoder: resp.V2,
				world: shardtest.New(t, 1+rng.IntN(3), families...), elements: []int{50, 5000, 1 << 40}[rng.IntN(3)],
			}
			if rng.IntN(2) == 0 {
				r.encoder = resp.V3
			}
			r.run(600)
		}
	})
}

// trial is one stream, against both.
type trial struct {
	t        *testing.T
	rng      *rand.Rand
	world    *shardtest.World
	redis    *shardtest.Redis
	events   *shardtest.Events
	encoder  resp.Encoder
	elements int // that there are
}

// run makes and sends so many commands, some at a time, and compares.
func (r *trial) run(commands int) {
	most := []int{3000, 3000, 500, 100, 0, 16000}[r.rng.IntN(6)]
	set := *r.world.Settings
	set.HLLSparseMax = most
	r.world.Settings = &set
	r.redis.Ask([][][]byte{
		words("HELLO", fmt.Sprint(r.encoder.Proto())), words("FLUSHALL"),
		words("CONFIG", "SET", "hll-sparse-max-bytes", fmt.Sprint(most)),
	})
	r.events.Until(r.redis)
	const together = 50
	for range commands / together {
		var sent [][][]byte
		for range together {
			argv := r.command()
			sent = append(sent, argv, words("GET", string(argv[len(argv)-1])), words("GET", string(argv[1])))
		}
		var made []string
		for i, want := range r.redis.Ask(sent) {
			got := r.world.Exchange(sent[i], r.encoder)
			if !bytes.Equal(got, want) {
				r.t.Fatalf("%.200q (RESP%d): %.300q, from Redis %.300q", sent[i], r.encoder.Proto(), got, want)
			}
			for _, e := range r.world.Events {
				made = append(made, "0 "+e.Name+" "+e.Key)
			}
		}
		if told := r.events.Until(r.redis); !slices.Equal(made, told) {
			r.t.Fatalf("made known: %q\nby Redis: %q", made, told)
		}
	}
}

func words(list ...string) (argv [][]byte) {
	for _, word := range list {
		argv = append(argv, []byte(word))
	}
	return argv
}

// pick is one of the words.
func (r *trial) pick(list ...string) string { return list[r.rng.IntN(len(list))] }

func (r *trial) key() string {
	if r.rng.IntN(60) == 0 {
		return r.pick("h", "s")
	}
	return r.pick("a", "b", "c", "d", "none")
}

func (r *trial) keys(least int) (list []string) {
	for range least + r.rng.IntN(4) {
		list = append(list, r.key())
	}
	return list
}

func (r *trial) element() string {
	e := fmt.Sprint("element:", r.rng.IntN(r.elements))
	return e[r.rng.IntN(len(e)):]
}

// command is a random command on one of few keys.
func (r *trial) command() [][]byte {
	key := r.key()
	switch r.rng.IntN(30) {
	case 0:
		return words("HSET", "h", "f", "v")
	case 1:
		return words("SET", "s", r.pick("text", "12", "HYLL", "HYLL\x02aaaaaaaaaaaaaaaaaaaa", "HYLL\x00aaaaaaaaaaaaaaaaaaaa"))
	case 2:
		return words("DEL", key)
	case 3, 4, 5, 6:
		return words("PFCOUNT", key)
	case 7, 8:
		return words(append([]string{"PFCOUNT"}, r.keys(1)...)...)
	case 9, 10:
		return words(append([]string{"PFMERGE", key}, r.keys(0)...)...)
	case 11:
		return words("PFDEBUG", r.pick("DECODE", "encoding", "GETREG", "nonsense"), key)
	case 12:
		if r.rng.IntN(4) == 0 {
			return words("PFDEBUG", "TODENSE", key)
		}
	case 13, 14, 15, 16:
		line := []string{"PFADD", key}
		for range r.rng.IntN(1 + r.rng.IntN(600)) {
			line = append(line, r.element())
		}
		return words(line...)
	}
	line := []string{"PFADD", key}
	for range r.rng.IntN(4) {
		line = append(line, r.element())
	}
	return words(line...)
}
