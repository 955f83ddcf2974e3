package watch

import (
	"fmt"
	"strconv"
	"sync"

	"github.com/troupedb/troupe/resp"
)

// Kind says what a frame is.
type Kind string

// The kinds of frame.
const (
	// Current carries the query's result.
	Current Kind = "state"
	// Failed carries the error that the query answers now, as after a change
	// of the key's type. The watch goes on.
	Failed Kind = "error"
	// End is the last frame of a watch; its result is the reason.
	End Kind = "end"
)

// State is what a query answers at a version. It is never changed, and shared
// by all watchers: each part of a frame that is the same for them is encoded
// once.
type State struct {
	Result  resp.Reply
	Kind    Kind
	Version uint64
	// Keys is the number of keys that were read for it.
	Keys int

	total int64 // changes that the Subscription had read by then
	token string
	v3    []byte // Result in RESP3

	// The parts of a frame in RESP on both sides of the number covered.
	before, after []byte

	once2    sync.Once
	v2       []byte // Result in RESP2
	onceJSON sync.Once
	json     []byte // Result and Version in JSON
}

// newState makes a State; v3 is result in RESP3.
func newState(kind Kind, result resp.Reply, v3 []byte, version uint64) *State {
	st := &State{Result: result, Kind: kind, Version: version, v3: v3, token: fmt.Sprintf("%016x", version)}
	st.before = resp.AppendNumber([]byte("$7\r\nversion\r\n"), int64(version))
	st.before = append(st.before, "$7\r\ncovered\r\n"...)
	st.after = resp.AppendText([]byte("$4\r\nkind\r\n"), string(kind))
	st.after = append(st.after, "$5\r\ntoken\r\n"...)
	st.after = resp.AppendText(st.after, st.token)
	return st
}

// ending is what ends a watch after the state; reason is an error.
func (st *State) ending(reason resp.Reply) *State {
	last := newState(End, reason, resp.V3.Append(nil, reason), st.Version)
	last.total = st.total
	return last
}

// Size is the number of bytes of the result in RESP3.
func (st *State) Size() int { return len(st.v3) }

// Token names the state for a later resumption; it is opaque to clients.
func (st *State) Token() string { return st.token }

// in2 is the result in RESP2.
func (st *State) in2() []byte {
	st.once2.Do(func() { st.v2 = resp.V2.Append(nil, st.Result) })
	return st.v2
}

// inJSON is the part of the frame in JSON from the result to the number covered.
func (st *State) inJSON() []byte {
	st.onceJSON.Do(func() {
		b := resp.AppendJSON(nil, st.Result)
		b = strconv.AppendUint(append(b, `,"version":`...), st.Version, 10)
		st.json = append(b, `,"covered":`...)
	})
	return st.json
}

// Frame is what a watcher is told: a state, and for how many changes it
// stands, itself included (0 in the first).
type Frame struct {
	*State
	Covered int64
}

// Refused is the frame as the end of a watch that has not begun.
func (f Frame) Refused() Frame { return Frame{f.ending(f.Result), 0} }

// The first byte of a frame in RESP3: the answer to a command is an array, what
// comes without having been asked for a push. RESP2 has arrays only.
const (
	Answer byte = '*'
	Push   byte = '>'
)

// Append appends the frame as clients of RESP get it:
//
//	["observe", "fingerprint", fp, "result", reply, "version", n,
//	 "covered", n, "kind", k, "token", t]
//
// version orders the frames of a watch, and token is opaque and names the
// state for a later resumption.
func (f Frame) Append(dst []byte, proto int, first byte, fingerprint string) []byte {
	if proto == 2 {
		first = '*'
	}
	dst = append(dst, first)
	dst = append(dst, "13\r\n$7\r\nobserve\r\n$11\r\nfingerprint\r\n"...)
	dst = resp.AppendText(dst, fingerprint)
	dst = append(dst, "$6\r\nresult\r\n"...)
	if proto == 2 {
		dst = append(dst, f.in2()...)
	} else {
		dst = append(dst, f.v3...)
	}
	dst = append(dst, f.before...)
	dst = resp.AppendNumber(dst, f.Covered)
	return append(dst, f.after...)
}

// AppendMessage appends the frame as a message on a channel, whose payload is
// JSON: see AppendJSON.
func (f Frame) AppendMessage(dst []byte, proto int, channel string, head []byte) []byte {
	first := Push
	if proto == 2 {
		first = Answer
	}
	dst = append(dst, first)
	dst = append(dst, "3\r\n$7\r\nmessage\r\n"...)
	dst = resp.AppendText(dst, channel)
	var number [20]byte
	covered := strconv.AppendInt(number[:0], f.Covered, 10)
	size := len(head) + len(f.inJSON()) + len(covered) + len(jsonKind) + len(f.Kind) + len(jsonToken) + len(f.token) + len(jsonEnd)
	dst = f.AppendJSON(resp.AppendHeader(dst, '$', size), head)
	return append(dst, "\r\n"...)
}

const (
	jsonKind  = `,"kind":"`
	jsonToken = `","token":"`
	jsonEnd   = `"}`
)

// AppendJSON appends the frame as an object on one line; head is JSONHead of
// the query.
//
//	{"query":["GET","k"],"fingerprint":fp,"result":…,"version":n,"covered":n,"kind":k,"token":t}
func (f Frame) AppendJSON(dst, head []byte) []byte {
	dst = append(append(dst, head...), f.inJSON()...)
	dst = strconv.AppendInt(dst, f.Covered, 10)
	dst = append(append(append(dst, jsonKind...), f.Kind...), jsonToken...)
	return append(append(dst, f.token...), jsonEnd...)
}

// JSONHead is how frames of a query begin in JSON, up to the result. The query's
// words stand in a list, so that no two queries look alike.
func JSONHead(argv [][]byte, fingerprint string) []byte {
	words := make([]resp.Reply, len(argv))
	for i, word := range argv {
		words[i] = resp.Bulk(word)
	}
	b := resp.AppendJSON([]byte(`{"query":`), resp.Array(words...))
	return append(b, `,"fingerprint":"`+fingerprint+`","result":`...)
}
