package resp

import (
	"flag"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

var seedFlag = flag.Uint64("seed", uint64(time.Now().UnixNano()), "the seed of the random tests")

func TestFormat(t *testing.T) {
	t.Parallel()
	f := func(r Reply, want string) {
		t.Helper()
		if got := Format(r); got != want {
			t.Errorf("written %s\nwant    %s", got, want)
		}
		if back, err := Parse(want); err != nil || !Equal(back, r) {
			t.Errorf("%s was read as %s, %v", want, Format(back), err)
		}
	}
	f(Nothing, ``)
	f(OK, `+OK`)
	f(Simple(""), `+`)
	f(Simple("Background saving started"), `+Background saving started`)
	f(Simple(`"x`), `+"\"x"`)
	f(Simple(" x"), `+" x"`)
	f(Error("ERR unknown command 'a', with args"), `-ERR unknown command 'a', with args`)
	f(Error("ERR got '\xff'"), `-"ERR got '\xff'"`)
	f(Int(-7), `:-7`)
	f(Nil, `_`)
	f(NilArray, `*-1`)
	f(Empty, `""`)
	f(BulkString("a\r\n\x00\"\\é\t\a\b"), `"a\r\n\x00\"\\\xc3\xa9\t\a\b"`)
	f(Double(1.5), `,1.5`)
	f(Double(math.Inf(-1)), `,-inf`)
	f(Double(math.NaN()), `,nan`)
	f(Double(math.Copysign(0, -1)), `,-0`)
	f(Bool(true), `#t`)
	f(Bool(false), `#f`)
	f(Big("-123456789012345678901"), `(-123456789012345678901`)
	f(VerbatimText("txt", "a\nb"), `=txt:"a\nb"`)
	f(EmptyList, `[]`)
	f(Map(), `%{}`)
	f(Array(BulkString("a"), One, Nil, NilArray, Double(2), OK), `["a", :1, _, *-1, ,2, +OK]`)
	f(Array(Simple("a b"), Simple("a,b"), Simple(""), Error("ERR a]b")), `[+a b, +"a,b", +"", -"ERR a]b"]`)
	f(Array(Nothing), `[none]`)
	f(Set(Strings("a"), Strings()), `~[["a"], []]`)
	f(Push(BulkString("message"), BulkString("ch")), `>["message", "ch"]`)
	f(Map(BulkString("k"), BulkString("v"), Double(1), Map(OK, One)), `%{"k": "v", ,1: %{+OK: :1}}`)
}

// What RESP2 sees flat is written as RESP3 has it, also within another array.
func TestFormatTwos(t *testing.T) {
	t.Parallel()
	f := func(r Reply, want string) {
		t.Helper()
		if got := Format(r); got != want {
			t.Errorf("written %s\nwant    %s", got, want)
		}
	}
	twos := Twos(BulkString("a"), One, BulkString("b"), Nil)
	f(twos, `[["a", :1], ["b", _]]`)
	f(Array(OK, twos, Twos()), `[+OK, [["a", :1], ["b", _]], []]`)
	long := BulkString(strings.Repeat("x", lineMax))
	f(Array(Twos(One, long)), "[\n  [\n    [\n      :1,\n      "+Format(long)+",\n    ],\n  ],\n]")
}

func TestFormatLong(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 30)
	r := Array(
		Map(BulkString("name"), BulkString(long), BulkString("flags"), Strings(long, long)),
		Set(),
		One,
	)
	const want = `[
  %{
    "name": "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "flags": ["xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"],
  },
  ~[],
  :1,
]`
	if got := Format(r); got != want {
		t.Errorf("written %s", got)
	}
	if back, err := Parse(want); err != nil || !Equal(back, r) {
		t.Errorf("read as %s, %v", Format(back), err)
	}
}

