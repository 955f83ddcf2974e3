package dice

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/troupedb/troupe/resp/dice/dicetest"
)

// commandsOf are all commands that are read from a stream which comes in pieces
// that end at cuts, and how it ended. arity tells after how many arguments a
// raw command is whole.
func commandsOf(p Protocol, stream []byte, cuts []int, lim *Limits) (out string) {
	var r RawReader
	used := 0
	for _, cut := range append(cuts, len(stream)) {
		for used < cut {
			var words [][]byte
			var n int
			var err error
			if p == Framed {
				words, n, err = NextFrame(stream[used:cut], nil, lim)
			} else {
				words, n, err = r.Next(stream[used:cut], nil, lim, wholeAfter)
			}
			if err != nil {
				return out + err.Error()
			}
			if n == 0 {
				break
			}
			used += n
			out += fmt.Sprintf("%q\n", words)
		}
	}
	return out + fmt.Sprint(len(stream)-used, " left")
}

// wholeAfter knows three commands; all others go on for ever.
func wholeAfter(name []byte, args, _ int) bool {
	arity, known := map[string]int{"PING": 0, "GET": 1, "SET": 2}[string(name)]
	return known && args >= arity
}

func stream(p Protocol, lines ...string) (all []byte) {
	for _, line := range lines {
		all = append(all, dicetest.Encode(p == Raw, strings.Split(line, " ")...)...)
	}
	return all
}

// Wherever a stream is cut, the same commands are found.
func TestEveryCut(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 300)
	for _, p := range []Protocol{Raw, Framed} {
		b := stream(p, "PING", "SET k "+long, "GET k", "GET "+long, "PING")
		want := fmt.Sprintf("[\"PING\"]\n[\"SET\" \"k\" %q]\n[\"GET\" \"k\"]\n[\"GET\" %q]\n[\"PING\"]\n0 left", long, long)
		if got := commandsOf(p, b, nil, &limits); got != want {
			t.Fatalf("protocol %d: %s", p, got)
		}
		for cut := range b {
			if got := commandsOf(p, b, []int{cut}, &limits); got != want {
				t.Errorf("protocol %d, cut at %d: %s", p, cut, got)
			}
		}
		var everywhere []int
		for cut := range b {
			everywhere = append(everywhere, cut)
		}
		if got := commandsOf(p, b, everywhere, &limits); got != want {
			t.Errorf("protocol %d, byte by byte: %s", p, got)
		}
	}
}

// The name may stand anywhere, unknown fields are passed over, the last name
// counts, and without one it is empty.
func TestFrameFields(t *testing.T) {
	t.Parallel()
	f := func(want string, fields ...[]byte) {
		t.Helper()
		body := bytes.Join(fields, nil)
		frame := append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...)
		words, n, err := NextFrame(frame, nil, &limits)
		if err != nil || n != len(frame) || fmt.Sprintf("%q", words) != want {
			t.Errorf("%q, %d, %v, want %s", words, n, err, want)
		}
	}
	text := func(field protowire.Number, s string) []byte {
		return protowire.AppendString(protowire.AppendTag(nil, field, protowire.BytesType), s)
	}
	number := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), 7)
	f(`["GET" "k"]`, text(2, "k"), text(1, "GET"))
	f(`["GET" "k"]`, text(1, "SET"), text(1, "GET"), number, text(9, "future"), text(2, "k"))
	f(`["" "k"]`, text(2, "k"))
	f(`["" ""]`, text(2, ""))
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	tight := Limits{Bytes: 100, Args: 3, ArgBytes: 50}
	f := func(p Protocol, b []byte, want error) {
		t.Helper()
		if got := commandsOf(p, b, nil, &tight); !strings.HasSuffix(got, want.Error()) {
			t.Errorf("%q: %s, want %v", b, got, want)
		}
	}
	long := strings.Repeat("x", 51)
	f(Framed, []byte{0, 0, 0, 0}, errLength)
	f(Framed, []byte{0, 0, 0, 101}, errSize)
	f(Framed, []byte{2, 0, 0, 1}, errSize)
	f(Framed, []byte("*1\r\n$4\r\nPING\r\n"), errSize)
	f(Framed, stream(Raw, "PING"), errSize)
	f(Framed, stream(Framed, "GET "+long), errArgSize)
	f(Framed, stream(Framed, "DEL a b c d"), errArgs)
	f(Framed, stream(Framed, "GET \xff"), errText)
	f(Framed, []byte("\x00\x00\x00\x02\x0a\x05"), errors.New("unexpected EOF"))
	f(Framed, []byte("\x00\x00\x00\x01\xff"), errors.New("unexpected EOF"))
	f(Raw, []byte("*1\r\n"), errField)
	f(Raw, stream(Raw, "GET "+long), errArgSize)
	f(Raw, stream(Raw, "DEL a b c d"), errArgs)
	f(Raw, stream(Raw, "DEL "+long[:40]+" "+long[:40]+" "+long[:40]), errSize)
	f(Raw, stream(Raw, "GET \xff"), errText)
	f(Raw, append([]byte{0x0a}, bytes.Repeat([]byte{0xff}, 10)...), errors.New("variable length integer overflow"))
}

// Arguments that follow a whole command belong to it if they come with it; if
// they come alone, the network has cut a command that was not known to go on.
func TestRawContinuation(t *testing.T) {
	t.Parallel()
	b := append(stream(Raw, "SET k v"), "\x12\x02EX"...)
	if got := commandsOf(Raw, b, []int{len(b) - 4}, &limits); !strings.HasSuffix(got, errCut.Error()) {
		t.Error(got)
	}
}

// A frame that says it is long costs nothing until it comes.
func TestFrameInPieces(t *testing.T) { // not parallel: it counts allocations
	head := binary.BigEndian.AppendUint32(nil, MessageMax)
	if n := testing.AllocsPerRun(10, func() {
		if _, n, err := NextFrame(head, nil, &limits); n != 0 || err != nil {
			t.Error(n, err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzRead(f *testing.F) {
	for _, p := range []Protocol{Raw, Framed} {
		f.Add(stream(p, "PING", "SET k v", "GET k"), uint16(9), p == Raw)
	}
	f.Add([]byte("\x00\x00\x00\x00"), uint16(2), false)
	f.Add([]byte("\n\x04PING*1\r\n"), uint16(2), true)
	f.Fuzz(func(t *testing.T, b []byte, cut uint16, raw bool) {
		lim := Limits{Bytes: 1 << 16, Args: 50, ArgBytes: 1 << 10}
		p := Framed
		if raw {
			p = Raw
		}
		whole := commandsOf(p, bytes.Clone(b), nil, &lim)
		// In pieces a raw command may end where one ends, so only frames are the
		// same; but nothing may go wrong.
		pieces := commandsOf(p, bytes.Clone(b), []int{int(cut) % (len(b) + 1)}, &lim)
		if !raw && whole != pieces {
			t.Errorf("%q cut at %d: %s, want %s", b, int(cut)%(len(b)+1), pieces, whole)
		}
	})
}
