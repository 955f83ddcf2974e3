package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/troupedb/troupe/actors/config"
	"github.com/troupedb/troupe/resp"
)

// What pushes and what does not, one change at a time, by every way to watch.
func TestWhatIsPushed(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, by way) {
		s := startServer(t, shape{2, false})
		w, first := s.watch(by, "GET", "k")
		if first.value != "_" {
			t.Errorf("the first state is %s", first.value)
		}
		c := s.client()
		f := func(want string, commands ...string) {
			t.Helper()
			for _, line := range commands {
				c.ask(strings.Fields(line)...)
			}
			w.wantFrame(want)
		}
		f(`"1" 1`, "SET k 1")
		// Reads, writes of other keys and writes that fail push nothing, nor do
		// they count.
		f(`"2" 1`, "GET k", "HSET k f v", "SET other 5", "TTL k", "SET k 3 NX", "SET k 2")
		// Writes that change nothing visible push nothing, but count.
		f(`"3" 4`, "SET k 2", "EXPIRE k 1000", "PERSIST k", "SET k 3")
		f(`_ 1`, "DEL k")
		f(`"4" 1`, "SET k 4 PX 50000")
		f(`_ 1`, "DEBUG ADVANCE 50000")
		f(`"5" 1`, "MSET k 5 a 1 b 2 c 3")
		f(`_ 1`, "FLUSHALL")
		f(`"6" 1`, "SET k 6")
		f(`_ 1`, "FLUSHDB")
		f(`"7" 1`, "SET from 7", "RENAME from k")
		f(`_ 1`, "RENAME k to")
		f(`"7" 1`, "COPY to k")
		f(`_ 1`, "SWAPDB 0 3")
		f(`"7" 1`, "SWAPDB 0 3")
		f(`_ 1`, "MOVE k 5")
		f(`"8" 1`, "SET k 8")
		f(`"89" 1`, "APPEND k 9")
		f(`"90" 1`, "INCR k")
		f(`_ 1`, "GETDEL k")
		f(`-`+resp.ErrWrongType.Str()+` 1`, "HSET k f v")
		f(`"9" 1`, "SET k 9")
		f(`"11" 1`, "MULTI", "SET k 10", "INCR k", "EXEC")
		f(`_ 2`, "SET k 12 EXAT 1") // it is set, and is past its time at once
	})
}

// A key goes at its time with nobody reading it, and its watcher hears.
func TestExpiryIsPushed(t *testing.T) {
	t.Parallel()
	eachShape(t, func(t *testing.T, sh shape) {
		s := startServer(t, sh)
		w, _ := s.watch(way{3, "watch"}, "MGET", "a", "b")
		c := s.client()
		c.want("+OK", "MSET", "a", "1", "b", "2")
		w.wantFrame(`["1", "2"] 1`)
		c.want(":1", "PEXPIRE", "a", "50")
		w.wantFrame(`[_, "2"] 2`)
	})
}

// W05: watched, not watched and watched again on one link, it is told once.
func TestWatchAgain(t *testing.T) {
	t.Parallel()
	s := startServer(t, shape{2, false})
	for _, end := range [][]string{{"UNOBSERVE"}, {"UNWATCH"}} {
		w, first := s.watch(way{3, "watch"}, "GET", "k")
		w.ask(append(end, first.fingerprint)...)
		w.send(request("GET.WATCH", "k"))
		again, err := w.frame()
		if err != nil || again.fingerprint != first.fingerprint {
			t.Errorf("again: %+v, %v", again, err)
		}
		w.send(request("GET.WATCH", "k")) // it begins anew: there is one, not two
		w.wantFrame(again.value + " 0")
		c := s.client()
		c.want("+OK", "SET", "k", end[0])
		w.wantFrame(`"` + end[0] + `" 1`)
		c.want("+OK", "SET", "k", "last")
		w.wantFrame(`"last" 1`)
		w.want(":1", "UNOBSERVE", first.fingerprint, "0123456789abcdef")
		w.want(":0", "UNOBSERVE", first.fingerprint)
		w.want("-ERR no live query has this fingerprint on this link", "UNWATCH", first.fingerprint)
		c.want("+OK", "SET", "k", "unheard")
		w.want("+PONG", "PING")
	}
	s.wantNoWatches()
}

// W07: queries of equal text are told apart.
func TestQueriesOfEqualText(t *testing.T) {
	t.Parallel()
	s := startServer(t, shape{2, false})
	c := s.client()
	c.ask("HELLO", "3")
	c.want("+OK", "MSET", "a b", "1", "c", "2", "a", "3", "b c", "4")
	w := &watcher{client: c, way: way{3, "watch"}}
	c.send(append(request("MGET.WATCH", "a b", "c"), request("MGET.WATCH", "a", "b c")...))
	one, two := w.wantFrame(`["1", "2"] 0`), w.wantFrame(`["3", "4"] 0`)
	if one.fingerprint == two.fingerprint || s.Server.Watches.Len() != 2 {
		t.Errorf("fingerprints %s and %s, %d queries", one.fingerprint, two.fingerprint, s.Server.Watches.Len())
	}
	other := s.client()
	other.want("+OK", "SET", "b c", "5")
	if f := w.wantFrame(`["3", "5"] 1`); f.fingerprint != two.fingerprint {
		t.Errorf("the wrong one is told")
	}
	w.want("+OK", "UNWATCH", one.fingerprint)
	other.want("+OK", "SET", "b c", "6")
	if f := w.wantFrame(`["3", "6"] 1`); f.fingerprint != two.fingerprint {
		t.Errorf("the wrong one is told")
	}
}

