package conn

import (
	"cmp"
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
		text = append(one.AppendInfo(text, s, a.Meta()), '\n')
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
	return resp.VerbatimText("txt", string(append(s.AppendInfo(nil, s, a.Meta()), '\n')))
}
