package config

import (
	"errors"
	"strings"

	"github.com/troupedb/troupe/actors"
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/session"
)

// Commands is the family CONFIG.
var Commands command.Table[*Call]

// Call is a CONFIG command on its way: the settings and the client that asks.
type Call struct {
	*Config
	client *session.Session
}

// family adds the commands to a system's catalogue.
func (c *Config) family(_ *actors.System, catalogue *session.Catalogue) {
	session.AddFor(catalogue, &Commands, func(s *session.Session) *Call { return &Call{c, s} })
}

// adminFlags are those of all subcommands but HELP.
const adminFlags = command.Admin | command.NoScript | command.Loading | command.Stale

var (
	_ = Commands.Add(command.Spec[*Call]{
		Meta: command.Meta{
			Name: "CONFIG", Arity: -2, Complexity: "Depends on the subcommand.",
			Summary: "A container for the commands about the server's settings.",
			Group:   "server", Since: "0.1.0", Flags: command.SubCommands,
			Examples: "> CONFIG\n-ERR wrong number of arguments for 'config' command\n" +
				"> CONFIG NONSENSE\n-ERR unknown subcommand 'NONSENSE'. Try CONFIG HELP.\n",
		},
	})
	_ = Commands.Add(command.Spec[*Call]{
		Meta: command.Meta{
			Name: "CONFIG|GET", Syntax: "parameter [parameter ...]", Arity: -3, Complexity: "O(N), N being the number of settings and patterns.",
			Summary: "Returns the values of the settings whose names match one of the patterns.",
			Group:   "server", Since: "0.1.0", Flags: adminFlags,
			Examples: "> CONFIG GET databases\n%{\"databases\": \"16\"}\n> CONFIG GET nosuchthing\n%{}\n" +
				"> CONFIG GET\n-ERR wrong number of arguments for 'config|get' command\n",
		},
		Run: get,
	})
	_ = Commands.Add(command.Spec[*Call]{
		Meta: command.Meta{
			Name: "CONFIG|SET", Syntax: "parameter value [parameter value ...]", Arity: -4, Complexity: "O(N), N being the number of settings given.",
			Summary: "Changes settings of the running server, all of those that are given or none.",
			Group:   "server", Since: "0.1.0", Flags: adminFlags, Secrets: secretValues,
			Examples: "> CONFIG SET hash-max-listpack-entries 64 timeout 0\n+OK\n> CONFIG GET hash-max-listpack-entries\n%{\"hash-max-listpack-entries\": \"64\"}\n" +
				"> CONFIG SET timeout soon\n-ERR CONFIG SET failed (possibly related to argument 'timeout') - argument couldn't be parsed into an integer\n" +
				"> CONFIG SET cluster-enabled yes\n-ERR CONFIG SET failed (possibly related to argument 'cluster-enabled') - can't set immutable config\n",
		},
		Run: set,
	})
	_ = Commands.Add(command.Spec[*Call]{
		Meta: command.Meta{
			Name: "CONFIG|RESETSTAT", Arity: 2, Complexity: "O(1)",
			Summary: "Sets the counters that INFO shows to zero.",
			Group:   "server", Since: "0.1.0", Flags: adminFlags,
			Examples: "> CONFIG RESETSTAT\n+OK\n> CONFIG RESETSTAT now\n-ERR wrong number of arguments for 'config|resetstat' command\n",
		},
		Run: resetStat,
	})
	_ = Commands.Add(command.Spec[*Call]{
		Meta: command.Meta{
			Name: "CONFIG|REWRITE", Arity: 2, Complexity: "O(N), N being the number of lines of the file.",
			Summary: "Writes the settings that have been changed into the file that the server was started with.",
			Group:   "server", Since: "0.1.0", Flags: adminFlags,
			Examples: "> CONFIG REWRITE now\n-ERR wrong number of arguments for 'config|rewrite' command\n" +
				"> CONFIG REWRITE\n-ERR The server is running without a config file\n",
		},
		Run: rewrite,
	})
)

