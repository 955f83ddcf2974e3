package subscription

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/troupedb/troupe/keyspace"
)

// outlet is a link that takes what it is told when it is asked to.
type outlet struct {
	mu      sync.Mutex
	told    int
	unsent  int64
	overrun bool
}

func (o *outlet) Loop() int        { return 0 }
func (o *outlet) Post(task func()) { task() }
func (o *outlet) News() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.told++
}
func (o *outlet) Unsent() int64 { return o.unsent }
func (o *outlet) Overrun() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.overrun = true
}

const all = 1 << 30

func text(b *Inbox, version int) string {
	dst, _ := b.Take(nil, Protocol{Version: version, Subscriber: true}, all)
	return string(dst)
}

// A roster holds what was added and not removed; a walk sees what was there when
// it began.
func TestRoster(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	var r roster[*Subscription]
	have := map[*Subscription]bool{}
	list := func(chunks [][]*Subscription) map[*Subscription]bool {
		found := map[*Subscription]bool{}
		for _, one := range slices.Concat(chunks...) {
			found[one] = true
		}
		return found
	}
	for step := range 5000 {
		before, want := r.all(), len(have)
		if len(have) == 0 || rng.IntN(5) < 3 {
			one := &Subscription{}
			r.add(one)
			have[one] = true
		} else {
			for one := range have {
				r.remove(one)
				delete(have, one)
				break
			}
		}
		if len(list(before)) != want {
			t.Fatalf("step %d: the walk sees %d, not %d", step, len(list(before)), want)
		}
		if r.length() != len(have) {
			t.Fatalf("step %d: %d members, want %d", step, r.length(), len(have))
		}
	}
	for one := range list(r.all()) {
		if !have[one] {
			t.Error("a member that was removed is there")
		}
	}
}

// One text serves both protocols.
func TestTexts(t *testing.T) {
	t.Parallel()
	h := NewHub(func() int64 { return 0 })
	a := NewInbox(&outlet{})
	h.Subscribe(Channel, "c", a)
	h.Subscribe(Pattern, "[bc]", a)
	f := func(version int, want string) {
		t.Helper()
		if n := h.Publish([]byte("c"), []byte("hi")); n != 2 {
			t.Errorf("%d receivers", n)
		}
		if got := text(a, version); got != want {
			t.Errorf("RESP%d: %q", version, got)
		}
	}
	f(3, ">3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$2\r\nhi\r\n>4\r\n$8\r\npmessage\r\n$4\r\n[bc]\r\n$1\r\nc\r\n$2\r\nhi\r\n")
	f(2, "*3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$2\r\nhi\r\n*4\r\n$8\r\npmessage\r\n$4\r\n[bc]\r\n$1\r\nc\r\n$2\r\nhi\r\n")
}

// What comes after the end of a subscription is not told, and the outlet is
// called once until all has been taken.
func TestEndAndCalls(t *testing.T) {
	t.Parallel()
	h := NewHub(func() int64 { return 0 })
	o := &outlet{}
	a := NewInbox(o)
	one := h.Subscribe(Channel, "c", a)
	for range 3 {
		h.Publish([]byte("c"), []byte("x"))
	}
	if o.told != 1 {
		t.Errorf("the outlet was called %d times", o.told)
	}
	h.Unsubscribe(Channel, "c", one)
	one.End()
	if got := text(a, 3); got != "" {
		t.Errorf("told %q", got)
	}
	if n := h.Publish([]byte("c"), nil); n != 0 || h.Len(Channel) != 0 {
		t.Errorf("%d receivers, %d channels", n, h.Len(Channel))
	}
}

// An inbox is cut off above the hard limit, and when the soft one lasts.
func TestLimits(t *testing.T) {
	t.Parallel()
	now := int64(1)
	h := NewHub(func() int64 { return now })
	f := func(limits Limits, sizes []int, millis int64, want bool) {
		t.Helper()
		h.Limits.Store(&limits)
		o := &outlet{}
		a := NewInbox(o)
		one := h.Subscribe(Channel, "c", a)
		defer h.Unsubscribe(Channel, "c", one)
		for _, size := range sizes {
			h.Publish([]byte("c"), bytes.Repeat([]byte("x"), size))
			now += millis
		}
		if o.overrun != want {
			t.Errorf("%+v after %v, %d ms apart: cut off %v", limits, sizes, millis, o.overrun)
		}
	}
	f(Limits{Hard: 1000}, []int{500, 300}, 0, false)
	f(Limits{Hard: 1000}, []int{500, 600}, 0, true)
	f(Limits{Soft: 1000, Seconds: 2}, []int{1500, 1, 1}, 1000, false)
	f(Limits{Soft: 1000, Seconds: 2}, []int{1500, 1, 1, 1}, 1000, true)
	f(Limits{}, []int{5000, 5000}, 100_000, false)
}

