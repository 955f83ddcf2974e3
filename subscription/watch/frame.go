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
// by all watchers. If they are several, each part of a frame that is the same for
// them is encoded once; what is told to one alone is not kept.
type State struct {
	Result  resp.Reply
	Kind    Kind
	Version uint64
	v3      []byte // Result in RESP3
	shared  *shared

	total  int64  // changes that the Subscription had read by then
	serial uint64 // its number among the Subscription's
	room   uint64 // see mark

	// Keys is the number of keys that were read for it.
	Keys int32
	gap  bool // what was between it and the one before was not kept
}

// shared is what a State keeps for many watchers.
type shared struct {
	// The parts of a frame in RESP between the result and the number covered,
	// and behind the kind.
	before, after []byte

	once2    sync.Once
	v2       []byte // Result in RESP2
	onceJSON sync.Once
	json     []byte // Result and Version in JSON

	deltas deltas // to the State, from those before it
}

// newState makes a State; v3 is result in RESP3, and at where it stands.
func newState(kind Kind, result resp.Reply, v3 []byte, at mark) *State {
	return &State{Result: result, Kind: kind, Version: at.version, total: at.total, v3: v3, room: at.room}
}

// share prepares the State for many watchers. It is called before there are any.
func (st *State) share() {
	st.shared = &shared{before: st.appendBefore(nil), after: st.appendAfter(nil)}
}

func (st *State) at() mark { return mark{st.Version, st.room, st.total} }

func (st *State) appendBefore(dst []byte) []byte {
	dst = resp.AppendNumber(append(dst, "$7\r\nversion\r\n"...), int64(st.Version))
	return append(dst, "$7\r\ncovered\r\n"...)
}

func (st *State) appendAfter(dst []byte) []byte {
	var token [tokenMax]byte
	return resp.AppendBulk(append(dst, "$5\r\ntoken\r\n"...), st.at().appendToken(token[:0]))
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
func (st *State) Token() string { return st.at().token() }

// append2 appends the result in RESP2.
func (st *State) append2(dst []byte) []byte {
	sh := st.shared
	if sh == nil {
		return resp.V2.Append(dst, st.Result)
	}
	sh.once2.Do(func() { sh.v2 = resp.V2.Append(nil, st.Result) })
	return append(dst, sh.v2...)
}

// inJSON is the part of the frame in JSON from the result to the number covered.
func (st *State) inJSON() []byte {
	sh := st.shared
	if sh == nil {
		return appendVersionJSON(resp.AppendJSON(nil, st.Result), st.Version)
	}
	sh.onceJSON.Do(func() { sh.json = appendVersionJSON(resp.AppendJSON(nil, st.Result), st.Version) })
	return sh.json
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

// Refuses reports whether the frame, a watch's first, says that there can be no such
// watch: its result is an error, and it does not go on with a watch before.
func (f Frame) Refuses() bool { return f.Kind == End || f.Kind == Failed && f.Covered == 0 }

// Refused is the frame as the end of a watch that has not begun.
func (f Frame) Refused() Frame {
	last := f.ending(f.Result, 0)
	return Frame{State: last, Kind: End}
}

// Ending is the last frame of a watch that whoever takes its frames ends: with the
// token of the state that he was told last.
func (w *Watcher) Ending(reason resp.Reply) Frame {
	at := mark{w.version, w.sub.mark(), w.total}
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
func (f Frame) Append(dst []byte, proto int, first byte, fingerprint Fingerprint) []byte {
	if proto == 2 {
		first = '*'
	}
	dst = append(dst, first)
	dst = append(dst, "13\r\n$7\r\nobserve\r\n$11\r\nfingerprint\r\n$16\r\n"...)
	dst = append(appendDigits(dst, uint64(fingerprint)), "\r\n$6\r\nresult\r\n"...)
	switch {
	case f.delta != nil:
		dst = append(dst, f.delta.in(proto)...)
	case proto == 2:
		dst = f.append2(dst)
	default:
		dst = append(dst, f.v3...)
	}
	if f.shared == nil {
		dst = resp.AppendNumber(f.appendBefore(dst), f.Covered)
		return f.appendAfter(append(dst, kindParts[f.Kind]...))
	}
	dst = resp.AppendNumber(append(dst, f.shared.before...), f.Covered)
	return append(append(dst, kindParts[f.Kind]...), f.shared.after...)
}

// AppendMessage appends the frame as a message on a channel, whose payload is
// JSON: see AppendJSON.
func (f Frame) AppendMessage(dst []byte, first byte, channel string, head []byte) []byte {
	dst = append(dst, first)
	dst = append(dst, "3\r\n$7\r\nmessage\r\n"...)
	dst = resp.AppendText(dst, channel)
	var small [256]byte
	tail := f.appendTail(small[:0])
	result := f.resultJSON()
	dst = resp.AppendHeader(dst, '$', len(head)+len(result)+len(tail))
	dst = append(append(append(dst, head...), result...), tail...)
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
	return f.appendTail(dst)
}

// appendTail appends what is behind the result, from the number covered on.
func (f Frame) appendTail(dst []byte) []byte {
	dst = strconv.AppendInt(dst, f.Covered, 10)
	dst = append(append(append(dst, jsonKind...), f.Kind...), jsonToken...)
	return append(f.at().appendToken(dst), jsonEnd...)
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
func JSONHead(argv [][]byte, fingerprint Fingerprint) []byte {
	words := make([]resp.Reply, len(argv))
	for i, word := range argv {
		words[i] = resp.Bulk(word)
	}
	b := resp.AppendJSON([]byte(`{"query":`), resp.Array(words...))
	return append(b, `,"fingerprint":"`+fingerprint.String()+`","result":`...)
}
