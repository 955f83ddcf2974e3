package actors

import (
	"bytes"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/troupedb/troupe/keyspace/slab"
	"github.com/troupedb/troupe/session"
)

// wire is a link whose loop is the test: bytes go in through say, replies are
// counted. It has everything between the two but sockets: the session, its
// mailbox and the shard's, the shard.
type wire struct {
	system  *System
	handler session.Handler
	tasks   chan func()
	out     []byte
	given   int // how often it was given a Buffer
	paused  bool
}

// newWire opens a link of a system of its own with so many shards.
func newWire(tb testing.TB, shards int) *wire {
	tb.Helper()
	s, err := Start(Options{Shards: shards, Loops: 1})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(s.Close)
	w := &wire{system: s, tasks: make(chan func(), 100)}
	w.handler = s.Server.Accept(w)
	tb.Cleanup(func() { w.handler.Closed(nil) })
	return w
}

// say is a read of the link; it returns when all of it is answered.
func (w *wire) say(data []byte) {
	w.out = w.out[:0]
	for len(data) > 0 {
		data = data[w.handler.Received(data):]
		for w.paused {
			(<-w.tasks)()
		}
	}
}

func (w *wire) Write(p []byte) { w.out = append(w.out, p...) }
func (w *wire) Unsent() int    { return 0 }
func (w *wire) Expect(int)     {}
func (w *wire) Give(large *slab.Buffer, p []byte) {
	w.Write(p)
	w.given++
	large.Free()
}

func (w *wire) Pause()             { w.paused = true }
func (w *wire) Resume()            { w.paused = false }
func (w *wire) CloseAfterWrites()  {}
func (w *wire) Close()             {}
func (w *wire) Post(task func())   { w.tasks <- task }
func (w *wire) RemoteAddr() string { return "127.0.0.1:1" }
func (w *wire) LocalAddr() string  { return "127.0.0.1:2" }
func (w *wire) Unix() bool         { return false }
func (w *wire) Loop() int          { return 0 }
func (w *wire) FD() int            { return -1 }

// keyCount is the number of different keys that are asked for.
const keyCount = 100_000

// requests are reads of a pipeline of so many commands each; in the commands'
// words %d stands for the key's number.
func requests(words string, pipeline int) (all [][]byte) {
	for key := 0; key+pipeline <= keyCount; {
		var b bytes.Buffer
		for range pipeline {
			argv := strings.Fields(fmt.Sprintf(words, key*7919%keyCount))
			fmt.Fprintf(&b, "*%d\r\n", len(argv))
			for _, arg := range argv {
				fmt.Fprintf(&b, "$%d\r\n%s\r\n", len(arg), arg)
			}
			key++
		}
		all = append(all, b.Bytes())
	}
	return all
}

const (
	setWords = "SET key:%012d xxxxxxxxxxxxxxxx"
	getWords = "GET key:%012d"
)

// filled is a wire whose keys are all there.
func filled(tb testing.TB, shards int) *wire {
	w := newWire(tb, shards)
	for _, r := range requests(setWords, 500) {
		w.say(r)
	}
	return w
}

// BenchmarkPath is a command's way from the bytes that a socket gave to those
// that it is given, in operations of one command each.
func BenchmarkPath(b *testing.B) {
	for _, shards := range []int{1, 2} {
		w := filled(b, shards)
		for _, pipeline := range []int{1, 16} {
			for _, words := range []string{getWords, setWords} {
				all := requests(words, pipeline)
				b.Run(fmt.Sprintf("%.3s/P=%d/shards=%d", words, pipeline, shards), func(b *testing.B) {
					b.ReportAllocs()
					for i := 0; i < b.N; i += pipeline {
						w.say(all[i/pipeline%len(all)])
					}
				})
			}
		}
	}
}

// raced reports whether the race detector is at work.
func raced() bool {
	build, _ := debug.ReadBuildInfo()
	return slices.Contains(build.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

// A GET allocates nothing on its way, nor does a SET of a key that is there;
// one that makes its key may once in a while.
func TestPathAllocations(t *testing.T) {
	if raced() {
		t.Skip("the race detector makes pools forget")
	}
	for _, shards := range []int{1, 2} {
		for _, pipeline := range []int{1, 16} {
			f := func(words, reply string, most float64) {
				t.Helper()
				w := filled(t, shards)
				all := requests(words, pipeline)
				next := 0
				got := testing.AllocsPerRun(1000, func() {
					w.say(all[next%len(all)])
					next++
				})
				if string(w.out) != strings.Repeat(reply, pipeline) {
					t.Errorf("%s: answered with %q", words, w.out)
				}
				if got/float64(pipeline) > most {
					t.Errorf("%s, %d at once, %d shards: %v allocations", words, pipeline, shards, got)
				}
			}
			f(getWords, "$16\r\nxxxxxxxxxxxxxxxx\r\n", 0)
			f(setWords, "+OK\r\n", 0)
			f("SET other:%012d xxxxxxxxxxxxxxxx", "+OK\r\n", 0.1)
			f("SET key:%012d yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy", "+OK\r\n", 0.1)
			f("GET none:%d", "$-1\r\n", 0)
			f("SET key:%012d xxxxxxxxxxxxxxxx EX 1000", "+OK\r\n", 0.1)
			f("INCR number:%d", ":1\r\n", 0.1)
			f("EXISTS key:%012d", ":1\r\n", 0)
			f("DEL key:%012d", ":1\r\n", 0)
		}
	}
}
