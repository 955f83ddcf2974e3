package conn

import (
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/session"
	live "github.com/troupedb/troupe/subscription/watch"
)

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name: "WATCHES", Arity: -2, Complexity: "Depends on the subcommand",
		Summary: "Commands about the live queries of all clients.",
		Group:   "server", Since: "0.1.0", Flags: command.SubCommands,
		Examples: "> WATCHES\n-ERR wrong number of arguments for 'watches' command\n" +
			"> WATCHES NONSENSE\n-ERR unknown subcommand 'NONSENSE'. Try WATCHES HELP.\n",
	},
})

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name: "WATCHES|LIST", Syntax: "[COUNT count]", Arity: -2,
		Complexity: "O(N log N), where N is the number of distinct live queries",
		Summary:    "Describes the distinct live queries, the oldest first.",
		Group:      "server", Since: "0.1.0", Flags: control | command.Admin | command.Random,
		Examples: "> WATCHES LIST\n[]\n> WATCHES LIST COUNT 1\n[]\n> WATCHES LIST COUNT 0\n-ERR COUNT must be positive\n> WATCHES LIST ALL\n-ERR syntax error\n",
	},
	Run: listWatches,
})

var errCountPositive = resp.Error("ERR COUNT must be positive")

func listWatches(s *session.Session, a *command.Args) resp.Reply {
	all := s.Server().Watches.List()
	if a.OptionWith("COUNT", 1) {
		if n := a.IntOr(errCountPositive); n <= 0 {
			a.Fail(errCountPositive)
		} else {
			all = all[:min(n, int64(len(all)))]
		}
	}
	if a.More() {
		a.Syntax()
	}
	if a.Bad() {
		return a.Err()
	}
	lines := make([]resp.Reply, len(all))
	for i := range all {
		lines[i] = describeWatch(&all[i])
	}
	return resp.Array(lines...)
}

// describeWatch tells of a live query. What is not known before the first
// evaluation is null.
func describeWatch(one *live.Info) resp.Reply {
	version, kind, keys, size := resp.Nil, resp.Nil, resp.Nil, resp.Nil
	if st := one.State; st != nil {
		version, kind = resp.Int(int64(st.Version)), resp.BulkString(string(st.Kind))
		keys, size = resp.Int(int64(st.Keys)), resp.Int(int64(st.Size()))
	}
	return pairs(
		"query", resp.BulkString(one.Text()), "fingerprint", resp.BulkString(one.Fingerprint(0).String()),
		"database", resp.Int(int64(one.DB)), "user", resp.BulkString(one.User),
		"watches", resp.Int(int64(one.Watches)), "keys", keys, "version", version, "kind", kind, "bytes", size,
		"evaluations", resp.Int(one.Evaluations), "pushes", resp.Int(one.Pushes), "covered", resp.Int(one.Covered),
		"usec", resp.Int(one.Nanos/1000), "usec-per-evaluation", resp.Double(one.MicrosEach()))
}

// pairs is a map of names and replies, which take turns.
func pairs(items ...any) resp.Reply {
	replies := make([]resp.Reply, len(items))
	for i := range items {
		if name, ok := items[i].(string); ok {
			replies[i] = resp.BulkString(name)
		} else {
			replies[i] = items[i].(resp.Reply)
		}
	}
	return resp.Map(replies...)
}

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name: "WATCHES|STATS", Arity: 2, Complexity: "O(1)",
		Summary: "Tells how many live queries there are and what they have done, with the limits.",
		Group:   "server", Since: "0.1.0", Flags: control | command.Admin | command.Random,
		Examples: "> WATCHES STATS\n%{\"queries\": :0, \"watches\": :0, \"evaluations\": :0, \"pushes\": :0, \"covered\": :0, \"usec\": :0, \"usec-per-evaluation\": ,0, " +
			"\"maxwatches\": :1000000, \"maxwatches-per-client\": :10000, \"watch-max-result\": :1048576}\n" +
			"> WATCHES STATS all\n-ERR wrong number of arguments for 'watches|stats' command\n",
	},
	Run: func(s *session.Session, _ *command.Args) resp.Reply {
		r := s.Server().Watches
		totals, queries, watches := r.Stats()
		return pairs("queries", resp.Int(int64(queries)), "watches", resp.Int(watches),
			"evaluations", resp.Int(totals.Evaluations), "pushes", resp.Int(totals.Pushes), "covered", resp.Int(totals.Covered),
			"usec", resp.Int(totals.Nanos/1000), "usec-per-evaluation", resp.Double(totals.MicrosEach()),
			"maxwatches", resp.Int(r.Limits.Watches.Load()), "maxwatches-per-client", resp.Int(r.Limits.Client.Load()),
			"watch-max-result", resp.Int(r.Limits.Result.Load()))
	},
})

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name: "WATCHES|KILL", Syntax: "fingerprint", Arity: 3, Complexity: "O(N), where N is the number of distinct live queries",
		Summary: "Ends the live queries with the fingerprint, of all clients and in all databases, and tells how many watches there were.",
		Group:   "server", Since: "0.1.0", Flags: control | command.Admin,
		Examples: "> WATCHES KILL 380d3c1e1f9803f0\n:0\n> WATCHES KILL k\n-ERR a fingerprint has 16 hexadecimal digits\n",
	},
	Run: func(s *session.Session, a *command.Args) resp.Reply {
		fingerprint, ok := live.ParseFingerprint(a.Bytes())
		if !ok {
			return resp.Error("ERR a fingerprint has 16 hexadecimal digits")
		}
		return resp.Int(int64(s.Server().Watches.Kill(fingerprint, errWatchKilled)))
	},
})

// errWatchKilled is the reason in the last frame of a live query that was
// killed.
var errWatchKilled = resp.Error("ERR the live query was ended by WATCHES KILL")
