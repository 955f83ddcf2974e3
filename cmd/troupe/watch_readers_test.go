package main

import (
	"crypto/sha1"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/transcript"
	"github.com/troupedb/troupe/session"
)

// Every command that can be watched is watched, in its own examples: the first state is
// what the command answers, and when all data go, and come back, what it answers then is
// told, if that is another.
func TestEveryReaderIsWatched(t *testing.T) {
	t.Parallel()
	for _, row := range startServer(t, shape{shards: 2}).Server.Catalogue.List() {
		if row.Watchable() {
			t.Run(row.Name, func(t *testing.T) {
				t.Parallel()
				script, err := transcript.Parse(row.Name, row.Examples)
				if err != nil {
					t.Fatal(err)
				}
				s := startServer(t, shape{shards: 4})
				r := &reader{c: s.client(), other: s.client(), row: row}
				r.c.ask("HELLO", "3")
				r.other.ask("HELLO", "3")
				for _, step := range script.Steps {
					r.step(step.Text)
				}
				for _, line := range moreLines[row.Name] {
					r.step(line)
				}
				if r.watched == 0 || r.pushed == 0 && !isCountdown(row.Name) {
					t.Errorf("%d states were read, %d pushed", r.watched, r.pushed)
				}
				r.c.conn.Close()
				s.stop()
			})
		}
	}
}

// reader is a client that watches what it asks.
type reader struct {
	c, other *client
	row      *session.Command
	watched  int
	pushed   int
}

func (r *reader) step(line string) {
	r.c.tb.Helper()
	words := splitWords(line)
	if !isCallOf(r.row.Name, line) {
		r.c.ask(words...)
		return
	}
	plain := r.c.ask(words...)
	live := slices.Clone(words)
	live[0] += session.WatchSuffix
	for _, ask := range [][]string{append([]string{"OBSERVE"}, words...), live} {
		if strings.HasPrefix(plain, "-") {
			if got := r.c.ask(ask...); !strings.HasPrefix(got, "-") {
				r.c.tb.Errorf("%q is answered %s, and %q %s", words, plain, ask, got)
			}
			continue
		}
		r.watch(ask, words, plain)
	}
}

// watch watches, and compares the states.
func (r *reader) watch(ask, words []string, plain string) {
	r.c.tb.Helper()
	r.c.send(request(ask...))
	reply, err := r.c.next()
	if err != nil {
		r.c.tb.Fatal(err)
	}
	f, ok := readFrame(reply)
	if !ok || f.value != plain && !isCountdown(r.row.Name) {
		r.c.tb.Errorf("%q is answered %s, want %s", ask, resp.Format(reply), plain)
		return
	}
	r.watched++
	for i := 0; i < 2 && !isCountdown(r.row.Name); i++ {
		r.other.want("+OK", "SWAPDB", "0", "7")
		before := plain
		if plain = r.other.ask(words...); plain == before {
			continue
		}
		r.pushed++
		if reply, err = r.c.next(); err != nil {
			r.c.tb.Fatal(err)
		}
		if next, ok := readFrame(reply); !ok || next.value != plain || next.fingerprint != f.fingerprint {
			r.c.tb.Errorf("%q is told %s, want %s", ask, resp.Format(reply), plain)
		}
	}
	r.c.want(":1", "UNOBSERVE", f.fingerprint)
}

// moreLines are for commands whose examples answer the same whatever the data are.
var moreLines = map[string][]string{
	"MEMORY|USAGE": {"SET k v", "MEMORY USAGE k"},
	"EVAL_RO":      {"SET k v", `EVAL_RO "return redis.call('GET', KEYS[1])" 1 k`},
	"EVALSHA_RO": {"SET k v", `SCRIPT LOAD "return redis.call('GET', KEYS[1])"`,
		fmt.Sprintf("EVALSHA_RO %x 1 k", sha1.Sum([]byte("return redis.call('GET', KEYS[1])")))},
	"FCALL_RO": {"SET k v", `FUNCTION LOAD "#!lua name=more\nredis.register_function{function_name='more', ` +
		`callback=function(k) return redis.call('GET', k[1]) end, flags={'no-writes'}}"`, "FCALL_RO more 1 k"},
}

// isCountdown reports whether a command's answer is another a moment later.
func isCountdown(name string) bool { return name == "PTTL" || name == "HPTTL" }

func splitWords(line string) (words []string) {
	split, _ := resp.SplitLine([]byte(line))
	for _, word := range split {
		words = append(words, string(word))
	}
	return words
}
