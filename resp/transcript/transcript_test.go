package transcript

import (
	"strings"
	"testing"

	"github.com/troupedb/troupe/resp"
)

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	f := func(text string) {
		t.Helper()
		script, err := Parse("x", text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			return
		}
		if got := script.Format(); got != text {
			t.Errorf("%q comes out as %q", text, got)
		}
	}
	f("")
	f("# Only this.\n")
	f("> PING\n+PONG\n")
	f("# A comment,\n#\n# and another.\n\n> GET k\n_\n\n# The end.\n")
	f("1> GET k\n_\n2> GET k\n*-1\n10> GET k\n#t\n")
	f("> HGETALL h\n%{\"f\": \"v\"}\nresp2 [\"f\", \"v\"]\n> PING\n+PONG\n")
	f("! config requirepass a b\n! wire\n! own\n! advance 11s\n! raw \"PING\\n\"\n+PONG\n+PONG\n2! close\n! closed\n")
	f("> TIME\n[*, *us]\n> ECHO $us\n*\n> CLIENT LIST\n*=txt:\"id=* name=*\"\n> X\n*\"a * b\"\n> Y\n*+\"* [0 *]\"\n")
	f("> X\n[[*, \"*\"], *-1, +*, -* x]\n")
	f("> X\n-ERR a * b \"quoted\"\n> X\n+*\n")
	f("> X\n%{\"a\": *, *: :1}\n> X\n~[*, ,1.5]\n> X\n>[*, (12]\n")
	f("> X\n\"\\\"[*\"\n> X\n[\n  \"" + strings.Repeat("long", 20) + "\",\n  *,\n]\n")
}

