package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/troupedb/troupe/resp"
)

// unit is what happens whole or not at all: a command, a transaction or a
// script, of a writer.
type unit struct {
	seq      int
	commands [][]string // that the model runs
	frames   [][]string // as they are sent; the last one's reply is the unit's
	token    string     // that it puts in the ledger, or ""
	queued   string     // that it puts in a queue, or ""
	batch    int        // that it was sent in
	shards   []int      // that its keys are in
	swaps    bool       // it is about whole databases
	asks     bool       // it is WAITAOF
	free     string     // the key of which only the reply tells what it has become

	sent, answered time.Time // zero: not yet
	reply          resp.Reply
}

// drawer draws units for one writer. Its keys are its own.
type drawer struct {
	rng    *rand.Rand
	writer int
	db     string // "" for a writer that swaps two databases
	seq    int
	ids    int // of entries of streams
}

// The lists that all writers append to, in database 0: the ledger, which a unit
// appends its token to everywhere, and queues.
const (
	ledgerLists = 6
	queueLists  = 3
	ownKeys     = 4 // of each type
)

func ledgerList(i int) string { return fmt.Sprintf("ledger:%d", i) }
func queueList(i int) string  { return fmt.Sprintf("queue:%d", i) }

// key is one of the writer's keys of a type.
func (d *drawer) key(kind string) string {
	return fmt.Sprintf("w%d:%s:%d", d.writer, kind, d.rng.IntN(ownKeys))
}

// otherKey is another one than that.
func (d *drawer) otherKey(kind, not string) string {
	for {
		if key := d.key(kind); key != not {
			return key
		}
	}
}

// value is a text that is like no other. Some are long.
func (d *drawer) value() string {
	text := strconv.Itoa(d.seq)
	switch d.rng.IntN(40) {
	case 0:
		text += strings.Repeat("-"+text, 1+d.rng.IntN(2000))
	case 1, 2, 3:
		text += strings.Repeat("."+text, d.rng.IntN(20))
	}
	return text
}

// small is a name of which there are few.
func (d *drawer) small() string { return "n" + strconv.Itoa(d.rng.IntN(12)) }

// next draws a unit.
func (d *drawer) next() *unit {
	d.seq++
	u := &unit{seq: d.seq}
	switch n := d.rng.IntN(100); {
	case d.db == "":
		d.swapping(u)
	case n < 45:
		d.single(u)
	case n < 48:
		d.lottery(u)
	case n < 50:
		u.asks = true
		u.frames = [][]string{{"WAITAOF", "1", "0", "0"}}
	case n < 52 && d.writer == 1:
		u.commands = [][]string{{"FUNCTION", "LOAD", registerKey, strconv.Itoa(d.seq)}}
		u.frames = [][]string{{"FUNCTION", "LOAD", "REPLACE", registerLibrary(d.seq)}}
	case n < 58:
		u.queued = fmt.Sprintf("%d:%d", d.writer, d.seq)
		d.together(u, [][]string{{"SELECT", "0"}, {"RPUSH", queueList(d.rng.IntN(queueLists)), u.queued}, {"SELECT", d.db}})
	default:
		d.several(u)
	}
	return u
}

// registerLibrary is a library whose function says a number.
func registerLibrary(n int) string {
	return fmt.Sprintf("#!lua name=register\nredis.register_function{function_name='register', callback=function() return '%d' end, flags={'no-writes'}}", n)
}

func (d *drawer) single(u *unit) {
	u.commands = [][]string{d.command()}
	u.frames = u.commands
}

// several draws a transaction or a script of some commands, mostly with a token.
func (d *drawer) several(u *unit) {
	var commands [][]string
	for range d.rng.IntN(5) {
		commands = append(commands, d.command())
	}
	if len(commands) == 0 || d.rng.IntN(3) > 0 {
		u.token = fmt.Sprintf("%d:%d", d.writer, d.seq)
		commands = append(commands, []string{"SELECT", "0"})
		for i := range ledgerLists {
			commands = append(commands, []string{"RPUSH", ledgerList(i), u.token})
		}
		commands = append(commands, []string{"SELECT", d.db})
	}
	if d.rng.IntN(4) == 0 { // the same number everywhere
		for i := range ownKeys {
			commands = append(commands, []string{"SET", fmt.Sprintf("w%d:same:%d", d.writer, i), strconv.Itoa(d.seq)})
		}
	}
	d.together(u, commands)
}

