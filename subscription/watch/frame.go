package watch

import (
	"fmt"
	"strconv"

	"github.com/troupedb/troupe/resp"
)

// Kind says what a frame is.
type Kind string

// The kinds of frame.
const (
	// State carries the query's result.
	State Kind = "state"
	// Failed carries the error that the query answers now, as after a change
	// of the key's type. The watch goes on.
	Failed Kind = "error"
	// End is the last frame of a watch; its result is the reason.
	End Kind = "end"
)

// Frame is what a watcher is told:
//
//	["observe", "fingerprint", fp, "result", reply, "version", n,
//	 "covered", n, "kind", k, "token", t]
//
// version orders the frames of a watch, covered is the number of changes that
// this one stands for, itself included (0 in the first), and token is opaque
// and names the state for a later resumption.
type Frame struct {
	Result  resp.Reply
	Version uint64
	Covered int64
	Kind    Kind
}

// Items are the elements of the frame as clients of RESP get them.
func (f *Frame) Items(fingerprint string) []resp.Reply {
	return []resp.Reply{
		resp.BulkString("observe"),
		resp.BulkString("fingerprint"), resp.BulkString(fingerprint),
		resp.BulkString("result"), f.Result,
		resp.BulkString("version"), resp.Int(int64(f.Version)),
		resp.BulkString("covered"), resp.Int(f.Covered),
		resp.BulkString("kind"), resp.BulkString(string(f.Kind)),
		resp.BulkString("token"), resp.BulkString(f.Token()),
	}
}

// Token names the state of the frame.
func (f *Frame) Token() string { return fmt.Sprintf("%016x", f.Version) }

// JSON is the frame as channels and the HTTP port carry it.
func (f *Frame) JSON(query, fingerprint string) []byte {
	b := []byte(`{"query":`)
	b = resp.AppendJSON(b, resp.BulkString(query))
	b = append(b, `,"fingerprint":"`+fingerprint+`","result":`...)
	b = resp.AppendJSON(b, f.Result)
	b = append(b, `,"version":`...)
	b = strconv.AppendUint(b, f.Version, 10)
	b = append(b, `,"covered":`...)
	b = strconv.AppendInt(b, f.Covered, 10)
	return append(b, `,"kind":"`+string(f.Kind)+`","token":"`+f.Token()+`"}`...)
}