func TestParseMistakes(t *testing.T) {
	t.Parallel()
	f := func(text, want string) {
		t.Helper()
		_, err := Parse("x.txt", text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	f("PING\n", "x.txt:1: neither a command nor a directive")
	f("> PING\n+PONG\n\n! nonsense\n", "x.txt:4: unknown directive: nonsense")
	f("> PING\n[\n", "x.txt:1: ")
	f("> PING\nresp2 _\n", "without one of RESP3")
	f("0> PING\n", "neither a command")
}

func TestSettings(t *testing.T) {
	t.Parallel()
	script, err := Parse("x", "! config requirepass a b\n! config databases 4\n> PING\n+PONG\n")
	if err != nil {
		t.Fatal(err)
	}
	got := script.Settings()
	if len(got) != 2 || got[0] != [2]string{"requirepass", "a b"} || got[1] != [2]string{"databases", "4"} {
		t.Errorf("got %q", got)
	}
}

// parse reads one wanted reply.
func parse(t *testing.T, s string) resp.Reply {
	t.Helper()
	wants, err := parseWants(strings.Split(s, "\n"))
	if err != nil || len(wants) != 1 {
		t.Fatalf("%s: %v", s, err)
	}
	return wants[0].Reply
}

func TestMatches(t *testing.T) {
	t.Parallel()
	f := func(want, got string, matches bool) {
		t.Helper()
		if is := (names{}).matches(parse(t, want), parse(t, got)); is != matches {
			t.Errorf("%s matches %s: %v, want %v", want, got, is, matches)
		}
	}
	f(`"a"`, `"a"`, true)
	f(`"a"`, `"b"`, false)
	f(`"1"`, `:1`, false)
	f(`*`, `[:1, "a"]`, true)
	f(`[*, :2]`, `[:1, :2]`, true)
	f(`[*, :2]`, `[:1, :3]`, false)
	f(`[*]`, `[:1, :2]`, false)
	f(`[]`, `~[]`, false)
	f(`_`, `*-1`, false)
	f(`%{"a": *}`, `%{"a": [:1]}`, true)
	f(`*"a*c"`, `"abc"`, true)
	f(`*"a*c"`, `"abcd"`, false)
	f(`*"a*c*"`, `"xabc"`, false)
	f(`*"a*b*b"`, `"ab"`, false)
	f(`*"**"`, `""`, true)
	f(`*"abc"`, `"abc"`, true)
	f(`*"a*"`, `=txt:"abc"`, false)
	f(`*=txt:"a*"`, `=txt:"abc"`, true)
	f(`*+"a*"`, `+abc`, true)
	f(`*+"a*"`, `"abc"`, false)
}

func TestNames(t *testing.T) {
	t.Parallel()
	kept := names{}
	if !kept.matches(parse(t, "[*id, *name, *]"), parse(t, `[:12, "me", :3]`)) || kept["id"] != "12" || kept["name"] != "me" || len(kept) != 2 {
		t.Errorf("kept %v", kept)
	}
}

func TestAdopt(t *testing.T) {
	t.Parallel()
	f := func(want, got, result string) {
		t.Helper()
		if is := unmarkVarying(resp.Format(adopt(parse(t, want), parse(t, got)))); is != result {
			t.Errorf("%s with %s becomes %s, want %s", want, got, is, result)
		}
	}
	f(`"a"`, `"b"`, `"b"`)
	f(`*`, `"b"`, `*`)
	f(`[*id, :1]`, `[:5, :2]`, `[*id, :2]`)
	f(`[*, :1]`, `[:5]`, `[:5]`)
	f(`%{"a": *, "b": :1}`, `%{"a": :7, "b": :2}`, `%{"a": *, "b": :2}`)
	f(`*"a*"`, `"abc"`, `*"a*"`)
	f(`*"a*"`, `"xyz"`, `"xyz"`)
}

func TestSort(t *testing.T) {
	t.Parallel()
	f := func(s sorting, r, want string) {
		t.Helper()
		if got := resp.Format(s.apply(parse(t, r))); got != want {
			t.Errorf("%s is sorted as %s, want %s", r, got, want)
		}
	}
	f(sorting{}, `["b", "a"]`, `["b", "a"]`)
	f(sorting{on: true}, `["b", "a", "c"]`, `["a", "b", "c"]`)
	f(sorting{on: true}, `~["b", "a"]`, `~["a", "b"]`)
	f(sorting{on: true}, `%{"b": "1", "a": "2"}`, `%{"a": "2", "b": "1"}`)
	f(sorting{on: true, pairs: true}, `["b", "1", "a", "2"]`, `["a", "2", "b", "1"]`)
	f(sorting{on: true}, `[["b", "a"], "7"]`, `["7", ["a", "b"]]`)
	f(sorting{on: true, pairs: true}, `["0", ["b", "1", "a", "2"]]`, `["0", ["a", "2", "b", "1"]]`)
	f(sorting{on: true}, `"a"`, `"a"`)
}

func TestRecord(t *testing.T) {
	t.Parallel()
	f := func(text, got3, got2, want string) {
		t.Helper()
		script, err := Parse("x", text)
		if err != nil {
			t.Fatal(err)
		}
		script.Record(&Result{Got: [][]resp.Reply{{parse(t, got3)}}}, &Result{Got: [][]resp.Reply{{parse(t, got2)}}})
		if got := script.Format(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	f("> X\n", `"v"`, `"v"`, "> X\n\"v\"\n")
	f("> X\n", `%{"f": ,1.5}`, `["f", "1.5"]`, "> X\n%{\"f\": ,1.5}\n")
	f("> X\n", `_`, `*-1`, "> X\n*-1\n")
	f("> X\n", `[_, _]`, `[_, *-1]`, "> X\n[_, *-1]\n")
	f("> X\n", `[["a", "1"]]`, `["a", "1"]`, "> X\n[[\"a\", \"1\"]]\nresp2 [\"a\", \"1\"]\n")
	f("> X\n[*, :1]\n", `[:7, :2]`, `[:8, :2]`, "> X\n[*, :2]\n")
	f("> X\n[[*]]\nresp2 [*]\n", `[["a"]]`, `["b"]`, "> X\n[[*]]\nresp2 [*]\n")
}
