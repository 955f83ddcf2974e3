package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
)

// benchCmd groups the measurements. Each compares this tree's server with redis-server, both started
// fresh on free ports, persistence off, nothing else running if the figures are to be believed.
type benchCmd struct {
	Speed   speedCmd   `cmd:"" default:"withargs" help:"Throughput, CPU per operation and latency, as ratios to redis-server."`
	Memory  memoryCmd  `cmd:"" help:"RSS per key while the table grows, after overwriting, with a TTL; RSS of idle connections."`
	Compact compactCmd `cmd:"" help:"RSS after FLUSHALL and after most of mixed data is deleted, beside a fresh server with the rest."`
	GC      gcCmd      `cmd:"" name:"gc" help:"The cost of a garbage collection and the longest shard turn with many keys."`
	Dice    diceCmd    `cmd:"" help:"Throughput through DiceDB's own library, as ratios to redis-server through go-redis."`
	Watch   watchCmd   `cmd:"" help:"Live queries: frames a second, evaluations, latency, and what watches cost writers."`
	Pubsub  pubsubCmd  `cmd:"" help:"Channels: messages a second to many subscribers, beside redis-server."`
	Embed   embedCmd   `cmd:"" help:"Troupe as a library beside badger and pebble: puts and gets, with allocations."`
	Tier    tierCmd    `cmd:"" help:"Values on disk: gets at random beside Pebble alone, and of hot keys."`
	Cache   cacheCmd   `cmd:"" help:"A cache that is full: hit ratios beside redis-server and ristretto, and what it costs writers."`
	TLS     tlsCmd     `cmd:"" name:"tls" help:"Throughput and CPU per operation over TLS, as ratios to redis-server's own TLS."`
	Metrics metricsCmd `cmd:"" help:"What metrics cost that are asked for every second."`
	Persist persistCmd `cmd:"" help:"Snapshots, starts from them and from the log, and what they cost writers."`
}

// contest says which servers are measured.
type contest struct {
	Server     string `help:"A prebuilt server instead of this tree's ./cmd/troupe." placeholder:"PATH" type:"path"`
	ServerArgs string `help:"More arguments for the server, separated by spaces." placeholder:"ARGS"`
	JSON       bool   `name:"json" help:"Print JSON instead of a table."`
}

// enter builds what must be built, in a folder that leave removes, and gives the two programs.
func (c *contest) enter(ctx context.Context) (troupe, redis program, leave func(), err error) {
	dir, err := os.MkdirTemp("", "troupe-build-")
	if err != nil {
		return troupe, redis, nil, err
	}
	leave = func() { _ = os.RemoveAll(dir) }
	troupe, err = troupeProgram(ctx, dir, c.Server, strings.Fields(c.ServerArgs))
	if err == nil {
		redis, err = redisProgram()
	}
	if err != nil {
		leave()
	}
	return troupe, redis, leave, err
}

// machine is a line on where the figures come from, asked for before anything is measured.
func machine() string {
	version, err := exec.Command("redis-server", "--version").Output()
	if err != nil {
		version = []byte("unknown version")
	}
	redis := strings.TrimSpace(string(version))
	for word := range strings.FieldsSeq(redis) {
		if number, found := strings.CutPrefix(word, "v="); found {
			redis = number
		}
	}
	return fmt.Sprintf("%d CPUs, %s/%s, %s; redis-server %s; both without persistence; load average at the start %s.",
		runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version(), redis, loadAverage())
}

// loadAverage is that of the last minute: above zero at the start, others took part in the measurement.
func loadAverage() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	minute, _, _ := strings.Cut(string(text), " ")
	return minute
}

// verdict words whether a figure keeps its bar.
func verdict(kept bool) string {
	if kept {
		return "ok"
	}
	return "miss"
}
