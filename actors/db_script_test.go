package actors

import (
	"fmt"
	"strings"
	"testing"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/session"
)

// A script may use keys that it does not name, alone and in a batch, which stays
// one change.
func TestScriptsMayStray(t *testing.T) {
	t.Parallel()
	db := open(t)
	const stray = "for i = 1, 9 do redis.call('INCR', 'stray' .. i) end return redis.call('GET', 'stray9')"
	if got := do(t, db, "EVAL", stray, 1, "named").Text(); got != "1" {
		t.Errorf("the script is answered %q", got)
	}
	b := db.Batch()
	b.Queue("SET", "other", "1")
	second := b.Queue("EVAL", stray, 1, "named")
	b.Queue("GET", "stray1")
	if replies, err := b.Commit(background); err != nil || len(replies) != 3 || replies[2].Text() != "2" {
		t.Errorf("the batch is answered %v, %v", replies, err)
	}
	if got := must(second.Reply())(t).Text(); got != "2" {
		t.Errorf("the script in the batch is answered %q", got)
	}
}

// troubling adds a command that has writes refused from then on, as a disk does.
func troubling(s *System, c *session.Catalogue) {
	var table command.Table[*keyspace.Tx]
	table.Add(command.Spec[*keyspace.Tx]{
		Meta: command.Meta{Name: "TROUBLE", Arity: 1, Summary: "Refuses writes.", Group: "generic", Since: "0.1.0"},
		Run: func(*keyspace.Tx, *command.Args) resp.Reply {
			s.Server.SetCondition(func(c *session.Condition) { c.Writes = resp.Error("MISCONF the disk is gone") })
			return resp.OK
		},
	})
	c.AddData(&table)
}

// A script that has written goes on writing when the disk fails in the middle of it, as
// in Redis: or else half of it would stay. One that has not yet is refused.
func TestTroubleInAScript(t *testing.T) {
	t.Parallel()
	f := func(script, want string, left int) {
		t.Helper()
		db, err := Open(Options{Shards: 2, Families: []Family{troubling}})
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		_, err = db.Do(background, "EVAL", script, 2, "a", "b")
		if got := fmt.Sprint(err); !strings.Contains(got, want) {
			t.Errorf("%s: the error is %s, want %s", script, got, want)
		}
		if n := do(t, db, "EXISTS", "a", "b").Int(); n != int64(left) {
			t.Errorf("%s: %d keys are there, want %d", script, n, left)
		}
	}
	f("redis.call('SET', 'a', '1') redis.call('TROUBLE') redis.call('SET', 'b', '1')", "<nil>", 2)
	f("redis.call('TROUBLE') redis.call('SET', 'a', '1') redis.call('SET', 'b', '1')", "MISCONF", 0)
}
