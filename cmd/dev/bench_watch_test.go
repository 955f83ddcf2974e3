package main

import (
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/troupedb/troupe/resp"
)

func push(value resp.Reply, version int64) string {
	return string(resp.V3.Append(nil, resp.Push(
		resp.BulkString("observe"), resp.BulkString("fingerprint"), resp.BulkString("0123456789abcdef"),
		resp.BulkString("result"), value, resp.BulkString("version"), resp.Int(version), resp.BulkString("covered"), resp.Int(1),
		resp.BulkString("kind"), resp.BulkString("state"), resp.BulkString("token"), resp.BulkString("0000000000000001"))))
}

func TestDecodePush(t *testing.T) {
	t.Parallel()
	one, two := push(resp.BulkString(hotValue(123456, 64)), 7), push(resp.BulkString(hotValue(7, seqBytes)), 8)
	f := func(bytes string, wantSeq int64, wantN int, wantErr error) {
		t.Helper()
		seq, n, err := decodePush([]byte(bytes))
		if seq != wantSeq && n > 0 || n != wantN || err != wantErr {
			t.Errorf("%q: %d, %d, %v", bytes, seq, n, err)
		}
	}
	f(one, 123456, len(one), nil)
	f(two+one, 7, len(two), nil)
	f(push(resp.Nil, 7), 0, len(push(resp.Nil, 7)), nil)
	for cut := range one {
		f(one[:cut], 0, 0, nil)
	}
	f("+OK\r\n", 0, 0, errNoPush)
	f("*13\r\n"+one[5:], 0, 0, errNoPush)
	f(push(resp.BulkString("no number in front"), 7), 0, 0, errNoPush)
}

// What readers make of frames that come cut anywhere.
func TestAudienceTakes(t *testing.T) {
	t.Parallel()
	a := &audience{first: 10, replied: make([]atomic.Int64, 3)}
	a.replied[0].Store(int64(-time.Second)) // a reply that came a second before the beginning
	a.begin = time.Now()
	all := push(resp.BulkString(hotValue(10, 20)), 1) + push(resp.BulkString(hotValue(11, 20)), 2) + push(resp.BulkString(hotValue(99, 20)), 3)
	used, err := a.take([]byte(all + all[:40]))
	if used != len(all) || err != nil || a.frames.Load() != 3 || len(a.late) != 3 {
		t.Fatalf("%d of %d bytes, %v; %d frames, %d latencies", used, len(all), err, a.frames.Load(), len(a.late))
	}
	if a.late[0] < time.Second || a.late[1] != 0 || a.late[2] != 0 {
		t.Errorf("latencies %v", a.late)
	}
}

func TestSumFields(t *testing.T) {
	t.Parallel()
	if got := sumFields("id=1 omem=5 oll=3\nid=2 omem=70 tot-mem=9\n", "omem"); got != 75 {
		t.Error(got)
	}
}

func TestFigures(t *testing.T) {
	t.Parallel()
	var f figures
	for _, v := range []float64{3, 1, 2} {
		f.add("a", "µs", v, bar{"a", false, 2})
		f.add("b", "", v*10)
	}
	if len(f.rows) != 2 || f.rows[0].Median != 2 || f.rows[0].Bar != "ok a≤2.00" || f.rows[1].Max != 30 {
		t.Errorf("%+v", f.rows)
	}
	f.ratio("c", "x", watchRounds{[]map[string]float64{{"x": 3}}, []map[string]float64{{"x": 2}}}, bar{"x", true, 2})
	if f.rows[2].Median != 1.5 || f.rows[2].Bar != "miss x≥2.00!" {
		t.Errorf("%+v", f.rows[2])
	}
}

func TestQueriesDiffer(t *testing.T) {
	t.Parallel()
	c := &watchCmd{Queries: 10, Size: 64}
	seen := map[string]bool{}
	for _, words := range c.queries(hotKey) {
		end, err := strconv.Atoi(words[3])
		if err != nil || end < 63 || seen[words[3]] {
			t.Errorf("%q does not have the whole value, or is there already", words)
		}
		seen[words[3]] = true
	}
}
