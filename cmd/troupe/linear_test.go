package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/troupedb/troupe/resp"
)

// What many clients see at once must be what they would see if each command,
// transaction and optimistic lock took place at one moment between its request
// and its reply. A checker searches for such an order in what was seen.

const (
	linearClients = 16
	linearAsks    = 10 // of each client in a round: what is seen is checked in no time even if all overlaps
	linearGroups  = 3  // of keys; an operation stays in one
	linearKeys    = 3  // in a group, mostly on different shards

	checkMost = 10 * time.Second // that the checker may search for an order
)

func TestLinearizable(t *testing.T) {
	t.Parallel()
	checkLinear(t, drawCommand, linearState.run)
}

// checkLinear lets clients draw commands, and demands that run explains what
// they have seen.
func checkLinear(t *testing.T, draw drawer, run runner) {
	seed, model := drawSeed(t), linearModel(run)
	eachShape(t, func(t *testing.T, sh shape) {
		s := startServer(t, sh)
		asked := 0
		for round, begin := uint64(0), time.Now(); time.Since(begin) < time.Second; round++ {
			history := s.converse(seed+round, draw)
			asked += len(history)
			switch porcupine.CheckOperationsTimeout(model, history, checkMost) {
			case porcupine.Illegal:
				t.Fatalf("round %d: no order explains\n%s", round, describeHistory(history))
			case porcupine.Unknown:
				t.Logf("round %d: undecided after %v", round, checkMost)
			}
		}
		t.Logf("%d operations", asked)
	})
}

// drawer draws a command on keys of a group; mark is a value that no other has.
type drawer func(rng *rand.Rand, group int, mark string) []string

// runner does what the server should.
type runner func(data linearState, argv []string) resp.Reply

// The checker would notice: what could not have been is refused.
func TestLinearModel(t *testing.T) {
	t.Parallel()
	f := wantLinear(t, linearState.run)
	f(porcupine.Ok, "SET k a -> +OK", `GET k -> "a"`, "DEL k j -> :1", "GET k -> _")
	f(porcupine.Illegal, "SET k a -> +OK", "GET k -> _")
	f(porcupine.Ok, "MSET k a j b -> +OK", "RENAME k j -> +OK", `MGET k j -> [_, "a"]`, "MSETNX k x j y -> :0", "COPY j k REPLACE -> :1", `GET k -> "a"`)
	f(porcupine.Illegal, "MSET k a j b -> +OK", "RENAME k j -> +OK", `MGET k j -> ["a", "a"]`)
	f(porcupine.Ok, "INCR n -> :1", "APPEND n + -> :2", "INCR n -> -ERR value is not an integer or out of range")
	f(porcupine.Illegal, "INCR n -> :1", "INCR n -> :1")
}

// wantLinear makes a check of what was seen one after the other.
func wantLinear(t *testing.T, run runner) func(want porcupine.CheckResult, seen ...string) {
	return func(want porcupine.CheckResult, seen ...string) {
		t.Helper()
		var history []porcupine.Operation
		for i, line := range seen {
			command, reply, _ := strings.Cut(line, " -> ")
			history = append(history, porcupine.Operation{
				ClientId: i, Call: int64(2 * i), Return: int64(2*i + 1),
				Input: operation{commands: [][]string{strings.Fields(command)}}, Output: outcome{replies: reply},
			})
		}
		if got := porcupine.CheckOperationsTimeout(linearModel(run), history, patience); got != want {
			t.Errorf("%q is %s, want %s", seen, got, want)
		}
	}
}

// operation is what a client asks: a command, a transaction of several, or
// with lock a WATCH of the key, a GET of it, and a transaction.
type operation struct {
	group    int
	lock     string
	commands [][]string
}

// outcome is what it is answered.
type outcome struct {
	read    string // what lock read
	refused bool   // EXEC did nothing
	replies string
}

// converse lets the clients talk at once, over an empty keyspace.
func (s *server) converse(seed uint64, draw drawer) (history []porcupine.Operation) {
	s.client().want("+OK", "FLUSHALL")
	var mu sync.Mutex
	var all sync.WaitGroup
	start := time.Now()
	for id := range linearClients {
		c := s.client()
		rng := rand.New(rand.NewPCG(seed, uint64(id)))
		all.Go(func() {
			for i := range linearAsks {
				op := drawOperation(rng, draw, fmt.Sprintf("%d.%d", id, i))
				call := time.Since(start)
				out := c.perform(op)
				done := time.Since(start)
				mu.Lock()
				history = append(history, porcupine.Operation{ClientId: id, Input: op, Call: int64(call), Output: out, Return: int64(done)})
				mu.Unlock()
			}
			c.conn.Close()
		})
	}
	all.Wait()
	return history
}

func drawKey(rng *rand.Rand, group int) string {
	return fmt.Sprintf("g%dk%d", group, rng.IntN(linearKeys))
}

func drawOperation(rng *rand.Rand, draw drawer, mark string) operation {
	op := operation{group: rng.IntN(linearGroups)}
	n := 1
	switch rng.IntN(6) {
	case 0:
		n = 2 + rng.IntN(3)
	case 1:
		op.lock = drawKey(rng, op.group)
	}
	for range n {
		op.commands = append(op.commands, draw(rng, op.group, mark))
	}
	return op
}

