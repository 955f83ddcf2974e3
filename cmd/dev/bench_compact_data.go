package main

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
)

// mixed is data of all types: strings of 10 bytes to 10 KB, small and middling collections, and one large
// one of each type. A tenth of it is to remain: of strings and small collections whole ones, of the
// others some of the elements.
type mixed struct {
	keys int
	seed uint64
	rest bool // only what remains is loaded
}

const (
	mixedLarge = 100_000 // elements of the large collections
	mixedKept  = 10      // one of so many remains
	mixedBatch = 100     // elements to a command
)

// collection is one of the data.
type collection struct {
	family   string
	key      string
	elements int
	whole    bool // it remains as a whole or goes as a whole
}

// collections are all but the strings.
func (m *mixed) collections(yield func(collection) bool) {
	for _, family := range []string{"hash", "set", "zset", "list", "stream"} {
		for i := range m.keys / 20 {
			if !yield(collection{family, family + ":small:" + strconv.Itoa(i), 20, true}) {
				return
			}
		}
		for i := range m.keys / 200 {
			if !yield(collection{family, family + ":middling:" + strconv.Itoa(i), 600, false}) {
				return
			}
		}
		if !yield(collection{family, family + ":large", mixedLarge, false}) {
			return
		}
	}
}

// random gives the random numbers of a thing: the same each time.
func (m *mixed) random(kind, i int) *rand.Rand {
	return rand.New(rand.NewPCG(m.seed, uint64(kind)<<32|uint64(i)))
}

// mixedText is a text of that length.
func mixedText(r *rand.Rand, length int) string {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/"
	var b strings.Builder
	b.Grow(length)
	for word := uint64(0); b.Len() < length; word >>= 6 {
		if b.Len()%10 == 0 {
			word = r.Uint64()
		}
		b.WriteByte(letters[word&63])
	}
	return b.String()
}

// remains says whether the next thing is among those that are not deleted.
func remains(r *rand.Rand) bool { return r.IntN(mixedKept) == 0 }

// load yields the commands that make the data.
func (m *mixed) load(yield func(words ...string) bool) {
	for i := range m.keys {
		r := m.random(0, i)
		kept := remains(r)
		length := int(10 * math.Pow(1000, r.Float64()))
		if text := mixedText(r, length); kept || !m.rest {
			if !yield("SET", "string:"+strconv.Itoa(i), text) {
				return
			}
		}
	}
	n := 0
	for c := range m.collections {
		if n++; !m.loadCollection(c, m.random(1, n), yield) {
			return
		}
	}
}

// element is the words of an element.
func (c *collection) element(r *rand.Rand, i int) []string {
	name, text := "element:"+strconv.Itoa(i), mixedText(r, 10+r.IntN(60))
	switch c.family {
	case "hash":
		return []string{name, text}
	case "zset":
		return []string{strconv.Itoa(r.IntN(1e6)), name + text}
	case "stream":
		return []string{"1-" + strconv.Itoa(i+1), "field", text, "other", name}
	}
	return []string{name + text}
}

func (m *mixed) loadCollection(c collection, r *rand.Rand, yield func(words ...string) bool) bool {
	verb := map[string]string{"hash": "HSET", "set": "SADD", "zset": "ZADD", "list": "RPUSH", "stream": "XADD"}[c.family]
	batch := mixedBatch
	if c.family == "stream" {
		batch = 1
	}
	whole := !c.whole || remains(r)
	words := []string{verb, c.key}
	held := 0
	for i := range c.elements {
		element := c.element(r, i)
		kept := c.whole || remains(r)
		if m.rest && !(whole && kept) {
			continue
		}
		words = append(words, element...)
		if held++; held == batch {
			if !yield(words...) {
				return false
			}
			words, held = words[:2], 0
		}
	}
	return held == 0 || yield(words...)
}

// thin yields the commands that delete what does not remain.
func (m *mixed) thin(yield func(words ...string) bool) {
	for i := range m.keys {
		if !remains(m.random(0, i)) && !yield("DEL", "string:"+strconv.Itoa(i)) {
			return
		}
	}
	n := 0
	for c := range m.collections {
		if n++; !m.thinCollection(c, m.random(1, n), yield) {
			return
		}
	}
}

func (m *mixed) thinCollection(c collection, r *rand.Rand, yield func(words ...string) bool) bool {
	if c.whole {
		return remains(r) || yield("DEL", c.key)
	}
	verb := map[string]string{"hash": "HDEL", "set": "SREM", "zset": "ZREM", "list": "LSET", "stream": "XDEL"}[c.family]
	for i := range c.elements {
		element := c.element(r, i)
		if remains(r) {
			continue
		}
		words := []string{verb, c.key, element[0]}
		switch c.family {
		case "zset":
			words[2] = element[1]
		case "list": // marked, and then all at once
			words = []string{verb, c.key, strconv.Itoa(i), "gone"}
		}
		if !yield(words...) {
			return false
		}
	}
	return c.family != "list" || yield("LREM", c.key, "0", "gone")
}
