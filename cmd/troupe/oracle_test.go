package main

import (
	"fmt"
	"net"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/troupedb/troupe/resp/redistest"
	"github.com/troupedb/troupe/resp/transcript"
)

// The transcripts are played to a real redis-server too, in both protocols.
// What it answers otherwise is in testdata/differences.txt, and nothing else
// is: a difference that is not listed fails, and one that has gone as well.

// sleepMax is how far a transcript may move the clock to be played to
// redis-server, whose clock is real.
const sleepMax = time.Second

func TestOracle(t *testing.T) {
	t.Parallel()
	known, err := transcript.ReadKnown(filepath.Join(testdata, "differences.txt"))
	if err != nil {
		t.Fatal(err)
	}
	expected := map[string]bool{}
	for _, k := range known {
		expected[k.Transcript+" "+k.Step] = false
	}
	common := redistest.Start(t)
	for _, script := range transcripts(t) {
		if !redisCanPlay(t, script) {
			t.Logf("not for redis-server: %s", script.Name)
			continue
		}
		for _, proto := range protocols(script) {
			for _, d := range ask(t, common, script, proto, expected) {
				place := script.Name + " " + d.Step.String()
				if _, listed := expected[place]; !listed {
					t.Errorf("%s:%d: %s\nredis-server in RESP%d:\n%s", script.Name, d.Step.Line, d.Step, proto, d.Text)
				}
				expected[place] = true
			}
		}
	}
	for place, seen := range expected {
		if !seen {
			t.Errorf("listed as a difference, but redis-server does the same: %s", place)
		}
	}
}

// asksMost is how often a transcript is played to redis-server before a
// difference counts: its clock is real, and a machine that is busy lets a time
// to live run.
const asksMost = 3

// ask plays a transcript to redis-server, again if the differences are not those
// that are expected.
func ask(t *testing.T, common *redistest.Server, script *transcript.Transcript, proto int, expected map[string]bool) (found []transcript.Difference) {
	t.Helper()
	for range asksMost {
		found = askRedis(t, common, script, proto)
		if !slices.ContainsFunc(found, func(d transcript.Difference) bool {
			_, listed := expected[script.Name+" "+d.Step.String()]
			return !listed
		}) {
			break
		}
	}
	return found
}

// redisCanPlay reports whether a transcript needs neither our own commands nor
// a clock that moves far.
func redisCanPlay(t *testing.T, script *transcript.Transcript) bool {
	t.Helper()
	for _, step := range script.Steps {
		if step.Verb == transcript.Own {
			return false
		}
		if step.Verb != transcript.Advance {
			continue
		}
		d, err := time.ParseDuration(step.Text)
		if err != nil {
			t.Fatalf("%s:%d: %v", script.Name, step.Line, err)
		}
		if d > sleepMax {
			return false
		}
	}
	return true
}

// askRedis plays a transcript to a redis-server that is empty: the common one,
// or one of its own if it asks for settings.
func askRedis(t *testing.T, common *redistest.Server, script *transcript.Transcript, proto int) []transcript.Difference {
	t.Helper()
	redis := common
	if settings := script.Settings(); len(settings) > 0 {
		var args []string
		for _, s := range settings {
			args = append(args, "--"+s[0], s[1])
		}
		redis = redistest.Start(t, args...)
	} else {
		redis.Exchange([]byte("FLUSHALL\r\nCONFIG RESETSTAT\r\nCLIENT UNPAUSE\r\nDEBUG SET-ACTIVE-EXPIRE 1\r\n"))
	}
	player := &transcript.Player{
		Proto: proto, Patience: 10 * time.Second,
		Dial: func() (net.Conn, error) { return redis.Dial(), nil },
		Advance: func(d time.Duration) error {
			redis.Exchange(fmt.Appendf(nil, "DEBUG SLEEP %f\r\n", d.Seconds()))
			return nil
		},
	}
	result, err := player.Play(script)
	if err != nil {
		t.Errorf("redis-server in RESP%d: %v", proto, err)
	}
	return result.Differences
}
