package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
)

// frame is what a watcher was told, in the words of transcripts.
type frame struct {
	fingerprint string
	value       string
	version     int64
	covered     int64
	kind        string
	token       string
	unasked     bool
}

// ways are the means by which a client can watch: a protocol and a verb.
var ways = []way{
	{3, "watch"}, {2, "watch"}, {3, "observe"}, {2, "observe"}, {3, "channel"}, {2, "channel"},
}

type way struct {
	proto int
	verb  string
}

func (w way) String() string { return fmt.Sprintf("%s by RESP%d", w.verb, w.proto) }

// watcher is a link with one live query.
type watcher struct {
	*client
	way
	query []string

	heard, answered int         // for tests that count
	server          *server     // for those that resume
	held            *resp.Reply // came already
}

// watch opens a link that watches, and returns the first frame.
func (s *server) watch(by way, query ...string) (*watcher, frame) {
	s.tb.Helper()
	w, f, err := s.tryWatch(by, query...)
	if err != nil {
		s.tb.Fatal(err)
	}
	return w, f
}

// tryWatch is watch for a query that may answer with an error just then.
func (s *server) tryWatch(by way, query ...string) (*watcher, frame, error) {
	w := &watcher{client: s.client(), way: by, query: query, server: s}
	if by.proto == 3 {
		w.ask("HELLO", "3")
	}
	switch by.verb {
	case "watch":
		w.send(request(append([]string{query[0] + ".WATCH"}, query[1:]...)...))
	case "observe", "resume":
		w.send(request(append([]string{"OBSERVE"}, query...)...))
	case "every":
		w.send(request(append([]string{"OBSERVE", "EVERY"}, query...)...))
	default:
		channel := "__query__:" + strings.Join(query, " ")
		w.send(request("SUBSCRIBE", channel))
		if got, want := w.receive(), resp.Format(resp.Push(resp.BulkString("subscribe"), resp.BulkString(channel), resp.One)); strings.TrimPrefix(got, ">") != want[1:] {
			s.tb.Errorf("SUBSCRIBE is answered %s", got)
		}
	}
	f, err := w.frame()
	if err == nil && (f.covered != 0 || f.kind != "state" || by.proto == 3 && f.unasked != (by.verb != "watch")) {
		err = fmt.Errorf("%v: the first frame is %+v", by, f)
	}
	return w, f, err
}

// frame reads a frame, which is what must come next.
func (w *watcher) frame() (frame, error) {
	var reply resp.Reply
	var err error
	if w.held != nil {
		reply, w.held = *w.held, nil
	} else if reply, err = w.next(); err != nil {
		return frame{}, err
	}
	f, ok := readFrame(reply)
	if !ok {
		return f, fmt.Errorf("%v got no frame: %s", w.way, resp.Format(reply))
	}
	return f, nil
}

// wantFrame compares the next frame: "value covered".
func (w *watcher) wantFrame(want string) frame {
	w.tb.Helper()
	f, err := w.frame()
	if err != nil {
		w.tb.Fatal(err)
	}
	if got := fmt.Sprint(f.value, " ", f.covered); got != want {
		w.tb.Errorf("%v of %q is told %s, want %s", w.way, w.query, got, want)
	}
	return f
}

// readFrame takes a frame apart, of either kind.
func readFrame(reply resp.Reply) (f frame, ok bool) {
	items := reply.Items()
	f.unasked = reply.Kind() == resp.Out
	switch {
	case len(items) == 3 && items[0].Str() == "message":
		return readMessage(items[2].Str(), f)
	case len(items) != 13 || items[0].Str() != "observe":
		return f, false
	}
	names := ""
	for i := 1; i < len(items); i += 2 {
		names += items[i].Str() + " "
	}
	f.fingerprint, f.value, f.version = items[2].Str(), resp.Format(items[4]), items[6].Int()
	f.covered, f.kind, f.token = items[8].Int(), items[10].Str(), items[12].Str()
	return f, names == "fingerprint result version covered kind token " && strings.HasPrefix(items[12].Str(), fmt.Sprintf("%016x.", f.version))
}

func readMessage(payload string, f frame) (frame, bool) {
	var m struct {
		Query                    []string
		Fingerprint, Kind, Token string
		Result                   any
		Version, Covered         int64
	}
	if err := json.Unmarshal([]byte(payload), &m); err != nil {
		return f, false
	}
	f.fingerprint, f.value, f.version, f.covered, f.kind = m.Fingerprint, resp.Format(fromJSON(m.Result)), m.Version, m.Covered, m.Kind
	return f, strings.HasPrefix(m.Token, fmt.Sprintf("%016x.", m.Version)) && len(m.Query) > 0
}

// fromJSON gives a reply for what came as JSON. What JSON has in a form of its own
// stays a text of JSON: an object, a number that is no integer.
func fromJSON(v any) resp.Reply {
	switch v := v.(type) {
	case nil:
		return resp.Nil
	case string:
		return resp.BulkString(v)
	case float64:
		if v == float64(int64(v)) {
			return resp.Int(int64(v))
		}
	case []any:
		items := make([]resp.Reply, len(v))
		for i := range v {
			items[i] = fromJSON(v[i])
		}
		return resp.Array(items...)
	case map[string]any:
		if text, ok := v["error"].(string); ok {
			return resp.Error(text)
		}
	}
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return resp.BulkString(string(text))
}

// wantNoWatches waits until nothing is left of live queries: no query, no actor
// of one, no watched key.
func (s *server) wantNoWatches() {
	s.tb.Helper()
	eventually(s.tb, "no query is watched", func() bool { return s.Server.Watches.Len() == 0 })
	eventually(s.tb, "no key is watched", func() bool { return s.watchedKeys() == 0 })
	eventually(s.tb, "no live query has an actor", func() bool {
		for _, a := range s.Actors() {
			if strings.HasPrefix(a.Path, "subscription/") {
				return false
			}
		}
		return true
	})
}

func (s *server) watchedKeys() (n int) {
	s.inShards(func(tx *keyspace.Tx) {
		tx.EachShard(func(sh *keyspace.Shard) { n += sh.WatchedKeys() })
	})
	return n
}

// inShards runs f over all shards.
func (s *server) inShards(f func(*keyspace.Tx)) {
	x := &keyspace.Execute{Encoder: resp.V2, Requests: []keyspace.Request{{Do: func(tx *keyspace.Tx) resp.Reply {
		f(tx)
		return resp.OK
	}}}}
	s.Node.VisitAll(x)
	over := make(finished)
	if !s.Node.Post(x, over) {
		<-over
	}
}

// finished owns an Execute that a test waits for.
type finished chan struct{}

// Executed is called by the last shard.
func (f finished) Executed(*keyspace.Execute) { close(f) }

// eachWay runs f as a subtest for each way to watch.
func eachWay(t *testing.T, f func(t *testing.T, by way)) {
	for _, by := range ways {
		t.Run(strings.ReplaceAll(by.String(), " ", "-"), func(t *testing.T) {
			t.Parallel()
			f(t, by)
		})
	}
}