func get(c *Call, a *command.Args) resp.Reply {
	var items []resp.Reply
	shown := map[string]bool{}
	show := func(row *Setting, name string) {
		if key := strings.ToLower(name); !shown[key] {
			shown[key] = true
			items = append(items, resp.BulkString(name), resp.BulkString(c.value(row)))
		}
	}
	for a.More() {
		word := a.Bytes()
		if strings.ContainsAny(string(word), "*?[") {
			matching(word, show)
		} else if row := Named(string(word)); row != nil && row.Kind != Directive {
			show(row, string(word))
		}
	}
	return resp.Map(items...)
}

// matching shows the settings that a pattern means, under both their names.
func matching(pattern []byte, show func(row *Setting, name string)) {
	for _, row := range Table {
		if row.Hidden || row.Kind == Directive {
			continue
		}
		for _, name := range []string{row.Name, row.Alias} {
			if name != "" && command.MatchFold(pattern, []byte(name)) {
				show(row, name)
			}
		}
	}
}

func set(c *Call, a *command.Args) resp.Reply {
	words := a.Rest()
	if len(words)%2 != 0 {
		return resp.ErrSyntax
	}
	var changes []Change
	readsFiles := false
	for ; len(words) > 0; words = words[2:] {
		changes = append(changes, Change{string(words[0]), string(words[1])})
		row := Named(string(words[0]))
		readsFiles = readsFiles || row != nil && row.Group == groupTLS
	}
	trusted, config := c.Allows("enable-protected-configs", c.client.IsLocal()), c.Config
	if readsFiles { // which an event loop must not wait for
		return c.client.Elsewhere(func() resp.Reply { return setReply(config.Set(changes, trusted)) })
	}
	return setReply(config.Set(changes, trusted))
}

// setReply is the answer to CONFIG SET.
func setReply(err error) resp.Reply {
	var refused *Refusal
	switch {
	case err == nil:
		return resp.OK
	case !errors.As(err, &refused):
		return resp.Error("ERR CONFIG SET failed - " + err.Error())
	case refused.IsUnknown:
		return resp.Error("ERR Unknown option or number of arguments for CONFIG SET - '" + refused.Name + "'")
	}
	return resp.Error("ERR CONFIG SET failed (possibly related to argument '" + refused.Name + "') - " + refused.Reason)
}

// secretValues are the values of settings that are passwords.
func secretValues(argv [][]byte) (places []int) {
	whole := len(argv)%2 == 0 // if not, what is a value and what a name is anybody's guess
	for i := 2; i+1 < len(argv); i += 2 {
		row := Named(string(argv[i]))
		if row == nil || !row.Secret {
			continue
		}
		places = append(places, i+1)
		for k := i + 2; k < len(argv) && !whole; k++ {
			places = append(places, k)
		}
	}
	return places
}

// resetStat sets the counters to zero. Those of the shards follow, before any
// command that this client sends afterwards.
func resetStat(c *Call, _ *command.Args) resp.Reply {
	server := c.client.Server()
	server.ResetStats()
	x := &keyspace.Execute{Encoder: resp.V2, Requests: []keyspace.Request{{Do: func(tx *keyspace.Tx) resp.Reply {
		tx.EachShard(func(sh *keyspace.Shard) { sh.Stats = keyspace.Stats{} })
		return resp.OK
	}}}}
	server.Node.VisitAll(x)
	server.Node.Post(x, keyspace.Nobody{})
	return resp.OK
}

// rewrite works with files, which an event loop must not wait for.
func rewrite(c *Call, _ *command.Args) resp.Reply {
	config, log := c.Config, c.client.Server().Log
	return c.client.Elsewhere(func() resp.Reply {
		err := config.Rewrite()
		switch {
		case errors.Is(err, errNoFile):
			return resp.Error("ERR " + err.Error())
		case err != nil:
			log.Error("settings not written", "error", err)
			return resp.Error("ERR " + err.Error())
		}
		log.Info("settings written", "file", config.File())
		return resp.OK
	})
}
