package conn

import (
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/session"
)

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name: "HELLO", Syntax: "[protover [AUTH username password] [SETNAME clientname]]", Arity: -1, Complexity: "O(1)",
		Summary: "Tells what the server is, and chooses the protocol, RESP2 or RESP3; can log in and name the connection on the way.",
		Group:   "connection", Since: "0.1.0", Flags: control | command.Fast | command.NoAuth | command.AllowBusy,
		Secrets: helloSecrets,
		Examples: "> HELLO 3\n%{\"server\": \"redis\", \"version\": *, \"proto\": :3, \"id\": *, \"mode\": \"standalone\", \"role\": \"master\", \"modules\": []}\n" +
			"> HELLO 4\n-NOPROTO unsupported protocol version\n> HELLO three\n-ERR Protocol version is not an integer or out of range\n" +
			"> HELLO 2 AUTH nobody secret\n-WRONGPASS invalid username-password pair or user is disabled.\n" +
			"> HELLO 2 SETNAME\n-ERR Syntax error in HELLO option 'SETNAME'\n",
	},
	Run: hello,
})

var (
	errProtocol   = resp.Error("ERR Protocol version is not an integer or out of range")
	errHelloFirst = resp.Error("NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO AUTH <user> <pass> " +
		"option can be used to authenticate the client and select the RESP protocol version at the same time")
)

// greeting is what a HELLO asks for. proto is 0 if it leaves that as it is.
type greeting struct {
	proto          int
	login, rename  bool
	user, password []byte
	name           []byte
}

func hello(s *session.Session, a *command.Args) resp.Reply {
	g := readGreeting(a)
	switch {
	case a.Bad():
		return a.Err()
	case g.login && !s.Login(g.user, g.password, a):
		return resp.ErrWrongPass
	case !s.LoggedIn():
		return errHelloFirst
	}
	if g.rename {
		setName(s, g.name)
	}
	if g.proto != 0 {
		s.SetProtocol(g.proto)
	}
	return resp.Map(
		resp.BulkString("server"), resp.BulkString("redis"),
		resp.BulkString("version"), resp.BulkString(session.RedisVersion),
		resp.BulkString("proto"), resp.Int(int64(s.Protocol())),
		resp.BulkString("id"), resp.Int(int64(s.ID())),
		resp.BulkString("mode"), resp.BulkString("standalone"),
		resp.BulkString("role"), resp.BulkString("master"),
		resp.BulkString("modules"), resp.EmptyList,
	)
}

// helloSecrets are the user and the password behind AUTH, wherever it stands.
func helloSecrets(argv [][]byte) []int {
	for i := range argv {
		if command.EqualFold(argv[i], "AUTH") {
			return []int{i + 1, i + 2}
		}
	}
	return nil
}

func readGreeting(a *command.Args) (g greeting) {
	if a.Len() == 0 {
		return g
	}
	if g.proto = int(a.IntOr(errProtocol)); !a.Bad() && g.proto != 2 && g.proto != 3 {
		a.Fail(resp.ErrNoProto)
	}
	for a.More() {
		switch {
		case a.OptionWith("AUTH", 2):
			g.login, g.user, g.password = true, a.Bytes(), a.Bytes()
		case a.OptionWith("SETNAME", 1):
			if g.rename, g.name = true, a.Bytes(); !isPlainWord(g.name) {
				a.Fail(errName)
			}
		default:
			a.Fail(resp.Error("ERR Syntax error in HELLO option '" + string(a.Bytes()) + "'"))
		}
	}
	return g
}