// Every event that a command can make known has its class.
func TestClasses(t *testing.T) {
	t.Parallel()
	f := func(letters string, events ...string) {
		t.Helper()
		classes := ParseClasses(letters)
		for _, event := range events {
			if classes&classOfEvent(event) == 0 {
				t.Errorf("%s is not of %s", event, letters)
			}
		}
	}
	f("g", "del", "expire", "persist", "rename_from", "rename_to", "move_from", "move_to", "copy_to", "restore")
	f("$", "set", "setrange", "incrby", "incrbyfloat", "append", "setbit", "pfadd")
	f("l", "lpush", "rpop", "sortstore", "lset")
	f("h", "hset", "hdel", "hincrby", "hexpire", "hexpired", "hpersist")
	f("s", "sadd", "spop", "sinterstore")
	f("z", "zadd", "zincr", "zrangestore", "geosearchstore")
	f("t", "xadd", "xtrim", "xgroup-create")
	f("x", "expired")
	f("e", "evicted")
	f("m", "keymiss")
	f("n", "new")
	if All != ParseClasses("g$lshzxetd") || ParseClasses("KEA")&(Misses|NewKeys) != 0 || ParseClasses("K").Any() || ParseClasses("g").Any() {
		t.Error("A, or what publishes nothing, is otherwise")
	}
}

// Publishers, and links that come and go, at once: nothing that was published
// between a subscription and its end is missing, and each publisher's order is
// kept.
func TestOrderUnderLoad(t *testing.T) {
	t.Parallel()
	h := NewHub(func() int64 { return 0 })
	const publishers, messages, listeners = 4, 300, 8
	var inboxes []*Inbox
	for range listeners {
		a := NewInbox(&outlet{})
		h.Subscribe(Channel, "c", a)
		inboxes = append(inboxes, a)
	}
	var busy sync.WaitGroup
	for p := range publishers {
		busy.Go(func() {
			for n := range messages {
				h.Publish([]byte("c"), fmt.Appendf(nil, "%d-%04d", p, n))
			}
		})
		busy.Go(func() {
			for range messages {
				a := NewInbox(&outlet{})
				h.Unsubscribe(Channel, "c", h.Subscribe(Channel, "c", a))
			}
		})
	}
	busy.Wait()
	for _, a := range inboxes {
		var next [publishers]int
		for _, part := range bytes.Split([]byte(text(a, 3)), []byte("\r\n")) {
			var p, n int
			if c, _ := fmt.Sscanf(string(part), "%d-%d", &p, &n); c == 2 && len(part) == 6 {
				if n != next[p] {
					t.Fatalf("message %d of publisher %d comes after %d", n, p, next[p]-1)
				}
				next[p]++
			}
		}
		if next != [publishers]int{messages, messages, messages, messages} {
			t.Errorf("messages are missing: %v", next)
		}
	}
}

// Caches are told by what they read, by prefix, and once of a flush.
func TestInvalidations(t *testing.T) {
	t.Parallel()
	h := NewHub(func() int64 { return 0 })
	own, wideOwn := NewInbox(&outlet{}), NewInbox(&outlet{})
	reader, wide := NewTracker(1, TrackerEnds{Own: own}), NewTracker(2, TrackerEnds{Own: wideOwn})
	h.Track(reader, false, nil)
	h.Track(wide, true, []string{"a"})
	wide.NoLoop.Store(true)
	f := func(all []keyspace.Invalid, flushed bool, toReader, toWide string) {
		t.Helper()
		h.Invalidate(all, flushed)
		if got := text(own, 3); got != toReader {
			t.Errorf("the reader is told %q", got)
		}
		if got := text(wideOwn, 3); got != toWide {
			t.Errorf("the other is told %q", got)
		}
	}
	const head = ">2\r\n$10\r\ninvalidate\r\n"
	read := []keyspace.Tracker{reader}
	f([]keyspace.Invalid{{Key: "b", Readers: read}}, false, head+"*1\r\n$1\r\nb\r\n", "")
	f([]keyspace.Invalid{{Key: "a", By: 2}, {Key: "ab"}, {Key: "ab"}}, false, "", head+"*1\r\n$2\r\nab\r\n")
	f([]keyspace.Invalid{{Key: "a", Readers: read, Forgotten: true}}, false, head+"*1\r\n$1\r\na\r\n", "")
	f(nil, true, head+"_\r\n", head+"_\r\n")
	h.Untrack(reader)
	h.Untrack(wide)
	f([]keyspace.Invalid{{Key: "a", Readers: read}}, true, "", "")
	if h.Broadcasts() || h.TrackCounts().Clients != 0 {
		t.Error("somebody is tracked still")
	}
}
