package main

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/troupedb/troupe/resp"
)

// collectionEffects is what commands do with lists, hashes, sets, sorted sets
// and streams.
var collectionEffects = map[string]func(m *model, words []string, reply resp.Reply){
	"RPUSH": func(m *model, w []string, _ resp.Reply) {
		c := m.at(w[0], "list")
		c.items = append(c.items, w[1:]...)
	},
	"LPUSH": func(m *model, w []string, _ resp.Reply) {
		c := m.at(w[0], "list")
		for _, item := range w[1:] {
			c.items = slices.Insert(c.items, 0, item)
		}
	},
	"LPOP": func(m *model, w []string, _ resp.Reply) {
		m.cut(w[0], func(items []string) []string { return items[min(len(items), number(w[1])):] })
	},
	"RPOP": func(m *model, w []string, _ resp.Reply) {
		m.cut(w[0], func(items []string) []string { return items[:max(0, len(items)-number(w[1]))] })
	},
	"LTRIM": func(m *model, w []string, _ resp.Reply) {
		m.cut(w[0], func(items []string) []string {
			return items[min(number(w[1]), len(items)):min(number(w[2])+1, len(items))]
		})
	},
	"LMOVE": func(m *model, w []string, _ resp.Reply) { // source target LEFT RIGHT
		if c := m.find(w[0]); c != nil {
			first := c.items[0]
			m.cut(w[0], func(items []string) []string { return items[1:] })
			to := m.at(w[1], "list")
			to.items = append(to.items, first)
		}
	},
	"LREM": func(m *model, w []string, _ resp.Reply) { // key 1 element
		m.cut(w[0], func(items []string) []string {
			if i := slices.Index(items, w[2]); i >= 0 {
				return slices.Delete(items, i, i+1)
			}
			return items
		})
	},
	"HSET": func(m *model, w []string, _ resp.Reply) { m.setPairs(w[0], "hash", w[1:]) },
	"HDEL": func(m *model, w []string, _ resp.Reply) { m.dropPairs(w[0], w[1:]) },
	"HINCRBY": func(m *model, w []string, _ resp.Reply) {
		m.addPair(w[0], "hash", w[1], func(n *string) { addInt(n, w[2]) })
	},
	"HINCRBYFLOAT": func(m *model, w []string, _ resp.Reply) {
		m.addPair(w[0], "hash", w[1], func(f *string) { addFloat(f, w[2]) })
	},
	"SADD": func(m *model, w []string, _ resp.Reply) {
		for _, member := range w[1:] {
			m.setPairs(w[0], "set", []string{member, ""})
		}
	},
	"SREM": func(m *model, w []string, _ resp.Reply) { m.dropPairs(w[0], w[1:]) },
	"SPOP": func(m *model, w []string, reply resp.Reply) {
		for _, member := range reply.Items() {
			m.dropPairs(w[0], []string{member.Str()})
		}
	},
	"SMOVE": func(m *model, w []string, _ resp.Reply) {
		if c := m.find(w[0]); c != nil && hasPair(c, w[2]) {
			m.dropPairs(w[0], w[2:])
			m.setPairs(w[1], "set", []string{w[2], ""})
		}
	},
	"SUNIONSTORE": func(m *model, w []string, _ resp.Reply) {
		all := map[string]string{}
		for _, key := range w[1:] {
			if c := m.find(key); c != nil {
				maps.Copy(all, c.pairs)
			}
		}
		m.put(w[0], &datum{kind: "set", pairs: all})
		m.settle(w[0])
	},
	"ZADD": func(m *model, w []string, _ resp.Reply) {
		for i := 1; i < len(w); i += 2 {
			m.setPairs(w[0], "zset", []string{w[i+1], w[i]})
		}
	},
	"ZINCRBY": func(m *model, w []string, _ resp.Reply) {
		m.addPair(w[0], "zset", w[2], func(f *string) { addFloat(f, w[1]) })
	},
	"ZREM": func(m *model, w []string, _ resp.Reply) { m.dropPairs(w[0], w[1:]) },
	"ZPOPMIN": func(m *model, w []string, _ resp.Reply) {
		if c := m.find(w[0]); c != nil {
			m.dropPairs(w[0], []string{leastMember(c.pairs)})
		}
	},
	"XADD": func(m *model, w []string, reply resp.Reply) { // key [MAXLEN n] id field value
		c, id := m.at(w[0], "stream"), w[len(w)-3]
		if id == "*" {
			id = reply.Str()
		}
		c.items = append(c.items, id, w[len(w)-2], w[len(w)-1])
		if w[1] == "MAXLEN" {
			c.items = c.items[max(0, len(c.items)-3*number(w[2])):]
		}
	},
	"XDEL": func(m *model, w []string, _ resp.Reply) {
		if m.find(w[0]) == nil {
			return
		}
		c := m.at(w[0], "stream")
		if i := slices.Index(c.items, w[1]); i >= 0 {
			c.items = slices.Delete(c.items, i, i+3)
		}
	},
}

// cut makes a list shorter, if it is there.
func (m *model) cut(key string, to func([]string) []string) {
	if m.find(key) != nil {
		c := m.at(key, "list")
		c.items = to(c.items)
		m.settle(key)
	}
}

func (m *model) setPairs(key, kind string, words []string) {
	c := m.at(key, kind)
	for i := 0; i < len(words); i += 2 {
		c.pairs[words[i]] = words[i+1]
	}
}

func (m *model) dropPairs(key string, names []string) {
	if c := m.find(key); c != nil {
		for _, name := range names {
			delete(c.pairs, name)
		}
		m.touched = append(m.touched, m.name(key))
		m.settle(key)
	}
}

func (m *model) addPair(key, kind, name string, add func(*string)) {
	c := m.at(key, kind)
	value := c.pairs[name]
	add(&value)
	c.pairs[name] = value
}

func hasPair(c *datum, name string) bool {
	_, has := c.pairs[name]
	return has
}

// leastMember is the member of a sorted set with the lowest score, the first by
// name of those.
func leastMember(scores map[string]string) string {
	return slices.MinFunc(slices.Collect(maps.Keys(scores)), func(a, b string) int {
		return cmp.Or(cmp.Compare(score(scores[a]), score(scores[b])), strings.Compare(a, b))
	})
}

func score(text string) float64 {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic(err)
	}
	return f
}
