package acl

import (
	"strings"
	"testing"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

// sample are a few commands of every shape, as families declare them.
var sample = func() *Commands {
	var table command.Table[int]
	var metas []*command.Meta
	read, write := command.RO|command.Access, command.OW|command.Update
	for _, m := range []command.Meta{
		{Name: "GET", Group: "string", Flags: command.ReadOnly | command.Fast, Keys: command.OneKey(read)},
		{Name: "SET", Group: "string", Flags: command.Write, Keys: command.OneKey(write)},
		{Name: "INCR", Group: "string", Flags: command.Write | command.Fast, Keys: command.OneKey(read | write)},
		{Name: "EXISTS", Group: "generic", Flags: command.ReadOnly | command.Fast, Keys: command.OneKey(command.RO)},
		{Name: "COPY", Group: "generic", Flags: command.Write, Keys: []command.Keys{{First: 1, Flags: read}, {First: 2, Flags: write}}},
		{Name: "DEL", Group: "generic", Flags: command.Write, Keys: []command.Keys{{First: 1, Last: -1, Flags: command.RM | command.Delete}}},
		{Name: "EVAL", Group: "scripting", Keys: []command.Keys{{First: 2, Counted: true, Flags: read | write}}},
		{Name: "SELECT", Group: "connection", Flags: command.Fast},
		{Name: "AUTH", Group: "connection", Flags: command.Fast | command.NoAuth},
		{Name: "PUBLISH", Group: "pubsub", Flags: command.PubSub | command.Fast, Channels: command.OneChannel},
		{Name: "SUBSCRIBE", Group: "pubsub", Flags: command.PubSub, Channels: command.ManyChannels},
		{Name: "PSUBSCRIBE", Group: "pubsub", Flags: command.PubSub, Channels: command.ChannelPatterns},
		{Name: "SSUBSCRIBE", Group: "pubsub", Flags: command.PubSub, Channels: command.ManyChannels, Keys: []command.Keys{{First: 1, Last: -1, Flags: command.NotKey}}},
		{Name: "CONFIG", Group: "server", Flags: command.SubCommands},
		{Name: "CONFIG|GET", Group: "server", Flags: command.Admin},
		{Name: "CONFIG|SET", Group: "server", Flags: command.Admin},
		{Name: "OBJECT", Group: "generic", Flags: command.SubCommands},
		{Name: "OBJECT|ENCODING", Group: "generic", Flags: command.ReadOnly, Keys: []command.Keys{{First: 2, Flags: command.RO}}},
	} {
		m.Arity, m.Summary, m.Since = -1, "A sample.", "0.1.0"
		spec := table.Add(command.Spec[int]{Meta: m, Run: func(int, *command.Args) resp.Reply { return resp.OK }})
		spec.SetID(len(metas))
		metas = append(metas, &spec.Meta)
	}
	return NewCommands(metas)
}()

// made is a user of these rules.
func made(t *testing.T, rules string) (*Users, *User) {
	t.Helper()
	us := NewUsers(sample)
	a, err := us.Set("u", strings.Fields(rules))
	if err != nil {
		t.Fatalf("%s: %v", rules, err)
	}
	return us, a.Now()
}

// words are a command and the declaration it means.
func words(t *testing.T, text string) (*command.Meta, [][]byte) {
	t.Helper()
	parts := strings.Fields(text)
	argv := make([][]byte, len(parts))
	for i, part := range parts {
		argv[i] = []byte(part)
	}
	if len(parts) > 1 {
		if e := sample.find(parts[0] + "|" + parts[1]); e != nil {
			return e.Meta, argv
		}
	}
	e := sample.find(parts[0])
	if e == nil {
		t.Fatalf("no such command: %s", text)
	}
	return e.Meta, argv
}