// together has commands happen as one.
func (d *drawer) together(u *unit, commands [][]string) {
	for _, words := range commands {
		if !isShared(words) {
			u.commands = append(u.commands, words)
		}
	}
	switch d.rng.IntN(3) {
	case 0:
		u.frames = [][]string{scripted("EVAL", scriptBody, commands)}
	case 1:
		u.frames = [][]string{scripted("FCALL", "crash_all", commands)}
	default:
		u.frames = append(append([][]string{{"MULTI"}}, commands...), []string{"EXEC"})
	}
}

// isShared tells commands on keys that are not the writer's own.
func isShared(words []string) bool {
	return len(words) > 1 && (strings.HasPrefix(words[1], "ledger:") || strings.HasPrefix(words[1], "queue:"))
}

// scripted has a script run commands: its arguments are how many words each has,
// and these.
func scripted(how, what string, commands [][]string) []string {
	keys := map[string]bool{}
	var args []string
	for _, words := range commands {
		for _, key := range keysOf(words) {
			keys[key] = true
		}
		args = append(append(args, strconv.Itoa(len(words))), words...)
	}
	frame := append([]string{how, what, strconv.Itoa(len(keys))}, slices.Sorted(maps.Keys(keys))...)
	return append(frame, args...)
}

// keysOf are the keys of one of the commands that are drawn.
func keysOf(words []string) (keys []string) {
	for _, word := range words[1:] {
		if strings.HasPrefix(word, "w") && strings.Contains(word, ":") || strings.HasPrefix(word, "ledger:") || strings.HasPrefix(word, "queue:") {
			keys = append(keys, word)
		}
	}
	return keys
}

// scriptBody runs commands. One of seven of its calls ends with an error, which
// takes nothing back.
const scriptBody = `local at = 1
while at <= #ARGV do
  local n = tonumber(ARGV[at])
  local reply = redis.pcall(unpack(ARGV, at + 1, at + n))
  if type(reply) == 'table' and reply.err and string.find(reply.err, 'MISCONF') then return reply end
  at = at + n + 1
end
if #ARGV % 7 == 0 then return redis.error_reply('ERR by chance') end
return 'OK'`

// scriptLibrary has the same as a function.
const scriptLibrary = "#!lua name=crash\nredis.register_function('crash_all', function(KEYS, ARGV)\n" + scriptBody + "\nend)"

// lottery draws a command of which chance or the clock decides the outcome.
func (d *drawer) lottery(u *unit) {
	if d.rng.IntN(2) == 0 {
		u.free = d.key("set")
		u.commands = [][]string{{"SPOP", u.free, strconv.Itoa(1 + d.rng.IntN(3))}}
	} else {
		u.free = d.key("autostream")
		u.commands = [][]string{{"XADD", u.free, "*", "f", d.value()}}
	}
	u.frames = u.commands
}

// swapping draws for the writer that has the databases 8 and 9.
func (d *drawer) swapping(u *unit) {
	db := strconv.Itoa(8 + d.rng.IntN(2))
	commands := [][]string{{"SELECT", db}}
	for range 1 + d.rng.IntN(3) {
		commands = append(commands, d.command())
	}
	switch d.rng.IntN(12) {
	case 0:
		commands = append(commands, []string{"FLUSHDB"})
	case 1, 2:
		commands = append(commands, []string{"SWAPDB", "8", "9"}, d.command())
	}
	u.commands, u.swaps = commands, true
	u.frames = append(append([][]string{{"MULTI"}}, commands...), []string{"EXEC"})
}
