package main

import (
	"flag"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/troupedb/troupe/actors/config"
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp/transcript"
)

// Each transcript of testdata is played in RESP2 and RESP3, with 1, 2 and 16
// shards, over event loops without a journal and over goroutines with one, to a
// fresh server each time: none of this may make a difference. (Versions do: those
// of a server with a journal begin with its epoch.)

var update = flag.Bool("update", false, "rewrite the transcripts in testdata with what the server answers")

// testdata is seen from the package's folder.
const testdata = "../../testdata"

// quiet is how long a transcript that is rewritten waits for a reply where it
// wants none.
const quiet = 150 * time.Millisecond

func TestTranscripts(t *testing.T) {
	t.Parallel()
	for _, script := range transcripts(t) {
		t.Run(script.Name, func(t *testing.T) {
			t.Parallel()
			if *update {
				rewrite(t, script)
				return
			}
			for _, sh := range shapes() {
				for _, proto := range protocols(script) {
					playOn(t, script, sh, proto)
				}
			}
		})
	}
}

// transcripts are those of testdata, named by their path in it.
func transcripts(tb testing.TB) (all []*transcript.Transcript) {
	tb.Helper()
	err := filepath.WalkDir(testdata, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Dir(path) == testdata || filepath.Ext(path) != ".txt" {
			return err
		}
		script, err := transcript.ReadFile(path)
		if err == nil {
			script.Name = filepath.ToSlash(strings.TrimPrefix(path, testdata+string(filepath.Separator)))
			all = append(all, script)
		}
		return err
	})
	if err != nil {
		tb.Fatal(err)
	}
	if len(all) == 0 {
		tb.Fatal("there are no transcripts")
	}
	return all
}

// protocols are those in which a transcript is played.
func protocols(script *transcript.Transcript) []int {
	if script.Has(transcript.Wire) {
		return []int{2}
	}
	return []int{2, 3}
}

// playOn plays a transcript on a server of its own, and reports the
// differences. Those of one shape are enough.
func playOn(t *testing.T, script *transcript.Transcript, sh shape, proto int) {
	t.Helper()
	result, err := play(t, script, sh, &transcript.Player{Proto: proto})
	for _, d := range result.Differences {
		t.Errorf("%s:%d: %s\nin RESP%d, %s:\n%s", script.Name, d.Step.Line, d.Step, proto, sh, d.Text)
	}
	if err != nil {
		t.Errorf("in RESP%d, %s: %v", proto, sh, err)
	}
	if t.Failed() {
		t.FailNow()
	}
}

// play starts a server, plays the transcript, and ends the server.
func play(t *testing.T, script *transcript.Transcript, sh shape, player *transcript.Player) (*transcript.Result, error) {
	t.Helper()
	plain := func(s *server) dialer {
		return func(string) (net.Conn, error) { return net.Dial("tcp", s.addr) }
	}
	return playing{script, plain}.play(t, sh, player)
}

// playing is a transcript, and the links that it is played over.
type playing struct {
	script *transcript.Transcript
	by     func(*server) dialer
}

func (p playing) play(t *testing.T, sh shape, player *transcript.Player) (*transcript.Result, error) {
	t.Helper()
	script := p.script
	var settings []config.Flag
	for _, setting := range script.Settings() {
		settings = append(settings, config.Flag{Name: setting[0], Words: strings.Fields(setting[1])})
	}
	if sh.goroutines && !strings.Contains(script.Format(), "version") {
		settings = append(settings, config.Flag{Name: "appendonly", Words: []string{"yes"}})
	}
	s := startServer(t, sh, settings...)
	defer s.stop() // many are started in one test
	dial := p.by(s)
	player.Dial = func() (net.Conn, error) { return dial(s.addr) }
	player.Patience = patience
	clock := &heldClock{node: s.Node, at: time.Now()}
	player.Before, player.Advance = clock.hold, clock.advance
	result, err := player.Play(script)
	if err == nil {
		s.wantNobody()
	}
	return result, err
}

// heldClock lets a server's clock stand still from one step of a transcript to
// the next, so that a machine that is busy does not use up times to live.
type heldClock struct {
	node *keyspace.Node
	at   time.Time
	held int64 // milliseconds since it was advanced
}

func (c *heldClock) hold() {
	passed := time.Since(c.at).Milliseconds()
	c.at = c.at.Add(time.Duration(passed) * time.Millisecond)
	c.held += passed
	c.node.Advance(-passed)
}

// advance moves the clock on from the latest time that the server can have
// seen.
func (c *heldClock) advance(d time.Duration) error {
	c.node.Advance(d.Milliseconds() + c.held)
	c.held = 0
	return nil
}

// rewrite makes a transcript want what the server answers.
func rewrite(t *testing.T, script *transcript.Transcript) {
	t.Helper()
	var results [2]*transcript.Result
	for i, proto := range []int{3, 2} {
		var err error
		if results[i], err = play(t, script, shape{shards: 1}, &transcript.Player{Proto: proto, Quiet: quiet}); err != nil {
			t.Fatal(err)
		}
	}
	if script.Has(transcript.Wire) {
		results[1] = nil
	}
	script.Record(results[0], results[1])
	path := filepath.Join(testdata, filepath.FromSlash(script.Name))
	if err := os.WriteFile(path, []byte(script.Format()), 0o644); err != nil {
		t.Fatal(err)
	}
}
