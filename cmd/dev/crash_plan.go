package main

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"
)

// crashPlan is what happens in a round.
type crashPlan struct {
	shards    int
	policy    string
	mixed     bool // the policy changes meanwhile
	settings  []string
	starts    []crashStart // that are killed before the server serves, or soon after
	failpoint string       // where the round ends; "" at a random moment
	delay     time.Duration
	rest      bool // at the end everybody is waited for: everything is answered
	flush     bool // and then everything is flushed
}

// crashStart is a start that comes to nothing.
type crashStart struct {
	failpoint string        // where it is killed
	delay     time.Duration // or when, without one
}

// loadPoints and workPoints are where the server is killed: an operation, before
// which it happens ("half" is within a write), a part of the file's name, and up
// to how many such there may be.
var loadPoints = []failpoint{
	{"open", "", 4}, {"read", "", 8}, {"readdir", "", 3}, {"create", "journal-", 2}, {"write", "journal-", 3}, {"half", "journal-", 3},
	{"sync", "journal-", 3}, {"create", "manifest", 3}, {"write", "manifest", 3}, {"half", "manifest", 3}, {"sync", "manifest", 3},
	{"rename", "manifest", 3}, {"syncdir", "", 5}, {"create", "aside", 1}, {"write", "aside", 1}, {"half", "aside", 1}, {"sync", "aside", 1},
	{"truncate", "", 1}, {"remove", "", 3}, {"close", "", 5}, {"lock", "", 1}, {"append", "", 1}, {"rename", "aside", 1},
}

var workPoints = []failpoint{
	{"write", "journal-", 300}, {"half", "journal-", 300}, {"sync", "journal-", 100}, {"create", "journal-", 6}, {"half", "journal-", 20},
	{"create", "manifest", 8}, {"write", "manifest", 8}, {"half", "manifest", 8}, {"sync", "manifest", 8}, {"rename", "manifest", 8},
	{"syncdir", "", 20}, {"create", "snapshot", 3}, {"write", "snapshot", 12}, {"half", "snapshot", 12}, {"sync", "snapshot", 3},
	{"rename", "snapshot", 3}, {"remove", "journal-", 5}, {"remove", "snapshot", 2}, {"close", "journal-", 5},
	{"rename", "dump.rdb", 2}, {"write", "dump.rdb", 6}, {"sync", "dump.rdb", 2}, {"truncate", "journal-", 2},
}

type failpoint struct {
	what, name string
	most       int
}

func drawFailpoint(rng *rand.Rand, from []failpoint) string {
	p := from[rng.IntN(len(from))]
	name := p.name
	if name == "" {
		name = "/" // every path
	}
	return fmt.Sprintf("%s %s %d", p.what, name, 1+rng.IntN(p.most))
}

// drawPlan draws a round. policy is the one asked for, or ""; most rounds work no
// longer than that.
func drawPlan(rng *rand.Rand, policy string, work time.Duration) *crashPlan {
	p := &crashPlan{shards: []int{1, 2, 3, 4, 8, 16}[rng.IntN(6)], policy: policy, rest: rng.IntN(5) == 0}
	p.flush = p.rest && rng.IntN(3) == 0
	if policy == "" {
		p.policy = []string{"always", "always", "everysec", "no"}[rng.IntN(4)]
		p.mixed = rng.IntN(4) == 0
	}
	for range []int{0, 0, 0, 0, 1, 1, 2}[rng.IntN(7)] {
		start := crashStart{delay: time.Duration(rng.IntN(60)) * time.Millisecond}
		if rng.IntN(3) > 0 {
			start = crashStart{failpoint: drawFailpoint(rng, loadPoints)}
		}
		p.starts = append(p.starts, start)
	}
	if rng.IntN(2) == 0 {
		p.failpoint = drawFailpoint(rng, workPoints)
	}
	p.delay = 20*time.Millisecond + time.Duration(rng.Int64N(int64(work)))
	if rng.IntN(20) == 0 {
		p.delay += 1500 * time.Millisecond
	}
	p.settings = []string{
		"--shards", strconv.Itoa(p.shards), "--appendonly", "yes", "--appendfsync", p.policy,
		"--journal-segment-size", []string{"64kb", "256kb", "64mb"}[rng.IntN(3)],
		"--auto-aof-rewrite-min-size", []string{"100kb", "1mb", "64mb"}[rng.IntN(3)],
	}
	if rng.IntN(4) == 0 {
		p.settings = append(p.settings, "--save", "1 10")
	}
	return p
}