func TestParseErrors(t *testing.T) {
	t.Parallel()
	f := func(in, want string) {
		t.Helper()
		if r, err := Parse(in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q was read as %s, %v; want %q", in, Format(r), err, want)
		}
	}
	f(`"a`, "no end of the quotes")
	f(`"a\`, "no end of the quotes")
	f("\"a\nb\"", "no end of the quotes")
	f(`["a"`, "no comma")
	f(`["a",`, "missing")
	f(`["a" "b"]`, "no comma")
	f(`[,]`, "no reply")
	f(`%{"a"}`, "no colon")
	f(`%{"a":}`, "no value")
	f(`:x`, "no reply")
	f(`:1 :2`, "after the reply")
	f("+OK\n:1", "after the reply")
	f(`#true`, "no reply")
	f(`x`, "no reply")
	f(`none`, "no reply")
	f(`=tx:"a"`, "verbatim")
	f(`[+"a\nb"]`, "line break")
	f(strings.Repeat("[", 10000), "nesting")
}

func TestParsePrefix(t *testing.T) {
	t.Parallel()
	rest := "+a b\n[\n  \"x\",\n]\n_\n"
	for _, want := range []string{"+a b", `["x"]`, "_"} {
		r, after, err := ParsePrefix(rest)
		if err != nil || Format(r) != want {
			t.Fatalf("read %s, %v; want %s", Format(r), err, want)
		}
		rest = after
	}
	if rest != "" {
		t.Errorf("%q is left", rest)
	}
}

// Replies made at random come back from every notation that can hold them.
func TestRoundTrips(t *testing.T) {
	t.Parallel()
	t.Logf("-seed %d", *seedFlag)
	rng := rand.New(rand.NewPCG(*seedFlag, 1))
	for range 3000 {
		r := randomReply(rng, 0)
		text := Format(r)
		if back, err := Parse(text); err != nil || !Equal(back, r) {
			t.Fatalf("%s\nwas read as %s, %v", text, Format(back), err)
		}
		wire := V3.Append(nil, r)
		back, n, err := Decode(wire)
		if err != nil || n != len(wire) || !Equal(back, withoutNullArrays(r)) {
			t.Fatalf("%q\nwas decoded as %s, %d, %v", wire, Format(back), n, err)
		}
		wire = V2.Append(nil, r)
		if back, n, err = Decode(wire); err != nil || string(V2.Append(nil, back)) != string(wire) {
			t.Fatalf("%q\nwas decoded as %s, %d, %v", wire, Format(back), n, err)
		}
	}
}

func randomReply(rng *rand.Rand, depth int) Reply {
	if depth < 5 && rng.IntN(3) == 0 {
		items := make([]Reply, 2*rng.IntN(5))
		for i := range items {
			items[i] = randomReply(rng, depth+1)
		}
		return Reply{kind: List + Kind(rng.IntN(4)), items: items}
	}
	text := randomText(rng)
	switch rng.IntN(10) {
	case 0:
		return Nil
	case 1:
		return NilArray
	case 2:
		return Int(int64(rng.Uint64()) >> rng.IntN(64))
	case 3:
		return Bool(rng.IntN(2) == 0)
	case 4:
		return Double(math.Float64frombits(rng.Uint64()))
	case 5:
		return Big("-12345678901234567890")
	case 6:
		return VerbatimText("mkd", text)
	case 7:
		return Simple(strings.NewReplacer("\r", "", "\n", "").Replace(text))
	case 8:
		return Error(text)
	}
	return BulkString(text)
}

func randomText(rng *rand.Rand) string {
	const alphabet = "ab ,:]}[\"\\'+-\r\n\x00\xff\t"
	b := make([]byte, rng.IntN(12))
	for i := range b {
		b[i] = alphabet[rng.IntN(len(alphabet))]
	}
	return string(b)
}

// withoutNullArrays is r as RESP3 tells it: with one kind of null.
func withoutNullArrays(r Reply) Reply {
	if r.kind == NullArray {
		return Nil
	}
	items := make([]Reply, len(r.items))
	for i := range items {
		items[i] = withoutNullArrays(r.items[i])
	}
	r.items = items
	return r
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{`+OK`, `-ERR x`, `["a", :1, ,2, %{"k": _}]`, `~[*-1, #t]`, `=txt:"x"`, `(1`, `>[none]`, `,1e400`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		r, err := Parse(s)
		if err != nil {
			return
		}
		text := Format(r)
		if back, err := Parse(text); err != nil || !Equal(back, r) {
			t.Errorf("%q was written %q and read as %q, %v", s, text, Format(back), err)
		}
	})
}
