package resp

import (
	"strings"
	"testing"
)

// The answers were taken from redis-server 7.0.15 (PING, and the words of
// "unknown command"); session's tests ask it again with words made at random.
func TestSplitLine(t *testing.T) {
	t.Parallel()
	f := func(line string, want ...string) {
		t.Helper()
		words, ok := SplitLine([]byte(line))
		got := make([]string, len(words))
		for i, w := range words {
			got[i] = string(w)
		}
		if !ok || strings.Join(got, "|") != strings.Join(want, "|") || len(got) != len(want) {
			t.Errorf("%q was split into %q, %v; want %q", line, got, ok, want)
		}
	}
	f(``)
	f(" \t\v\f ")
	f(`PING`, "PING")
	f("  SET\tk  v ", "SET", "k", "v")
	f("a\vb\fc", "a\vb\fc")
	f(`""`, "")
	f(`"" ''`, "", "")
	f(`"\x41\X41\x4g\n\r\t\b\a\q\\\""`, "AX41x4g\n\r\t\b\aq\\\"")
	f(`'it\'s \x41 "'`, `it's \x41 "`)
	f(`\x41`, `\x41`)
	f(`a"b c"`, "ab c")
	f(`a'b c'`, "ab c")
	f("\"a\"\v'b'", "a", "b")
	f("a\x00b", "a")

	bad := func(line string) {
		t.Helper()
		if words, ok := SplitLine([]byte(line)); ok || len(words) > 0 {
			t.Errorf("%q was split into %q", line, words)
		}
	}
	bad(`"`)
	bad(`'`)
	bad(`a "b`)
	bad(`"a"b`)
	bad(`'a'"b"`)
	bad(`"a\"`)
	bad(`"a\`)
	bad("\"a\x00\"")
}

func TestSplitInPlaceAllocatesNothing(t *testing.T) {
	line, args := make([]byte, 0, 64), make([][]byte, 0, 8)
	n := testing.AllocsPerRun(100, func() {
		line = append(line[:0], `SET "a\x41" 'it\'s'`...)
		args, _ = SplitInPlace(args[:0], line)
	})
	if n != 0 || string(args[2]) != "it's" {
		t.Errorf("%v allocations, %q", n, args)
	}
}

func FuzzSplitLine(f *testing.F) {
	f.Add([]byte(`a "b\x00" 'c\'' ""`))
	f.Fuzz(func(t *testing.T, line []byte) {
		words, ok := SplitLine(line)
		if !ok {
			return
		}
		var quoted []byte
		for _, w := range words {
			quoted = append(AppendQuoted(quoted, string(w)), ' ')
		}
		again, ok := SplitLine(quoted)
		if !ok || len(again) != len(words) {
			t.Fatalf("%q, quoted %q, was split into %q", words, quoted, again)
		}
		for i := range words {
			if string(words[i]) != string(again[i]) {
				t.Errorf("%q, quoted %q, was split into %q", words[i], quoted, again[i])
			}
		}
	})
}
