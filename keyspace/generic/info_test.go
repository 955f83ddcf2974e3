package generic_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/troupedb/troupe/keyspace/generic"
	"github.com/troupedb/troupe/keyspace/shardtest"
	"github.com/troupedb/troupe/keyspace/str"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

// Arity, flags, categories and keys are what redis-server's COMMAND INFO says
// of each command that it knows.
func TestInfoAsRedis(t *testing.T) {
	t.Parallel()
	redis := shardtest.DialRedis(t)
	compared := 0
	for _, family := range families {
		for _, spec := range family.Specs() {
			reply := redis.Ask(words("COMMAND INFO " + spec.Lower()))[0]
			r, _, err := resp.Decode(reply)
			if err != nil || r.IsError() || r.Items()[0].IsNull() {
				continue // not one of Redis's
			}
			compared++
			compareInfo(t, &spec.Meta, r.Items()[0].Items())
		}
	}
	if compared < 60 {
		t.Errorf("only %d commands were compared", compared)
	}
}

// The examples are true of redis-server as well, but for what it does not have.
func TestExamplesAsRedis(t *testing.T) {
	t.Parallel()
	redis := shardtest.DialRedis(t)
	for _, family := range []shardtest.Family{&str.Commands, &generic.Commands} {
		for _, spec := range family.Specs() {
			if spec.Name != "DELIFEQ" && spec.Name != "KEYRANGE" && !strings.Contains(spec.Examples, "IFEQ") {
				redis.Play(spec.Examples)
			}
		}
	}
}

func compareInfo(t *testing.T, m *command.Meta, info []resp.Reply) {
	f := func(what string, got, want any) {
		t.Helper()
		if got != want {
			t.Errorf("%s: %s is %v, Redis has %v", m.Name, what, got, want)
		}
	}
	f("arity", int64(m.Arity), info[1].Int())
	known := slices.DeleteFunc(strs(info[2]), func(flag string) bool {
		return flag == "asking" || flag == "movablekeys" // for nodes of a cluster; told by where the keys are
	})
	f("flags", setOf(m.Flags.Names()), setOf(known))
	if !m.Flags.Has(command.SubCommands) {
		f("categories", setOf(m.ACL()), strings.ReplaceAll(setOf(strs(info[6])), "@", ""))
	}
	var flags []string
	for _, k := range m.Keys {
		flags = append(flags, setOf(k.Flags.Names()))
	}
	var want []string
	for _, spec := range info[8].Items() {
		for i := 0; i < len(spec.Items()); i += 2 {
			if spec.Items()[i].Str() == "flags" {
				want = append(want, setOf(strs(spec.Items()[i+1])))
			}
		}
	}
	f("keys", strings.Join(flags, "; "), strings.Join(want, "; "))
}

func strs(r resp.Reply) (list []string) {
	for _, item := range r.Items() {
		list = append(list, item.Str())
	}
	return list
}

func setOf(list []string) string {
	list = slices.Clone(list)
	slices.Sort(list)
	return strings.Join(list, " ")
}