// Watching what cannot be watched is refused, in Redis's style, and nothing
// stays of it.
func TestRefusedWatches(t *testing.T) {
	t.Parallel()
	eachShape(t, func(t *testing.T, sh shape) {
		s := startServer(t, sh)
		for proto := 2; proto <= 3; proto++ {
			c := s.client()
			c.ask("HELLO", fmt.Sprint(proto))
			c.want("+OK", "SET", "text", "v")
			f := func(want string, words ...string) {
				t.Helper()
				c.want(want, words...)
				if s.Server.Watches.Len() != 0 {
					t.Errorf("%q leaves a query behind", words)
				}
				c.want(`"v"`, "GET", "text") // the link is no watching one
			}
			f(`-"ERR unknown command 'SET.WATCH', with args beginning with: 'k' 'v' "`, "SET.WATCH", "k", "v")
			f(`-"ERR unknown command 'NO.WATCH', with args beginning with: 'k' "`, "NO.WATCH", "k")
			f(`-"ERR unknown command 'SCAN.WATCH', with args beginning with: '0' "`, "SCAN.WATCH", "0")
			f("-ERR wrong number of arguments for 'get.watch' command", "GET.WATCH")
			f("-ERR wrong number of arguments for 'get.watch' command", "GET.WATCH", "a", "b")
			f("-ERR OBSERVE not supported for 'SET'", "OBSERVE", "SET", "k", "v")
			f(`-"ERR unknown command 'BLPOP.WATCH', with args beginning with: 'k' '0' "`, "BLPOP.WATCH", "k", "0")
			f("-ERR OBSERVE not supported for 'BLPOP'", "OBSERVE", "BLPOP", "k", "0")
			f("-ERR OBSERVE not supported for 'XREAD' with BLOCK", "OBSERVE", "XREAD", "BLOCK", "0", "STREAMS", "k", "0")
			f("-ERR OBSERVE not supported for 'XREAD' with BLOCK", "XREAD.WATCH", "count", "1", "block", "0", "streams", "k", "0")
			f("-ERR OBSERVE not supported for 'XREAD' with BLOCK", "SUBSCRIBE", "__query__:XREAD BLOCK 0 STREAMS k 0")
			f("-ERR invalid resume token", "OBSERVE", "RESUME", "x", "GET", "k")
			f("-ERR wrong number of arguments for 'observe' command", "OBSERVE", "RESUME", "x")
			f("-ERR OBSERVE not supported for 'RANDOMKEY'", "OBSERVE", "RANDOMKEY")
			f("-ERR OBSERVE not supported for 'KEYS'", "OBSERVE", "KEYS", "*")
			f("-ERR OBSERVE not supported for 'PING'", "OBSERVE", "PING")
			f("-ERR wrong number of arguments for 'get' command", "OBSERVE", "GET")
			f("-ERR OBSERVE not supported for 'SET'", "SUBSCRIBE", "__query__:GET k", "__query__:SET k v")
			f("-ERR unbalanced quotes or no command in the channel's name", "SUBSCRIBE", `__query__:GET "k`)
			f(`-ERR a zero byte in the channel's name: it is written "\x00", in quotes`, "SUBSCRIBE", "__query__:GET text\x00s")
			const sort = "-ERR live queries, __query__:NAME args, are told to SUBSCRIBE, not by patterns or shards"
			f(sort, "PSUBSCRIBE", "news.*", "__query__:*")
			f(sort, "SSUBSCRIBE", "__query__:GET k")
			f("-ERR channels whose names begin with __query__: tell the states of live queries", "SPUBLISH", "__query__:GET k", "x")
			f("-WRONGTYPE Operation against a key holding the wrong kind of value", "HGET.WATCH", "text", "f")
			f("-WRONGTYPE Operation against a key holding the wrong kind of value", "OBSERVE", "HGET", "text", "f")
			f("-ERR value is not an integer or out of range", "GETRANGE.WATCH", "text", "1", "x")
			f(`-ERR the query is longer than one that is watched may be (65536 bytes)`, "GET.WATCH", strings.Repeat("x", 70_000))
			c.want("+OK", "MULTI")
			c.want("-ERR Command not allowed inside a transaction", "GET.WATCH", "k")
			c.want("-ERR Command not allowed inside a transaction", "OBSERVE", "GET", "k")
			f("-EXECABORT Transaction discarded because of previous errors.", "EXEC")
		}
		s.wantNoWatches()
	})
}

