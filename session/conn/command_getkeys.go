package conn

import (
	"slices"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/session"
)

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name: "COMMAND|GETKEYS", Syntax: "command [arg [arg ...]]", Arity: -4, Complexity: "O(N), where N is the number of words",
		Summary: "Tells which words of a command are keys.",
		Group:   "server", Since: "0.1.0", Flags: anytime, Categories: []string{"connection"}, HoldsCommand: true,
		Examples: "> COMMAND GETKEYS SET k v\n[\"k\"]\n> COMMAND GETKEYS PING hello\n-ERR The command has no key arguments\n" +
			"> COMMAND GETKEYS NONSENSE a\n-ERR Invalid command specified\n> COMMAND GETKEYS GET a b\n-ERR Invalid number of arguments specified for command\n",
	},
	Run: getKeys,
})

func getKeys(s *session.Session, a *command.Args) resp.Reply {
	words := a.Rest()
	keys, err := keysOf(s.Server().Catalogue, words)
	if err.IsError() {
		return err
	}
	items := make([]resp.Reply, len(keys))
	for i, key := range keys {
		items[i] = resp.Bulk(words[key.Pos])
	}
	return resp.Array(items...)
}

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name: "COMMAND|GETKEYSANDFLAGS", Syntax: "command [arg [arg ...]]", Arity: -4, Complexity: "O(N), where N is the number of words",
		Summary: "Tells which words of a command are keys, and what it does to each.",
		Group:   "server", Since: "0.1.0", Flags: anytime, Categories: []string{"connection"}, HoldsCommand: true,
		Examples: "> COMMAND GETKEYSANDFLAGS GET k\n[[\"k\", ~[+RO, +access]]]\n" +
			"> COMMAND GETKEYSANDFLAGS NONSENSE a\n-ERR Invalid command specified\n",
	},
	Run: getKeysAndFlags,
})

func getKeysAndFlags(s *session.Session, a *command.Args) resp.Reply {
	words := a.Rest()
	keys, err := keysOf(s.Server().Catalogue, words)
	if err.IsError() {
		return err
	}
	items := make([]resp.Reply, len(keys))
	for i, key := range keys {
		items[i] = resp.Array(resp.Bulk(words[key.Pos]), statusSet((key.Flags &^ command.Variable).Names()))
	}
	return resp.Array(items...)
}

var (
	errNoCommand = resp.Error("ERR Invalid command specified")
	errNoKeys    = resp.Error("ERR The command has no key arguments")
	errWordCount = resp.Error("ERR Invalid number of arguments specified for command")
	errWords     = resp.Error("ERR Invalid arguments specified for command")
)

// keysOf finds the keys of a command that is not run.
func keysOf(c *session.Catalogue, words [][]byte) (keys []command.KeyAt, err resp.Reply) {
	row := c.Lookup(words)
	switch {
	case row == nil || row.IsContainer(len(words)):
		return nil, errNoCommand
	case row.Keyless() || namesChannels(row.Meta):
		return nil, errNoKeys
	case !row.ArityOK(len(words)):
		return nil, errWordCount
	}
	keys, ok := row.AppendKeys(nil, words)
	hasKeys := len(keys) > 0 && (ok || !counts(row.Meta))
	switch {
	case row.Flags.Has(command.NoMandatoryKeys):
		if !hasKeys {
			keys = nil
		}
	case !hasKeys || lacksKeys(row.Meta, words):
		return nil, errWords
	}
	return keys, resp.Nothing
}

// namesChannels reports whether what looks like keys only tells where to go.
func namesChannels(m *command.Meta) bool {
	return len(m.Keys) > 0 && !slices.ContainsFunc(m.Keys, func(k command.Keys) bool { return k.Flags&command.NotKey == 0 })
}

// counts reports whether the command is told how many keys follow.
func counts(m *command.Meta) bool {
	return slices.ContainsFunc(m.Keys, func(k command.Keys) bool { return k.Counted })
}

// lacksKeys reports whether one of the specifications has no key: it counts
// none, or begins behind the last word.
func lacksKeys(m *command.Meta, words [][]byte) bool {
	return slices.ContainsFunc(m.Keys, func(k command.Keys) bool {
		switch {
		case k.Keyword != "" || k.Flags&command.Incomplete != 0:
			return false
		case k.First >= len(words):
			return true
		}
		return k.Counted && string(words[k.First]) == "0"
	})
}
