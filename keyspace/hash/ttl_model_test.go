package hash_test

import (
	"fmt"
	"math/rand/v2"
	"sort"
	"strings"
	"testing"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/hash"
	"github.com/troupedb/troupe/keyspace/shardtest"
	"github.com/troupedb/troupe/resp"
)

// TestDeadlinesAgainstModel runs random commands on hashes whose fields end,
// while time passes and the limits of the packed form change, and compares
// every reply with what a model says.
func TestDeadlinesAgainstModel(t *testing.T) {
	t.Parallel()
	hash.EachSeed(t, 6, func(t *testing.T, rng *rand.Rand) {
		for range 40 {
			m := &deadlineModel{
				t: t, rng: rng, w: shardtest.New(t, 1+rng.IntN(3), &hash.Commands),
				keys: map[string]map[string]*field{"a": {}, "b": {}}, fields: 3 + rng.IntN(60),
			}
			for range 600 {
				m.step()
			}
			m.empty()
		}
	})
}

// field is a field of the model.
type field struct {
	value string
	end   int64 // 0: never
}

type deadlineModel struct {
	t      *testing.T
	rng    *rand.Rand
	w      *shardtest.World
	keys   map[string]map[string]*field
	fields int
}

// want sends a line and demands the reply.
func (m *deadlineModel) want(reply, line string, words ...any) {
	m.t.Helper()
	line = fmt.Sprintf(line, words...)
	if got := m.w.Do(line); got != reply {
		m.t.Fatalf("%s: %.300s, want %.300s", line, got, reply)
	}
}

func (m *deadlineModel) step() {
	key := []string{"a", "b"}[m.rng.IntN(2)]
	h, name := m.keys[key], fmt.Sprint("f", m.rng.IntN(m.fields))
	switch m.rng.IntN(20) {
	case 0, 1, 2:
		m.set(key, h, name)
	case 3, 4, 5, 6:
		m.expire(key, h, name)
	case 7:
		m.setEx(key, h, name)
	case 8:
		m.getEx(key, h, name)
	case 9:
		m.take(key, h, name)
	case 10:
		m.persist(key, h, name)
	case 11, 12, 13:
		m.pass(m.rng.Int64N(30))
	case 14:
		m.compare(key, h)
	case 15:
		m.w.Settings.HashPackedEntries = []int{0, 5, 20, 512}[m.rng.IntN(4)]
		m.w.Settings.HashPackedValue = []int{1, 8, 64}[m.rng.IntN(3)]
	case 16:
		m.copy(key)
	case 17:
		m.increase(key, h, name)
	default:
		m.look(key, h, name)
	}
}

func (m *deadlineModel) text() string {
	return strings.Repeat(fmt.Sprint(m.rng.IntN(10)), 1+m.rng.IntN(12))
}

func (m *deadlineModel) set(key string, h map[string]*field, name string) {
	text := m.text()
	had := h[name] != nil
	if m.rng.IntN(3) == 0 {
		m.want(resp.Format(resp.Flag(!had)), "HSETNX %s %s %s", key, name, text)
		if had {
			return
		}
	} else {
		m.want(resp.Format(resp.Flag(!had)), "HSET %s %s %s", key, name, text)
	}
	h[name] = &field{value: text}
}

func (m *deadlineModel) expire(key string, h map[string]*field, name string) {
	in, condition := m.rng.Int64N(60), []string{"", "NX", "XX", "GT", "LT"}[m.rng.IntN(5)]
	f, end, want := h[name], m.w.Now+in, 1
	switch {
	case f == nil:
		want = -2
	case condition == "NX" && f.end != 0, condition == "XX" && f.end == 0,
		condition == "GT" && (f.end == 0 || f.end >= end), condition == "LT" && f.end != 0 && f.end <= end:
		want = 0
	case in == 0:
		want = 2
		delete(h, name)
	default:
		f.end = end
	}
	m.want(fmt.Sprintf("[:%d]", want), "HPEXPIRE %s %d %s FIELDS 1 %s", key, in, condition, name)
}

func (m *deadlineModel) setEx(key string, h map[string]*field, name string) {
	in, text, f := m.rng.Int64N(40), m.text(), h[name]
	switch m.rng.IntN(4) {
	case 0:
		m.want(resp.Format(resp.Flag(f == nil)), "HSETEX %s FNX PX %d FIELDS 1 %s %s", key, in+1, name, text)
		if f == nil {
			h[name] = &field{text, m.w.Now + in + 1}
		}
	case 1:
		m.want(resp.Format(resp.Flag(f != nil)), "HSETEX %s FXX KEEPTTL FIELDS 1 %s %s", key, name, text)
		if f != nil {
			f.value = text
		}
	case 2:
		m.want(":1", "HSETEX %s FIELDS 1 %s %s", key, name, text)
		h[name] = &field{value: text}
	default:
		m.want(":1", "HSETEX %s PX %d FIELDS 1 %s %s", key, in, name, text)
		if h[name] = (&field{text, m.w.Now + in}); in == 0 {
			delete(h, name)
		}
	}
}

// shown is a field's value as a reply.
func shown(f *field) string {
	if f == nil {
		return "_"
	}
	return fmt.Sprintf("%q", f.value)
}

