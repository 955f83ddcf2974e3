package set_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/troupedb/troupe/keyspace/set"
	"github.com/troupedb/troupe/keyspace/shardtest"
	"github.com/troupedb/troupe/resp"
)

// Arity, flags, categories and key flags are what redis-server's COMMAND INFO
// says.
func TestInfoAsRedis(t *testing.T) {
	t.Parallel()
	redis := shardtest.DialRedis(t)
	for _, spec := range set.Commands.Specs() {
		reply, _, err := resp.Decode(redis.Ask([][][]byte{words("COMMAND", "INFO", spec.Name)})[0])
		if err != nil {
			t.Fatal(err)
		}
		info := reply.Items()[0].Items()
		f := func(what, got, want string) {
			t.Helper()
			if got != want {
				t.Errorf("%s: %s is %s, Redis has %s", spec.Name, what, got, want)
			}
		}
		f("arity", resp.Format(resp.Int(int64(spec.Arity))), resp.Format(info[1]))
		f("flags", list(spec.Flags.Names()), strings.ReplaceAll(list(sorted(info[2])), "movablekeys ", ""))
		f("categories", list(spec.ACL()), strings.ReplaceAll(list(sorted(info[6])), "@", ""))
		var ours, theirs []string
		for _, key := range spec.Keys {
			ours = append(ours, list(key.Flags.Names()))
		}
		for _, key := range info[8].Items() {
			theirs = append(theirs, list(sorted(key.Items()[1])))
		}
		f("keys", strings.Join(ours, "; "), strings.Join(theirs, "; "))
	}
}

// list is names in order.
func list(names []string) string {
	slices.Sort(names)
	return strings.Join(names, " ")
}
