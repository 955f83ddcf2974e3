package watch

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/troupedb/troupe/resp"
)

// A frame, which is put together from shared parts, is what its elements come
// to in each protocol.
func TestFrameBytes(t *testing.T) {
	t.Parallel()
	check := func(result resp.Reply, kind Kind, version uint64, covered int64, shared bool) {
		t.Helper()
		frame := Frame{State: newState(kind, result, resp.V3.Append(nil, result), mark{version, 1, 5}), Kind: kind, Covered: covered}
		if shared {
			frame.share()
		}
		items := []resp.Reply{
			resp.BulkString("observe"), resp.BulkString("fingerprint"), resp.BulkString("380d3c1e1f9803f0"),
			resp.BulkString("result"), result, resp.BulkString("version"), resp.Int(int64(version)),
			resp.BulkString("covered"), resp.Int(covered), resp.BulkString("kind"), resp.BulkString(string(kind)),
			resp.BulkString("token"), resp.BulkString(fmt.Sprintf("%016x.1.5", version)),
		}
		compare := func(what string, got, want []byte) {
			t.Helper()
			if string(got) != string(want) {
				t.Errorf("%s: %q, want %q", what, got, want)
			}
		}
		compare("push in RESP3", frame.Append(nil, 3, Push, 0x380d3c1e1f9803f0), resp.V3.Append(nil, resp.Push(items...)))
		compare("answer in RESP3", frame.Append(nil, 3, Answer, 0x380d3c1e1f9803f0), resp.V3.Append(nil, resp.Array(items...)))
		compare("push in RESP2", frame.Append(nil, 2, Push, 0x380d3c1e1f9803f0), resp.V2.Append(nil, resp.Push(items...)))
		head := JSONHead([][]byte{[]byte("GET"), []byte("\"k\" \xff"), []byte("\xff")}, 0x380d3c1e1f9803f0)
		text := frame.AppendJSON(nil, head)
		message := resp.Push(resp.BulkString("message"), resp.BulkString("c"), resp.Bulk(text))
		compare("message in RESP3", frame.AppendMessage(nil, Push, "c", head), resp.V3.Append(nil, message))
		compare("message in RESP2", frame.AppendMessage(nil, Answer, "c", head), resp.V2.Append(nil, message))
		compare("json", text, fmt.Appendf(nil, `{"query":["GET",{"base64":"ImsiIP8="},{"base64":"/w=="}],"fingerprint":"380d3c1e1f9803f0","result":%s,"version":%d,"covered":%d,"kind":"%s","token":"%016x.1.5"}`,
			resp.AppendJSON(nil, result), version, covered, kind, version))
		if !json.Valid(text) {
			t.Errorf("no JSON: %s", text)
		}
	}
	f := func(result resp.Reply, kind Kind, version uint64, covered int64) {
		t.Helper()
		check(result, kind, version, covered, false)
		check(result, kind, version, covered, true)
	}
	f(resp.BulkString("v"), Current, 7, 0)
	f(resp.Nil, Current, 1<<48+12345, 1234567)
	f(resp.ErrWrongType, Failed, 1000, 999)
	f(resp.Error("ERR killed"), End, 0, 0)
	f(resp.Map(resp.BulkString("f"), resp.Int(3)), Current, 99, 10)
	f(resp.Twos(resp.BulkString("m"), resp.Double(1.5)), Current, 999, 100)
	f(resp.Array(resp.NilArray, resp.EmptyList, resp.Bool(true), resp.BulkString("\xff\r\n")), Current, 5, 1)
}

func TestFingerprints(t *testing.T) {
	t.Parallel()
	q := get("k")
	if q.Fingerprint(0).String() != "380d3c1e1f9803f0" || q.Fingerprint(1) == q.Fingerprint(0) || q.Fingerprint(1) != q.Fingerprint(1) {
		t.Errorf("fingerprints %s, %s", q.Fingerprint(0), q.Fingerprint(1))
	}
}
