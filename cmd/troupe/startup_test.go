package main_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// What a server does with a data directory that is not as it was written: what a
// crash explains is cut off, set aside and reported; everything else keeps it
// from starting, and nothing is changed.

// files are those of a directory.
type files map[string]string

func filesOf(t *testing.T, dir string) files {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := files{}
	for _, e := range entries {
		if e.Name() == "lock" || e.IsDir() {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if errors.Is(err, os.ErrNotExist) { // a server is at work
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		all[e.Name()] = string(text)
	}
	return all
}

// put makes a directory of the files, with some of them changed; of a text that is
// gone there is no file.
func (f files) put(t *testing.T, changed files) (dir string) {
	t.Helper()
	dir = t.TempDir()
	all := files{}
	for _, part := range []files{f, changed} {
		for name, text := range part {
			all[name] = text
		}
	}
	for name, text := range all {
		if text == gone {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const gone = "\x00gone"

// name is that of the last file that begins so.
func (f files) name(prefix string) (last string) {
	for name := range f {
		if strings.HasPrefix(name, prefix) && !strings.HasSuffix(name, ".aside") {
			last = max(last, name)
		}
	}
	return last
}

// onDir starts a server on a directory.
func onDir(t *testing.T, dir string) *started {
	t.Helper()
	return start(t, nil, "--port", freePort(t), "--dir", dir, "--appendfsync", "always")
}

// written is a data directory with a snapshot and records after it, as kill -9
// leaves it: keys 0 to 9 in the snapshot, 10 to 19 in records.
func written(t *testing.T) files {
	t.Helper()
	dir := t.TempDir()
	s := onDir(t, dir)
	c := s.dial()
	for i := range 20 {
		if i == 10 {
			c.ask("BGREWRITEAOF")
			eventually(t, func() error {
				if names := filesOf(t, dir); names.name("snapshot-") == "" || len(names) > 3 {
					return fmt.Errorf("no snapshot")
				}
				return nil
			})
		}
		c.ask("SET", fmt.Sprint("key:", i), strings.Repeat(fmt.Sprint(i), 30))
	}
	s.signal(syscall.SIGKILL)
	s.exit()
	return filesOf(t, dir)
}

func TestCutTails(t *testing.T) {
	t.Parallel()
	all := written(t)
	journal := all.name("journal-")
	whole := all[journal]
	f := func(what, text string, keys string, aside int) {
		t.Helper()
		dir := all.put(t, files{journal: text})
		s := onDir(t, dir)
		c := s.dial()
		if got := c.ask("DBSIZE"); got != keys {
			t.Errorf("%s: %s keys, want %s", what, got, keys)
		}
		if said := strings.Contains(s.logged(), "the journal's end was not whole"); said != (aside > 0) {
			t.Errorf("%s: the log says\n%s", what, s.logged())
		}
		c.ask("SET", "more", "v")
		s.signal(syscall.SIGKILL)
		s.exit()
		var size int
		for name, text := range filesOf(t, dir) {
			if strings.HasSuffix(name, ".aside") {
				size += len(text)
			}
		}
		if size != aside {
			t.Errorf("%s: %d bytes are set aside, want %d", what, size, aside)
		}
		again := onDir(t, dir)
		if got := again.dial().ask("GET", "more"); got != "$1" {
			t.Errorf("%s: what was written since is gone: %s", what, got)
		}
		again.stop()
	}
	f("whole", whole, ":20", 0)
	f("torn", whole[:len(whole)-1], ":19", len(lastRecord(whole))-1)
	f("zeroed", whole+strings.Repeat("\x00", 5000), ":20", 5000)
	f("garbage", whole+strings.Repeat("garbage ", 100), ":20", 800)
	f("half zeroed", whole[:len(whole)-20]+strings.Repeat("\x00", 20), ":19", len(lastRecord(whole)))
}

// lastRecord is the last one of a segment, whose records here are all of one size:
// see package journal for the form.
func lastRecord(segment string) string {
	const head, recordHead = 72, 28
	at := head
	for {
		size := recordHead + int(binary.LittleEndian.Uint32([]byte(segment[at+4:])))
		if at+size >= len(segment) {
			return segment[at:]
		}
		at += size
	}
}

// refused starts a server that must not start, and returns the one line that says
// why. Nothing may have changed.
func refused(t *testing.T, dir string) string {
	t.Helper()
	before := filesOf(t, dir)
	s := launch(t, exec.Command(program(t), "--port", freePort(t), "--dir", dir), nil)
	if code := s.exit(); code != 1 {
		t.Errorf("exit code %d:\n%s", code, s.logged())
	}
	var lines []string
	for line := range strings.Lines(s.logged()) {
		if strings.Contains(line, "[ERROR]") {
			lines = append(lines, line)
		}
	}
	if after := filesOf(t, dir); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("the directory was changed, and the log says %s", lines)
	}
	if len(lines) != 1 {
		t.Fatalf("not one line:\n%s", s.logged())
	}
	return lines[0]
}

// check runs `troupe check`.
func check(t *testing.T, args ...string) (out string, code int) {
	t.Helper()
	cmd := exec.Command(program(t), append([]string{"check"}, args...)...)
	text, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return string(text), cmd.ProcessState.ExitCode()
}

// withSum is a manifest's text with the checksum that belongs to it.
func withSum(body string) string {
	return fmt.Sprintf("%scrc32c %08x\n", body, crc32.Checksum([]byte(body), crc32.MakeTable(crc32.Castagnoli)))
}

// flip is a text with a bit turned.
func flip(text string, at int) string {
	b := []byte(text)
	b[at] ^= 4
	return string(b)
}

func TestDamageRefusesToStart(t *testing.T) {
	t.Parallel()
	all, other := written(t), written(t)
	journal, snapshot := all.name("journal-"), all.name("snapshot-")
	manifest := all["manifest"]
	body := manifest[:strings.LastIndex(manifest, "crc32c")]
	const repaired, newer, lost = 1, 2, 3 // what repair can do
	f := func(what string, changed files, want string, repair int, keys string) {
		t.Helper()
		dir := all.put(t, changed)
		line := refused(t, dir)
		words := []string{dir, want}
		if repair != newer {
			words = append(words, "troupe check "+dir+" --repair")
		}
		for _, word := range words {
			if !strings.Contains(line, word) {
				t.Errorf("%s: %q is missing in %s", what, word, line)
			}
		}
		if out, code := check(t, dir); code != 1 || !strings.Contains(out, "damage: "+dir) {
			t.Errorf("%s: check ends with %d:\n%s", what, code, out)
		}
		out, code := check(t, dir, "--repair")
		if repair == newer {
			if code != 1 || !strings.Contains(out, "newer program") {
				t.Errorf("%s: repair ends with %d:\n%s", what, code, out)
			}
			return
		}
		if code != 0 {
			t.Fatalf("%s: repair ends with %d:\n%s", what, code, out)
		}
		if !strings.Contains(out, "repaired: a server starts with what is left; ") || !strings.Contains(out, " were given up\n") {
			t.Errorf("%s: repair does not say what was given up:\n%s", what, out)
		}
		if out, code := check(t, dir); code != 0 || !strings.Contains(out, "all is well") {
			t.Errorf("%s: after repair, check ends with %d:\n%s", what, code, out)
		}
		s := onDir(t, dir)
		if got := s.dial().ask("DBSIZE"); got != keys {
			t.Errorf("%s: after repair there are %s keys, want %s; %s", what, got, keys, out)
		}
		s.stop()
	}
	first := 72 + 28 + 10
	f("a record", files{journal: flip(all[journal], first)}, journal+" at offset 72: record", repaired, ":10")
	f("the manifest is missing", files{"manifest": gone}, "manifest: the manifest is missing", repaired, ":20")
	f("the manifest is wrong", files{"manifest": flip(manifest, 30)}, "manifest: the manifest has a wrong checksum", repaired, ":20")
	f("the manifest is nonsense", files{"manifest": "nonsense"}, "manifest: the manifest is not a manifest", repaired, ":20")
	f("the snapshot is missing", files{snapshot: gone}, snapshot+": the file is missing", lost, ":0")
	f("the snapshot is too short", files{snapshot: all[snapshot][:100]}, snapshot+" at offset 100", lost, ":0")
	f("the snapshot's sum", files{snapshot: flip(all[snapshot], len(all[snapshot])-4)}, snapshot+": the snapshot has a wrong checksum", lost, ":0")
	f("the snapshot inside", files{snapshot: flip(all[snapshot], len(all[snapshot])/2)}, snapshot, lost, ":0")
	f("the segment is missing", files{journal: gone}, journal+": the file is missing", repaired, ":10")
	f("the segment's head", files{journal: flip(all[journal], 20)}, journal+" at offset 0", repaired, ":10")
	f("another directory's segment", files{journal: other[other.name("journal-")]}, journal+" at offset 0", repaired, ":10")
	f("a segment too many", files{"journal-000077.log": all[journal]}, "journal-000077.log", repaired, ":20")
	f("a newer manifest", files{"manifest": withSum("troupe manifest 2\n" + body[strings.Index(body, "\n")+1:])}, "a program that knows this format is needed", newer, "")
	f("a newer segment", files{journal: newerHead(all[journal])}, "a program that knows this format is needed", newer, "")
}

// newerHead is a segment of a format of the future.
func newerHead(segment string) string {
	b := []byte(segment)
	b[8] = 9
	binary.LittleEndian.PutUint32(b[68:], crc32.Checksum(b[:68], crc32.MakeTable(crc32.Castagnoli)))
	return string(b)
}

// What redis-server has left and can't be read keeps a server from starting, as
// nothing may be lost in silence.
func TestForeignDamageRefusesToStart(t *testing.T) {
	t.Parallel()
	set := "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$1\r\nv\r\n"
	f := func(want string, here files, args ...string) {
		t.Helper()
		dir := here.put(t, nil)
		s := launch(t, exec.Command(program(t), append([]string{"--port", freePort(t), "--dir", dir}, args...)...), nil)
		if code := s.exit(); code != 1 || !strings.Contains(s.logged(), want) {
			t.Errorf("exit code %d, %q is missing in\n%s", code, want, s.logged())
		}
		if after := filesOf(t, dir); fmt.Sprint(after) != fmt.Sprint(here) {
			t.Errorf("%v are left", slices.Collect(func(yield func(string) bool) {
				for name := range after {
					yield(name)
				}
			}))
		}
	}
	f("appendonly.aof at offset 27 (whole up to 27)", files{"appendonly.aof": set + "nonsense"})
	f("its end was not written whole; to read what is whole: --aof-load-truncated yes", files{"appendonly.aof": set + set[:9]}, "--aof-load-truncated", "no")
	f("/dump.rdb: it is neither an RDB file", files{"dump.rdb": "nonsense"}, "--appendonly", "no")
	f("dump.rdb at offset 18", files{"dump.rdb": "REDIS0010\xff12345678"})
	dir := files{}.put(t, nil)
	if err := os.MkdirAll(filepath.Join(dir, "appendonlydir"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "appendonlydir", "appendonly.aof.1.incr.aof"), []byte(set), 0o600); err != nil {
		t.Fatal(err)
	}
	if line := refused(t, dir); !strings.Contains(line, "appendonlydir/appendonly.aof.manifest: the file is missing") {
		t.Error(line)
	}
}