func drawCommand(rng *rand.Rand, group int, mark string) []string {
	key := func() string { return drawKey(rng, group) }
	switch rng.IntN(12) {
	case 0, 1:
		return []string{"SET", key(), mark}
	case 2:
		return []string{"APPEND", key(), "+"}
	case 3:
		return []string{"INCR", key()}
	case 4:
		return []string{"DEL", key(), key()}
	case 5:
		return []string{"MSET", key(), mark + "a", key(), mark + "b", key(), mark + "c"}
	case 6:
		return []string{"MSETNX", key(), mark + "a", key(), mark + "b"}
	case 7:
		return []string{"RENAME", key(), key()}
	case 8:
		return []string{"GETSET", key(), mark}
	case 9:
		return []string{"COPY", key(), key(), "REPLACE"}
	case 10:
		return []string{"MGET", key(), key(), key()}
	}
	return []string{"GET", key()}
}

// perform asks over the socket.
func (c *client) perform(op operation) (out outcome) {
	if op.lock == "" && len(op.commands) == 1 {
		out.replies = c.ask(op.commands[0]...)
		return out
	}
	if op.lock != "" {
		c.ask("WATCH", op.lock)
		out.read = c.ask("GET", op.lock)
	}
	stream := request("MULTI")
	for _, argv := range op.commands {
		stream = append(stream, request(argv...)...)
	}
	c.send(append(stream, request("EXEC")...))
	for range len(op.commands) + 1 {
		c.receive()
	}
	out.replies = c.receive()
	out.refused = out.replies == "*-1"
	return out
}

func linearModel(run runner) porcupine.Model {
	return porcupine.Model{
		Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
			groups := make([][]porcupine.Operation, linearGroups)
			for _, op := range history {
				g := op.Input.(operation).group
				groups[g] = append(groups[g], op)
			}
			return groups
		},
		Init: func() any { return "" },
		Step: func(state, input, output any) (bool, any) {
			return stepModel(run, state.(string), input.(operation), output.(outcome))
		},
		DescribeOperation: describeOperation,
	}
}

// stepModel says whether an operation may have had the outcome in a state, and
// what the state is then. A state is the keys and values, as "k=v;…".
func stepModel(run runner, state string, op operation, out outcome) (bool, string) {
	if out.refused {
		return op.lock != "", state // what WATCH promises is no more than that
	}
	data := readState(state)
	if op.lock != "" && data.get(op.lock) != out.read {
		return false, state
	}
	var replies []resp.Reply
	for _, argv := range op.commands {
		replies = append(replies, run(data, argv))
	}
	got := replies[0]
	if op.lock != "" || len(op.commands) > 1 {
		got = resp.Array(replies...)
	}
	if resp.Format(got) != out.replies {
		return false, state
	}
	return true, data.String()
}

type linearState map[string]string

func readState(s string) linearState {
	data := linearState{}
	for _, pair := range strings.Split(s, ";") {
		if key, value, found := strings.Cut(pair, "="); found {
			data[key] = value
		}
	}
	return data
}

func (d linearState) String() string {
	var pairs []string
	for _, key := range slices.Sorted(maps.Keys(d)) {
		pairs = append(pairs, key+"="+d[key])
	}
	return strings.Join(pairs, ";")
}

func (d linearState) get(key string) string { return resp.Format(d.value(key)) }

func (d linearState) value(key string) resp.Reply {
	if value, found := d[key]; found {
		return resp.BulkString(value)
	}
	return resp.Nil
}

// run does what the server should.
func (d linearState) run(argv []string) resp.Reply {
	key := argv[1]
	before := d.value(key)
	switch argv[0] {
	case "SET":
		d[key] = argv[2]
		return resp.OK
	case "GETSET":
		d[key] = argv[2]
		return before
	case "APPEND":
		d[key] += argv[2]
		return resp.Int(int64(len(d[key])))
	case "INCR":
		return d.incr(key)
	case "DEL":
		return d.del(argv[1:])
	case "MSET", "MSETNX":
		return d.mset(argv)
	case "RENAME":
		if before.IsNull() {
			return resp.ErrNoSuchKey
		}
		delete(d, key)
		d[argv[2]] = before.Str()
		return resp.OK
	case "COPY":
		return d.copy(key, argv[2])
	case "MGET":
		var values []resp.Reply
		for _, key := range argv[1:] {
			values = append(values, d.value(key))
		}
		return resp.Array(values...)
	}
	return before
}

func (d linearState) incr(key string) resp.Reply {
	before, found := d[key]
	if !found {
		before = "0"
	}
	n, err := strconv.ParseInt(before, 10, 64)
	if err != nil {
		return resp.ErrNotInteger
	}
	d[key] = strconv.FormatInt(n+1, 10)
	return resp.Int(n + 1)
}

func (d linearState) del(keys []string) resp.Reply {
	before := len(d)
	for _, key := range keys {
		delete(d, key)
	}
	return resp.Int(int64(before - len(d)))
}

func (d linearState) mset(argv []string) resp.Reply {
	for i := 1; i < len(argv); i += 2 {
		if _, found := d[argv[i]]; found && argv[0] == "MSETNX" {
			return resp.Zero
		}
	}
	for i := 1; i < len(argv); i += 2 {
		d[argv[i]] = argv[i+1]
	}
	if argv[0] == "MSETNX" {
		return resp.One
	}
	return resp.OK
}

func (d linearState) copy(from, to string) resp.Reply {
	value, found := d[from]
	switch {
	case from == to:
		return resp.ErrSameObject
	case !found:
		return resp.Zero
	}
	d[to] = value
	return resp.One
}

// describeHistory lists what was seen, in the order of the requests.
func describeHistory(history []porcupine.Operation) string {
	slices.SortFunc(history, func(a, b porcupine.Operation) int { return int(a.Call - b.Call) })
	var b strings.Builder
	for _, op := range history {
		fmt.Fprintf(&b, "%9d–%-9d %2d  %s\n", op.Call, op.Return, op.ClientId, describeOperation(op.Input, op.Output))
	}
	return b.String()
}

func describeOperation(input, output any) string { return fmt.Sprintf("%v -> %v", input, output) }
