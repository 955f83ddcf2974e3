package watch

import (
	"strconv"
	"strings"
	"sync"

	"github.com/troupedb/troupe/resp"
)

// Kind says what a frame is.
type Kind string

// The kinds of frame.
const (
	// Current carries the query's result.
	Current Kind = "state"
	// Delta carries what is different from the frame before: see newDelta.
	Delta Kind = "delta"
	// Reset carries the query's result after a break: of the states, or the
	// changes, between it and the frame before nothing is known.
	Reset Kind = "reset"
	// Progress carries nothing: the result is still that of the frame before,
	// as of the version.
	Progress Kind = "progress"
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

	total  int64  // changes that the Subscription had read by then
	serial uint64 // its number among the Subscription's
	gap    bool   // what was between it and the one before was not kept
	token  string
	v3     []byte // Result in RESP3

	deltas deltas // to it, from states before it

	// The parts of a frame in RESP between the result and the number covered,
	// and behind the kind.
	before, after []byte

	once2    sync.Once
	v2       []byte // Result in RESP2
	onceJSON sync.Once
	json     []byte // Result and Version in JSON
}

// newState makes a State; v3 is result in RESP3, and at where it stands.
func newState(kind Kind, result resp.Reply, v3 []byte, at mark) *State {
	st := &State{Result: result, Kind: kind, Version: at.version, total: at.total, v3: v3, token: at.token()}
	st.before = resp.AppendNumber([]byte("$7\r\nversion\r\n"), int64(at.version))
	st.before = append(st.before, "$7\r\ncovered\r\n"...)
	st.after = resp.AppendText([]byte("$5\r\ntoken\r\n"), st.token)
	return st
}

// ending is what ends a watch after the state; reason is an error.
func (st *State) ending(reason resp.Reply, room uint64) *State {
	return newState(End, reason, resp.V3.Append(nil, reason), mark{st.Version, room, st.total})
}

// progress is the State of a progress mark: nothing was changed until a version.
func (st *State) progress(version, room uint64) *State {
	same := newState(Progress, resp.Nil, resp.V3.Append(nil, resp.Nil), mark{version, room, st.total})
	same.serial = st.serial
	return same
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
	st.onceJSON.Do(func() { st.json = appendVersionJSON(resp.AppendJSON(nil, st.Result), st.Version) })
	return st.json
}

func appendVersionJSON(dst []byte, version uint64) []byte {
	dst = strconv.AppendUint(append(dst, `,"version":`...), version, 10)
	return append(dst, `,"covered":`...)
}

// Frame is what a watcher is told.
type Frame struct {
	*State
	// Kind is that of the state, or another way to tell it.
	Kind Kind
	// Covered is for how many changes it stands, itself included; 0 in the first.
	Covered int64
	// More says that the watcher can take another one at once.
	More bool

	delta *delta // of a Delta
}

// Refused is the frame as the end of a watch that has not begun.
func (f Frame) Refused() Frame {
	last := f.ending(f.Result, 0)
	return Frame{State: last, Kind: End}
}

// Ending is the last frame of a watch that whoever takes its frames ends: with the
// token of the state that he was told last.
func (w *Watcher) Ending(reason resp.Reply) Frame {
	at := mark{w.version, w.room.mark(), w.total}
	return Frame{State: newState(End, reason, resp.V3.Append(nil, reason), at), Kind: End}
}

// Reply is what the frame carries: the result, or if it is a delta that.
func (f Frame) Reply() resp.Reply {
	if f.delta != nil {
		return f.delta.reply
	}
	return f.Result
}

// kindParts are the part of a frame in RESP that tells its kind.
var kindParts = func() map[Kind][]byte {
	all := map[Kind][]byte{}
	for _, k := range []Kind{Current, Delta, Reset, Progress, Failed, End} {
		all[k] = resp.AppendText([]byte("$4\r\nkind\r\n"), string(k))
	}
	return all
}()

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
	switch {
	case f.delta != nil:
		dst = append(dst, f.delta.in(proto)...)
	case proto == 2:
		dst = append(dst, f.in2()...)
	default:
		dst = append(dst, f.v3...)
	}
	dst = append(dst, f.before...)
	dst = resp.AppendNumber(dst, f.Covered)
	return append(append(dst, kindParts[f.Kind]...), f.after...)
}

// AppendMessage appends the frame as a message on a channel, whose payload is
// JSON: see AppendJSON.
func (f Frame) AppendMessage(dst []byte, first byte, channel string, head []byte) []byte {
	dst = append(dst, first)
	dst = append(dst, "3\r\n$7\r\nmessage\r\n"...)
	dst = resp.AppendText(dst, channel)
	var number [20]byte
	covered := strconv.AppendInt(number[:0], f.Covered, 10)
	size := len(head) + len(f.resultJSON()) + len(covered) + len(jsonKind) + len(f.Kind) + len(jsonToken) + len(f.token) + len(jsonEnd)
	dst = f.AppendJSON(resp.AppendHeader(dst, '$', size), head)
	return append(dst, "\r\n"...)
}

// resultJSON is the part of the frame in JSON from the result to the number
// covered.
func (f Frame) resultJSON() []byte {
	if f.delta != nil {
		return f.delta.inJSON(f.Version)
	}
	return f.inJSON()
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
	dst = append(append(dst, head...), f.resultJSON()...)
	dst = strconv.AppendInt(dst, f.Covered, 10)
	dst = append(append(append(dst, jsonKind...), f.Kind...), jsonToken...)
	return append(append(dst, f.token...), jsonEnd...)
}

// TailOf reads the kind and the token of a frame in JSON.
func TailOf(json string) (kind, token string) {
	at := strings.LastIndex(json, jsonKind)
	if at < 0 {
		return "", ""
	}
	kind, token, _ = strings.Cut(json[at+len(jsonKind):], jsonToken)
	return kind, strings.TrimSuffix(token, jsonEnd)
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
