package resp

import (
	"strings"
	"testing"
)

func TestDecode(t *testing.T) {
	t.Parallel()
	f := func(in, want string) {
		t.Helper()
		r, n, err := Decode([]byte(in + ":99\r\n"))
		if err != nil || n != len(in) || Format(r) != want {
			t.Errorf("%q was decoded as %s, %d, %v; want %s, %d", in, Format(r), n, err, want, len(in))
		}
		// Any beginning of it is incomplete, and a Framer sees so byte by byte.
		var framer Framer
		for i := range in {
			if r, n, err := Decode([]byte(in[:i])); n != 0 || err != nil {
				t.Errorf("%q was decoded as %s, %v", in[:i], Format(r), err)
			}
			if n, err := framer.Frame([]byte(in[:i])); n != 0 || err != nil {
				t.Errorf("%q was framed as %d, %v", in[:i], n, err)
			}
		}
		if n, err := framer.Frame([]byte(in)); n != len(in) || err != nil {
			t.Errorf("%q was framed as %d, %v", in, n, err)
		}
	}
	f("+OK\r\n", "+OK")
	f("-ERR x\r\n", "-ERR x")
	f("$4\r\na\r\nb\r\n", `"a\r\nb"`)
	f("$0\r\n\r\n", `""`)
	f("$-1\r\n", "_")
	f("*-1\r\n", "*-1")
	f("_\r\n", "_")
	f("*0\r\n", "[]")
	f("*2\r\n*1\r\n:1\r\n*1\r\n$1\r\na\r\n", `[[:1], ["a"]]`)
	f("%1\r\n+k\r\n~2\r\n#t\r\n#f\r\n", "%{+k: ~[#t, #f]}")
	f(">1\r\n,inf\r\n", ">[,inf]")
	f("=7\r\ntxt:abc\r\n", `=txt:"abc"`)
	f("!5\r\nERR x\r\n", "-ERR x")
	f("(123\r\n", "(123")
	f("|1\r\n+ttl\r\n:5\r\n*1\r\n|1\r\n+a\r\n*1\r\n:2\r\n+x\r\n", "[+x]")
}

func TestDecodeErrors(t *testing.T) {
	t.Parallel()
	f := func(in string) {
		t.Helper()
		if r, n, err := Decode([]byte(in)); err == nil {
			t.Errorf("%.40q was decoded as %s, %d", in, Format(r), n)
		}
	}
	f("x\r\n")
	f("\r\n")
	f("$x\r\n")
	f("$-2\r\n")
	f("%-1\r\n")
	f("$9223372036854775807\r\n")
	f("*9223372036854775808\r\n")
	f("*1099511627776\r\n*1099511627776\r\n")
	f(":x\r\n")
	f(",x\r\n")
	f("#x\r\n")
	f("_x\r\n")
	f("(1x\r\n")
	f("=2\r\nab\r\n")
	f("$?\r\n")
	f(strings.Repeat("*1\r\n", 2000) + ":1\r\n")
	f(strings.Repeat("|0\r\n", 2000) + ":1\r\n")
	f(strings.Repeat("x", replyLineMax+1))
}

func FuzzDecode(f *testing.F) {
	for _, s := range []string{"+OK\r\n", "*2\r\n$1\r\na\r\n_\r\n", "%1\r\n+k\r\n,1\r\n", "|1\r\n+a\r\n:1\r\n=5\r\ntxt:a\r\n", "!3\r\nERR\r\n", "*99999999999\r\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		r, n, err := Decode(b)
		if err != nil || n == 0 {
			return
		}
		wire := V3.Append(nil, r)
		back, n, err := Decode(wire)
		if err != nil || n != len(wire) || !Equal(back, withoutNullArrays(r)) {
			t.Errorf("%q was encoded as %q and decoded as %s, %v", b, wire, Format(back), err)
		}
	})
}