// To go on from a state that has not been reached yet is refused, the link kept and
// nothing left; a stream that is called as an option is may be watched.
func TestResumeFromTheFuture(t *testing.T) {
	t.Parallel()
	s := startServer(t, shape{2, false}, config.Flag{Name: "watch-linger", Words: []string{"600000"}})
	w, first := s.watch(way{3, "observe"}, "GET", "k")
	at := strings.LastIndexByte(first.token, '.')
	w.want("-ERR the resume token is of a state that has not been reached", "OBSERVE", "RESUME", first.token[:at]+".7", "GET", "k")
	w.want("_", "GET", "k")
	if n := s.Server.Watches.Len(); n != 0 {
		t.Errorf("%d queries are left", n)
	}
	w.want("+OK", "CONFIG", "SET", "watch-linger", "0")
	s.Server.Watches.Tidy()
	s.wantNoWatches()
	w.send(request("OBSERVE", "XREAD", "STREAMS", "block", "0"))
	w.wantFrame("_ 0")
}

// A query by SUBSCRIBE that fails is told its end on the channel.
func TestRefusedOnChannel(t *testing.T) {
	t.Parallel()
	s := startServer(t, shape{2, false})
	c := s.client()
	c.want("+OK", "SET", "text", "v")
	c.want(`["subscribe", "__query__:HGET text f", :1]`, "SUBSCRIBE", "__query__:HGET text f")
	w := &watcher{client: c, way: way{2, "channel"}}
	if f := w.wantFrame("-" + resp.ErrWrongType.Str() + " 0"); f.kind != "end" {
		t.Errorf("it is of the kind %s", f.kind)
	}
	c.want(`"v"`, "GET", "text")
	s.wantNoWatches()
}

// A watching link of RESP2 may say what such links may, and no more; when it
// watches no longer, it is a link like any other.
func TestWatchingLinkOfRESP2(t *testing.T) {
	t.Parallel()
	s := startServer(t, shape{2, false})
	w, first := s.watch(way{2, "watch"}, "GET", "k")
	w.want("-ERR Can't execute 'get': only .WATCH / OBSERVE / SUBSCRIBE / UNWATCH / UNOBSERVE / UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context", "GET", "k")
	w.want(`["pong", ""]`, "PING")
	w.want(`["pong", "hi"]`, "PING", "hi")
	w.send(request("HGET.WATCH", "h", "f"))
	second := w.wantFrame("_ 0")
	w.want(":1", "UNOBSERVE", second.fingerprint)
	w.want("+OK", "UNWATCH", first.fingerprint)
	w.want("_", "GET", "k")
	w.send(request("OBSERVE", "GET", "k"))
	w.wantFrame("_ 0")
	w.want("+RESET", "RESET")
	w.want("+OK", "SET", "k", "v")
	w.want(`"v"`, "GET", "k")
	s.wantNoWatches()
}

// A watch is of the database that was selected when it began.
func TestWatchesKeepTheirDatabase(t *testing.T) {
	t.Parallel()
	s := startServer(t, shape{2, false})
	c := s.client()
	c.ask("HELLO", "3")
	c.want("+OK", "SELECT", "3")
	c.send(request("GET.WATCH", "k"))
	w := &watcher{client: c, way: way{3, "watch"}}
	w.wantFrame("_ 0")
	c.want("+OK", "SELECT", "0")
	c.want("+OK", "SET", "k", "zero")
	other := s.client()
	other.want("+OK", "SELECT", "3")
	other.want("+OK", "SET", "k", "three")
	w.wantFrame(`"three" 1`)
	c.want(`"zero"`, "GET", "k")
}

// Channels are subscribed to and left one by one, or all at once.
func TestChannels(t *testing.T) {
	t.Parallel()
	s := startServer(t, shape{2, false})
	c := s.client()
	w := &watcher{client: c, way: way{2, "channel"}}
	c.send(request("SUBSCRIBE", "__query__:GET a", `__query__:GET "b b"`))
	for i, name := range []string{"__query__:GET a", `__query__:GET "b b"`} {
		if got, want := c.receive(), resp.Format(resp.Array(resp.BulkString("subscribe"), resp.BulkString(name), resp.Int(int64(i+1)))); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	w.wantFrame("_ 0")
	w.wantFrame("_ 0")
	other := s.client()
	other.want("+OK", "SET", "b b", "1")
	w.wantFrame(`"1" 1`)
	c.want(`["unsubscribe", "__query__:GET a", :1]`, "UNSUBSCRIBE", "__query__:GET a")
	c.want(`["unsubscribe", "nothing", :1]`, "UNSUBSCRIBE", "nothing")
	c.want(`["unsubscribe", "__query__:GET \"b b\"", :0]`, "UNSUBSCRIBE")
	c.want(`["unsubscribe", _, :0]`, "UNSUBSCRIBE")
	c.want("+PONG", "PING")
	s.wantNoWatches()
}
