package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/troupedb/troupe/resp/redistest"
)

// Other people's programs: queues, locks, sessions, limiters and client
// libraries for Node and Go, each of a version pinned by a lock file, driven by
// programs of ours in testdata/node and testdata/goclients. Each prints what
// came of its work, and that is the same with redis-server and with Troupe,
// where others watch its keys meanwhile. What is expected stands beside the
// program; -update rewrites it with what redis-server makes of it.

// program is one of them.
type program struct {
	name    string
	watched []string // queries about what it keeps
}

var nodePrograms = []program{
	{"ioredis", []string{"ZRANGE board 0 -1 WITHSCORES", "LLEN jobs", "GET entered", "HGETALL h", "XLEN stream", "GET lock"}},
	{"noderedis", []string{
		"GET resp3:cached", "HGETALL resp3:h", "ZRANGE resp2:z 0 -1 WITHSCORES", "LRANGE resp3:l 0 -1", "XRANGE resp2:stream - +",
		"SCARD resp3:scanned:s", "GET resp2:script", "MGET resp2:multi resp3:multi resp3:sum",
	}},
	{"bullmq", []string{
		"ZCARD bull:plain:completed", "XLEN bull:plain:events", "HGETALL bull:delayed:far", "ZRANGE bull:retries:failed 0 -1", "LRANGE bull:parts:active 0 -1",
		"HMGET bull:whole:whole returnvalue name", "SMEMBERS bull:stalled:stalled", "EXISTS bull:stalled:job:lock", "ZRANGE bull:delayed:delayed 0 -1 WITHSCORES",
	}},
	{"redlock", []string{"GET lock:number", "GET number", "MGET lock:a lock:b", "GET lock:short", "EXISTS lock:work"}},
	{"sessions", []string{"GET session:ann", "GET session:eve", "EXISTS short:fay", "EXISTS many:s0 many:s1 many:s249", "MGET session:ann session:bob"}},
	{"ratelimit", []string{"GET points:ann", "GET together:all", "MGET steady:k burst:k lists:other lists:good", "GET short:k", "GET block:k"}},
	{"socketio", []string{"XLEN socket.io", "XREVRANGE socket.io + - COUNT 1", "EXISTS socket.io:2"}},
}

var goPrograms = []program{
	{"rueidis", []string{
		"HGETALL rueidis3:cached", "GET rueidis3:count", "STRLEN rueidis2:text", "GET rueidis3:script2", "GET rueidis2:watched", "XRANGE rueidis3:stream - +",
		"MGET broadcast:a1 broadcast:b1 elsewhere", "ZRANGE rueidis2:z 0 -1 WITHSCORES",
	}},
	{"asynq", []string{
		"SMEMBERS asynq:queues", "LLEN asynq:{plain}:pending", "ZCARD asynq:{plain}:completed", "HGET asynq:{plain}:t:id-7 state", "ZRANGE asynq:{retries}:archived 0 -1",
		"MGET asynq:{plain}:processed asynq:{retries}:failed", "ZRANGE asynq:{delayed}:scheduled 0 -1", "EXISTS asynq:{inspected}:paused",
	}},
	{"redsync", []string{
		"GET redsync:number", "GET redsync:lock", "GET redsync:short", "GET redislock:number", "EXISTS redislock:owned", "GET rueidislock:number", "GET rueidislock:0:work",
	}},
}

// programShapes are those that Troupe has under these programs: its keys on one
// shard and on many, its links served in both ways.
var programShapes = []shape{{1, false}, {3, false}, {16, true}}

func TestNodePrograms(t *testing.T) {
	t.Parallel()
	node, npm := redistest.Program(t, "node"), redistest.Program(t, "npm")
	sources, dir := filepath.Join(testdata, "node"), t.TempDir()
	if err := os.CopyFS(dir, sourcesOnly{os.DirFS(sources)}); err != nil {
		t.Fatal(err)
	}
	install := exec.CommandContext(t.Context(), npm, "ci", "--no-audit", "--no-fund", "--ignore-scripts", "--omit=optional", "--prefer-offline")
	install.Dir = dir
	if out, err := install.CombinedOutput(); err != nil {
		redistest.Lack(t, "npm does not install what testdata/node wants: %v: %s", err, out)
	}
	for _, p := range nodePrograms {
		p.run(t, filepath.Join(sources, p.name+".json"), node, filepath.Join(dir, p.name+".js"))
	}
}