func (m *deadlineModel) getEx(key string, h map[string]*field, name string) {
	in, f := m.rng.Int64N(40), h[name]
	if m.rng.IntN(3) == 0 {
		m.want("["+shown(f)+"]", "HGETEX %s PERSIST FIELDS 1 %s", key, name)
		if f != nil {
			f.end = 0
		}
		return
	}
	m.want("["+shown(f)+"]", "HGETEX %s PX %d FIELDS 1 %s", key, in, name)
	if f == nil {
		return
	}
	if f.end = m.w.Now + in; in == 0 {
		delete(h, name)
	}
}

func (m *deadlineModel) take(key string, h map[string]*field, name string) {
	if m.rng.IntN(2) == 0 {
		m.want("["+shown(h[name])+"]", "HGETDEL %s FIELDS 1 %s", key, name)
	} else {
		m.want(resp.Format(resp.Flag(h[name] != nil)), "HDEL %s %s", key, name)
	}
	delete(h, name)
}

func (m *deadlineModel) persist(key string, h map[string]*field, name string) {
	want := 1
	switch f := h[name]; {
	case f == nil:
		want = -2
	case f.end == 0:
		want = -1
	default:
		f.end = 0
	}
	m.want(fmt.Sprintf("[:%d]", want), "HPERSIST %s FIELDS 1 %s", key, name)
}

func (m *deadlineModel) increase(key string, h map[string]*field, name string) {
	f := h[name]
	if f != nil && (f.value[0] == '0' || len(f.value) > 18) {
		return
	}
	if f == nil {
		f = &field{value: "0"}
		h[name] = f
	}
	var was int64
	fmt.Sscan(f.value, &was)
	f.value = fmt.Sprint(was + 7)
	m.want(":"+f.value, "HINCRBY %s %s 7", key, name)
}

func (m *deadlineModel) look(key string, h map[string]*field, name string) {
	f, left := h[name], int64(-2)
	if f != nil {
		if left = -1; f.end != 0 {
			left = f.end - m.w.Now
		}
	}
	m.want(shown(f), "HGET %s %s", key, name)
	m.want(fmt.Sprintf("[:%d]", left), "HPTTL %s FIELDS 1 %s", key, name)
	m.want(resp.Format(resp.Flag(f != nil)), "HEXISTS %s %s", key, name)
	m.want(fmt.Sprint(":", len(h)), "HLEN %s", key)
}

// pass lets time go by, and mostly the shards' ticks come.
func (m *deadlineModel) pass(ms int64) {
	m.w.Advance(ms)
	for _, h := range m.keys {
		for name, f := range h {
			if f.end != 0 && f.end <= m.w.Now {
				delete(h, name)
			}
		}
	}
	if m.rng.IntN(4) > 0 {
		m.w.ExpireDue()
	}
}

// copy makes the other key a copy, or moves to it.
func (m *deadlineModel) copy(key string) {
	other := map[string]string{"a": "b", "b": "a"}[key]
	if len(m.keys[key]) == 0 {
		return
	}
	moves := m.rng.IntN(2) == 0
	within(m.w, func(tx *keyspace.Tx) resp.Reply {
		if moves {
			tx.Rename([]byte(key), []byte(other), 0, keyspace.Transfer{Gone: "rename_from", Made: "rename_to"})
		} else {
			tx.Copy(tx.Peek([]byte(key)), []byte(other), 0, "copy_to")
		}
		return resp.OK
	})
	m.keys[other] = map[string]*field{}
	for name, f := range m.keys[key] {
		copied := *f
		m.keys[other][name] = &copied
	}
	if moves {
		m.keys[key] = map[string]*field{}
	}
}

func (m *deadlineModel) compare(key string, h map[string]*field) {
	var want []string
	for name, f := range h {
		want = append(want, fmt.Sprintf("%q: %q", name, f.value))
	}
	reply := m.w.Run([][]byte{[]byte("HGETALL"), []byte(key)}).Items()
	var got []string
	for i := 0; i < len(reply); i += 2 {
		got = append(got, fmt.Sprintf("%q: %q", reply[i].Str(), reply[i+1].Str()))
	}
	sort.Strings(want)
	sort.Strings(got)
	if fmt.Sprint(got) != fmt.Sprint(want) {
		m.t.Fatalf("%s holds %s, want %s", key, got, want)
	}
	listed := map[string]int64{}
	within(m.w, func(tx *keyspace.Tx) resp.Reply {
		tx.Each(func(v keyspace.Value) bool {
			if string(v.Key()) == key {
				hash.Kind.Each(tx, v, func(e keyspace.Element) bool { listed[string(e.Text)] = e.Deadline; return true })
				if n := hash.Kind.Len(v); n != len(listed) {
					m.t.Errorf("%d elements, %d are listed", n, len(listed))
				}
			}
			return true
		})
		return resp.OK
	})
	for name, f := range h {
		if end, found := listed[name]; !found || end != f.end || len(listed) != len(h) {
			m.t.Fatalf("%s is listed: %v, with its end at %d, want %d", name, found, end, f.end)
		}
	}
}

// empty lets everything end, and demands that nothing is left.
func (m *deadlineModel) empty() {
	for key, h := range m.keys {
		m.compare(key, h)
		for name := range h {
			m.want("[:1]", "HPEXPIRE %s %d FIELDS 1 %s", key, 1+m.rng.IntN(20), name)
		}
	}
	m.w.Advance(20)
	m.w.ExpireDue()
	m.w.Sweep()
	if held := m.w.Held(); held != 0 {
		m.t.Errorf("%d bytes are held after everything has ended", held)
	}
	for _, sh := range m.w.Shards {
		if when, some := sh.NextDeadline(); some {
			m.t.Errorf("a deadline at %d is left", when)
		}
	}
}
