package conn

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/session"
)

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name: "CLIENT|LIST", Syntax: "[TYPE <NORMAL | MASTER | REPLICA | PUBSUB>] [ID client-id [client-id ...]]", Arity: -2,
		Complexity: "O(N), where N is the number of connections",
		Summary:    "Describes the connections, a line each.",
		Group:      "connection", Since: "0.1.0", Flags: control | command.Admin | command.Random,
		Examples: "> CLIENT LIST TYPE replica\n=txt:\"\"\n> CLIENT LIST ID 99\n=txt:\"\"\n> CLIENT LIST ID me\n-ERR Invalid client ID\n" +
			"> CLIENT LIST TYPE odd\n-ERR Unknown client type 'odd'\n",
	},
	Run: listClients,
})

var errClientID = resp.Error("ERR Invalid client ID")

func listClients(s *session.Session, a *command.Args) resp.Reply {
	var listed []*session.Session
	switch {
	case a.Len() == 0:
		listed = clientsByAge(s.Server())
	case a.OptionWith("TYPE", 1) && a.Len() == 1:
		kind := readKind(a)
		listed = slices.DeleteFunc(clientsByAge(s.Server()), func(one *session.Session) bool { return kindOf(one) != kind })
	case a.OptionWith("ID", 1):
		listed = readClients(s.Server(), a)
	default:
		a.Syntax()
	}
	if a.Bad() {
		return a.Err()
	}
	var text []byte
	for _, one := range listed {
		text = append(appendClient(text, one, s, a.Meta()), '\n')
	}
	return resp.VerbatimText("txt", string(text))
}

// clientsByAge are all sessions, the oldest first.
func clientsByAge(server *session.Server) []*session.Session {
	all := server.Sessions()
	slices.SortFunc(all, func(x, y *session.Session) int { return cmp.Compare(x.ID(), y.ID()) })
	return all
}

// readClients reads the numbers of sessions; those that are gone are left out.
func readClients(server *session.Server, a *command.Args) (found []*session.Session) {
	for a.More() {
		if one := server.Session(uint64(a.IntOr(errClientID))); one != nil {
			found = append(found, one)
		}
	}
	return found
}

// The kinds of clients, by whom CLIENT LIST and CLIENT KILL choose. There are
// no masters and no replicas yet.
const (
	kindNormal  = "normal"
	kindMaster  = "master"
	kindReplica = "replica"
	kindPubSub  = "pubsub"
)

func readKind(a *command.Args) string {
	for _, kind := range []struct{ word, kind string }{
		{"NORMAL", kindNormal}, {"SLAVE", kindReplica}, {"REPLICA", kindReplica}, {"PUBSUB", kindPubSub}, {"MASTER", kindMaster},
	} {
		if a.Option(kind.word) {
			return kind.kind
		}
	}
	a.Fail(resp.Error("ERR Unknown client type '" + string(a.Peek()) + "'"))
	return ""
}

func kindOf(one *session.Session) string {
	if one.Flags.Load()&session.FlagPubSub != 0 {
		return kindPubSub
	}
	return kindNormal
}

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name: "CLIENT|INFO", Arity: 2, Complexity: "O(1)",
		Summary: "Describes this connection, in a line as CLIENT LIST has it.",
		Group:   "connection", Since: "0.1.0", Flags: control | command.Random,
		Examples: "> CLIENT INFO\n*\n> CLIENT INFO all\n-ERR wrong number of arguments for 'client|info' command\n",
	},
	Run: clientInfo,
})

func clientInfo(s *session.Session, a *command.Args) resp.Reply {
	return resp.VerbatimText("txt", string(append(appendClient(nil, s, s, a.Meta()), '\n')))
}

// appendClient describes a session. asking is the one that asks, by the command
// asked. What a session keeps in its transport's buffers is not known to
// others, so the fields for them, which clients expect, are zero.
func appendClient(dst []byte, one, asking *session.Session, asked *command.Meta) []byte {
	now := one.Server().Millis()
	idle, last := (now-one.Used.Load())/1000, one.Last.Load()
	if one == asking {
		idle, last = 0, asked
	}
	name := "NULL"
	if last != nil {
		name = last.Lower()
	}
	unsent := one.Unsent.Load()
	queued, events := 0, "r"
	if unsent > 0 {
		queued, events = 1, "rw"
	}
	patterns := one.Patterns.Load()
	dst = fmt.Appendf(dst, "id=%d addr=%s laddr=%s fd=%d name=%s age=%d idle=%d flags=%s db=%d sub=%d psub=%d ssub=%d multi=%d watch=%d",
		one.ID(), one.Address(), one.LocalAddress(), one.FD(), *one.Name.Load(), max(now-one.Born, 0)/1000, max(idle, 0),
		clientFlags(one), one.DB.Load(), one.Channels.Load()-patterns, patterns, one.ShardChannels.Load(), one.Queued.Load(), one.Locks.Load())
	return fmt.Appendf(dst, " qbuf=0 qbuf-free=0 argv-mem=0 multi-mem=0 rbs=0 rbp=0 obl=0 oll=%d omem=%d tot-mem=%d events=%s cmd=%s user=%s "+
		"redir=%d resp=%d lib-name=%s lib-ver=%s live=%d",
		queued, unsent, one.Memory(), events, name, *one.User.Load(), one.Redirect.Load(), one.Proto.Load(), *one.LibName.Load(), *one.LibVer.Load(), one.Watching.Load())
}

// clientFlags are a session's flags in Redis's letters.
func clientFlags(one *session.Session) string {
	var letters []byte
	flags := one.Flags.Load()
	for _, f := range []struct {
		flag   uint32
		letter byte
	}{
		{session.FlagMonitor, 'O'}, {session.FlagPubSub, 'P'}, {session.FlagMulti, 'x'}, {session.FlagBlocked, 'b'},
		{session.FlagTracking, 't'}, {session.FlagBrokenRedirect, 'R'}, {session.FlagBroadcast, 'B'},
		{session.FlagDirty, 'd'}, {session.FlagNoEvict, 'e'}, {session.FlagNoTouch, 'T'},
	} {
		if flags&f.flag != 0 {
			letters = append(letters, f.letter)
		}
	}
	if one.Unix() {
		letters = append(letters, 'U')
	}
	if len(letters) == 0 {
		return "N"
	}
	return string(letters)
}
