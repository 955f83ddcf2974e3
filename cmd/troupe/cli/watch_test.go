package cli

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/troupedb/troupe/resp"
)

// notated reads a reply in the notation of transcripts.
func notated(t *testing.T, text string) resp.Reply {
	t.Helper()
	r, err := resp.Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return r
}

func TestMarks(t *testing.T) {
	t.Parallel()
	f := func(before, after string, want ...string) {
		t.Helper()
		old := resp.Nothing
		if before != "" {
			old = notated(t, before)
		}
		var got []string
		for _, r := range mark(old, notated(t, after)) {
			got = append(got, string(r.sign)+r.text)
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("from %s to %s:\n%s\nwant\n%s", before, after, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	f("", `"v"`, ` "v"`)
	f(`"v"`, `"v"`, ` "v"`)
	f(`"v"`, `_`, `~(nil)`)
	f("", `["a"]`, ` 1) "a"`)
	f(`["a", "b"]`, `["a", "c", "b"]`, ` 1) "a"`, `+2) "c"`, ` 3) "b"`)
	f(`["a", "b"]`, `["b"]`, ` 1) "b"`, `-1) "a"`)
	f(`["a", "b"]`, `[]`, `~(empty array)`)
	f(`["a", "b", "c", "d"]`, `["d", "a", "b", "c"]`, `^1) "d"`, ` 2) "a"`, ` 3) "b"`, ` 4) "c"`)
	f(`["a", "b", "c", "d"]`, `["b", "c", "d", "a"]`, ` 1) "b"`, ` 2) "c"`, ` 3) "d"`, `v4) "a"`)
	f(`["a", "a"]`, `["a", "a", "a"]`, ` 1) "a"`, ` 2) "a"`, `+3) "a"`)
	f(`[["a", ,1], ["b", ,2]]`, `[["a", ,1], ["b", ,3], ["c", ,4]]`, ` 1) "a"  1`, `~2) "b"  3`, `+3) "c"  4`)
	f(`[["a", ,1], ["b", ,2], ["c", ,3]]`, `[["c", ,0], ["a", ,1], ["b", ,2]]`, `^1) "c"  0`, ` 2) "a"  1`, ` 3) "b"  2`)
	f(`%{"a": "1", "b": "2"}`, `%{"a": "1", "b": "3", "c": "4"}`, ` 1# "a" => "1"`, `~2# "b" => "3"`, `+3# "c" => "4"`)
	f(`%{"a": "1", "b": "2"}`, `%{"b": "2"}`, ` 1# "b" => "2"`, `-1# "a" => "1"`)
	f(`~["a", "b"]`, `~["b", "c"]`, ` 1~ "b"`, `+2~ "c"`, `-1~ "a"`)
	f(`["a"]`, `-WRONGTYPE no`, `~(error) WRONGTYPE no`)
}

func TestDeltas(t *testing.T) {
	t.Parallel()
	f := func(before, delta, want string, pairs bool) {
		t.Helper()
		if got := applyDelta(notated(t, before), notated(t, delta), pairs); !resp.Equal(got, notated(t, want)) {
			t.Errorf("%s and %s is %s, want %s", before, delta, resp.Format(got), want)
		}
	}
	f(`%{"a": "1", "b": "2"}`, `%{"set": %{"b": "3", "c": "4"}, "removed": ["a"]}`, `%{"b": "3", "c": "4"}`, false)
	f(`["a", "1", "b", "2"]`, `["set", ["b", "3", "c", "4"], "removed", ["a"]]`, `["b", "3", "c", "4"]`, false)
	f(`~["a", "b"]`, `%{"added": ["c"], "removed": ["a"]}`, `~["b", "c"]`, false)
	f(`["a", "b", "c"]`, `%{"removed": [:1]}`, `["a", "c"]`, false)
	f(`["a", "b", "c"]`, `%{"moved": [:2, :0]}`, `["c", "a", "b"]`, false)
	f(`["a", "b", "c"]`, `%{"removed": [:0], "moved": [:2, :0], "added": [:2, "d"]}`, `["c", "b", "d"]`, false)
	f(`[["a", ,1]]`, `%{"added": [:0, ["b", ,0]]}`, `[["b", ,0], ["a", ,1]]`, false)
	f(`["a", "1", "b", "2"]`, `["moved", [:1, :0], "added", [:2, ["c", "3"]]]`, `["b", "2", "a", "1", "c", "3"]`, true)
	f(`["a"]`, `%{"removed": [:7], "moved": [:5, :9]}`, `[]`, false) // of another state: no panic
}

func TestFramesAreResumed(t *testing.T) {
	t.Parallel()
	f := func(line, resumed, query string) {
		t.Helper()
		words, _ := splitLine(line)
		if got := quoted(resuming(words, "T")); got != resumed {
			t.Errorf("%s goes on as %s, want %s", line, got, resumed)
		}
		if got := quoted(queryOf(words)); got != query {
			t.Errorf("%s watches %s, want %s", line, got, query)
		}
	}
	f("get.watch k", "OBSERVE RESUME T get k", "get k")
	f("Object.WATCH encoding \"a b\"", `OBSERVE RESUME T Object encoding "a b"`, `Object encoding "a b"`)
	f("observe delta MAXRATE 10 lrange l 0 -1", "OBSERVE RESUME T delta MAXRATE 10 lrange l 0 -1", "lrange l 0 -1")
	f("OBSERVE RESUME old EVERY GET resume", "OBSERVE RESUME T EVERY GET resume", "GET resume")
}

func TestPictureFitsAndCannotSteerTheTerminal(t *testing.T) {
	t.Parallel()
	now := time.Unix(0, 0)
	s := &screen{query: "GET.WATCH k", size: func() (int, int) { return 60, 8 }, now: func() time.Time { return now }}
	picture := func(state resp.Reply) string {
		s.take(frame{version: 1, covered: 30, kind: "state"}, state)
		return string(s.picture())
	}
	first := picture(resp.VerbatimText("txt", "a\x1b[2Jb\n"+strings.Repeat("x", 100)))
	if strings.Contains(first, "\x1b[2Jb") || !strings.Contains(first, "a?[2Jb") || !strings.Contains(first, "xxx…") {
		t.Errorf("drawn is %q", first)
	}
	now = now.Add(time.Second)
	second := picture(resp.Array(resp.One, resp.One, resp.One, resp.One, resp.One, resp.One))
	if !strings.HasPrefix(second, "\x1b[4A\r") || !strings.Contains(second, "… 2 more lines") || !strings.Contains(second, "rate 6.0/s") {
		t.Errorf("drawn is %q", second)
	}
	if strings.Contains(second, "\x1b[3") {
		t.Errorf("there are colours in %q", second)
	}
	s.colours, now = true, now.Add(2*meterSpan)
	third := picture(resp.Array(resp.One))
	if !strings.Contains(third, "\x1b[31m- 2)") || !strings.Contains(third, "rate 3.0/s") {
		t.Errorf("drawn is %q", third)
	}
}

// Whatever changes, the signs account for it: less what is gone, with what is
// new, the elements before are those after.
func TestMarksAccountForEveryElement(t *testing.T) {
	t.Parallel()
	seed := *seedFlag
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("-seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	draw := func() (all []member) {
		for range random.IntN(9) {
			all = append(all, member{fmt.Sprint(random.IntN(6)), ""})
		}
		return all
	}
	for range 2000 {
		before, after := draw(), draw()
		signs := make([]byte, len(after))
		lost := compare(before, after, signs)
		fresh := strings.Count(string(signs), string(byte(isNew)))
		if len(before)-len(lost)+fresh != len(after) {
			t.Fatalf("%v, %v: %d gone, %d new", before, after, len(lost), fresh)
		}
	}
}