// sourcesOnly leaves out what npm has put beside the sources.
type sourcesOnly struct{ fs.FS }

func (f sourcesOnly) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(f.FS, name)
	return slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return e.Name() == "node_modules" }), err
}

func TestGoPrograms(t *testing.T) {
	t.Parallel()
	sources := filepath.Join(testdata, "goclients")
	k := &sdk{name: "goclients"}
	k.build(t, t.TempDir())
	for _, p := range goPrograms {
		p.run(t, filepath.Join(sources, p.name+".json"), k.path, p.name)
	}
}

// run runs the program, whose command line wants a port and a time at its end,
// against redis-server and Troupe; expected names the file of what it prints.
func (p program) run(t *testing.T, expected string, command ...string) {
	t.Run(p.name, func(t *testing.T) {
		t.Parallel()
		if *update {
			outcome := p.outcome(t, redistest.Start(t).Port(), command)
			if err := os.WriteFile(expected, legible(t, outcome), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		text, err := os.ReadFile(expected)
		if err != nil {
			t.Fatal(err)
		}
		want := steps(t, text)
		t.Run("redis-server", func(t *testing.T) {
			t.Parallel()
			compare(t, p.outcome(t, redistest.Start(t).Port(), command), want)
		})
		for _, sh := range programShapes {
			t.Run(sh.String(), func(t *testing.T) {
				t.Parallel()
				s := startServer(t, sh)
				_, port, _ := net.SplitHostPort(s.addr)
				spectators := s.spectate(p.watched)
				compare(t, p.outcome(t, port, command), want)
				pushes := 0
				for _, w := range spectators {
					pushes += w.wantLast()
				}
				if pushes == 0 {
					t.Error("those who watched were told of nothing")
				}
			})
		}
	})
}

// outcome runs the program and returns what it made of its steps.
func (p program) outcome(t *testing.T, port string, command []string) map[string]string {
	t.Helper()
	words := append(slices.Clone(command[1:]), port, strconv.FormatInt(patience.Milliseconds(), 10))
	run := exec.CommandContext(t.Context(), command[0], words...)
	var complaints bytes.Buffer
	run.Stderr = &complaints
	out, err := run.Output()
	if err != nil || complaints.Len() > 0 {
		t.Fatalf("%s: %v\n%s%s", p.name, err, complaints.Bytes(), out)
	}
	return steps(t, out)
}

// steps takes an outcome apart.
func steps(t *testing.T, outcome []byte) map[string]string {
	t.Helper()
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(outcome, &raw); err != nil {
		t.Fatalf("%v: %s", err, outcome)
	}
	all := map[string]string{}
	for name, value := range raw {
		var b bytes.Buffer
		if err := json.Compact(&b, value); err != nil {
			t.Fatal(err)
		}
		all[name] = b.String()
	}
	return all
}

func compare(t *testing.T, got, want map[string]string) {
	t.Helper()
	for name, value := range want {
		if got[name] != value {
			t.Errorf("%s: the outcome is\n%s\nwant\n%s", name, got[name], value)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d steps have an outcome, want %d", len(got), len(want))
	}
}

// legible writes an outcome with a line for each part of a step.
func legible(t *testing.T, outcome map[string]string) []byte {
	t.Helper()
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(outcome)) {
		var parts []json.RawMessage
		if err := json.Unmarshal([]byte(outcome[name]), &parts); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var texts []string
		for _, part := range parts {
			texts = append(texts, "\n    "+string(part))
		}
		lines = append(lines, fmt.Sprintf("  %q: [%s\n  ]", name, strings.Join(texts, ",")))
	}
	return []byte("{\n" + strings.Join(lines, ",\n") + "\n}\n")
}
