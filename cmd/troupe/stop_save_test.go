package main_test

import (
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A server that is to save when it stops, and cannot, goes on, whoever asks.
func TestStopNeedsTheFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := start(t, nil, "--port", freePort(t), "--dir", dir, "--appendonly", "no", "--save", "3600", "1", "--dbfilename", "in-the-way")
	c := s.dial()
	c.ask("SET", "a", "1")
	blocker := filepath.Join(dir, "in-the-way")
	if err := os.MkdirAll(filepath.Join(blocker, "x"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	s.await("not stopped")
	const refused = "-ERR Errors trying to SHUTDOWN. Check logs."
	if got := c.ask("SHUTDOWN"); got != refused {
		t.Errorf("SHUTDOWN is answered %s", got)
	}
	if got := c.ask("SHUTDOWN", "SAVE"); got != refused {
		t.Errorf("SHUTDOWN SAVE is answered %s", got)
	}
	if err := os.RemoveAll(blocker); err != nil {
		t.Fatal(err)
	}
	c.send("SHUTDOWN")
	if code := s.exit(); code != 0 {
		t.Errorf("exit code %d\n%s", code, s.logged())
	}
	again := start(t, nil, "--port", freePort(t), "--dir", dir, "--appendonly", "no", "--dbfilename", "in-the-way")
	if got := again.dial().ask("STRLEN", "a"); got != ":1" {
		t.Errorf("the key is %s bytes long", got)
	}
}

// What a client does after BGSAVE was answered is not in the file.
func TestBackgroundSaveIsOfBefore(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := start(t, nil, "--port", freePort(t), "--dir", dir, "--enable-debug-command", "local")
	c := s.dial()
	c.ask("DEBUG", "POPULATE", "20000")
	for range 5 {
		if got := c.ask("BGSAVE"); !strings.HasPrefix(got, "+Background saving") {
			t.Fatal(got)
		}
		c.ask("SET", "after", "1")
		for strings.Contains(infoOf(c, "persistence"), "rdb_bgsave_in_progress:1") {
		}
		file, err := os.ReadFile(filepath.Join(dir, "dump.rdb"))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(file), "after") {
			t.Error("what was set after the answer is in the file")
		}
		c.ask("DEL", "after")
	}
}

// infoOf is a section of INFO.
func infoOf(c *client, section string) string {
	c.t.Helper()
	size, err := strconv.Atoi(strings.TrimPrefix(c.ask("INFO", section), "$"))
	if err != nil {
		c.t.Fatal(err)
	}
	text := make([]byte, size+len("\r\n"))
	if _, err := io.ReadFull(c.in, text); err != nil {
		c.t.Fatal(err)
	}
	return string(text)
}

// Of a script that the stop of the server ends, nothing is kept.
func TestStoppedScriptLeavesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := start(t, nil, "--port", freePort(t), "--dir", dir, "--busy-reply-threshold", "50")
	s.dial().send("EVAL", "redis.call('SET', KEYS[1], 1) redis.call('INCR', KEYS[2]) while true do end", "2", "half", "done")
	c := s.dial()
	for deadline := time.Now().Add(time.Minute); !strings.HasPrefix(c.ask("PING"), "-BUSY"); {
		if time.Now().After(deadline) {
			t.Fatal("the script is not busy")
		}
	}
	s.stop()
	again := start(t, nil, "--port", freePort(t), "--dir", dir)
	if got := again.dial().ask("EXISTS", "half", "done"); got != ":0" {
		t.Errorf("%s keys are there\n%s", got, s.logged())
	}
}
