package conn

import (
	"math"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/session"
)

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name: "CLIENT|KILL", Arity: -3, Complexity: "O(N), where N is the number of connections",
		Syntax: "<ip:port | <[ID client-id] | [TYPE <NORMAL | MASTER | SLAVE | REPLICA | PUBSUB>] | [USER username] | [ADDR ip:port] | " +
			"[LADDR ip:port] | [SKIPME <YES | NO>] | [MAXAGE maxage]> [...]>",
		Summary: "Closes the connection with the address, or those that all the options choose.",
		Group:   "connection", Since: "0.1.0", Flags: control | command.Admin,
		Examples: "> CLIENT KILL ID 99\n:0\n> CLIENT KILL 127.0.0.1:1\n-ERR No such client\n" +
			"> CLIENT KILL USER nobody\n-ERR No such user 'nobody'\n> CLIENT KILL TYPE odd\n-ERR Unknown client type 'odd'\n" +
			"> CLIENT KILL ID zero\n-ERR client-id should be greater than 0\n> CLIENT KILL ID 0 SKIPME no\n-ERR client-id should be greater than 0\n",
	},
	Run: killClients,
})

var (
	errNoClient = resp.Error("ERR No such client")
	errKillID   = resp.Error("ERR client-id should be greater than 0")
	errMaxAge   = resp.Error("ERR maxage is not an integer or out of range")
)

// choice is which sessions CLIENT KILL closes: those that agree in all that is
// set.
type choice struct {
	id                       uint64
	kind, addr, laddr, owner string
	maxAge                   int64 // seconds
	skipMe                   bool
}

func killClients(s *session.Session, a *command.Args) resp.Reply {
	if a.Len() == 1 {
		which := choice{addr: string(a.Bytes())}
		if which.kill(s) == 0 {
			return errNoClient
		}
		return resp.OK
	}
	which := readChoice(s, a)
	if a.Bad() {
		return a.Err()
	}
	return resp.Int(int64(which.kill(s)))
}

func readChoice(s *session.Session, a *command.Args) choice {
	which := choice{skipMe: true}
	for a.More() {
		switch {
		case a.OptionWith("ID", 1):
			which.id = uint64(a.IntIn(1, math.MaxInt64, errKillID))
		case a.OptionWith("TYPE", 1):
			which.kind = readKind(a)
		case a.OptionWith("ADDR", 1):
			which.addr = string(a.Bytes())
		case a.OptionWith("LADDR", 1):
			which.laddr = string(a.Bytes())
		case a.OptionWith("USER", 1):
			which.owner = readUser(s.Server(), a)
		case a.OptionWith("MAXAGE", 1):
			which.maxAge = a.IntIn(0, math.MaxInt64, errMaxAge)
		case a.OptionWith("SKIPME", 1):
			if which.skipMe = a.Option("YES"); !which.skipMe && !a.Option("NO") {
				a.Syntax()
			}
		default:
			a.Syntax()
		}
	}
	return which
}

// readUser reads the name of a user that exists.
func readUser(server *session.Server, a *command.Args) string {
	name := a.Bytes()
	if server.Users.Find(name) == nil {
		a.Fail(resp.Error("ERR No such user '" + string(name) + "'"))
	}
	return string(name)
}

// kill closes the sessions chosen and returns how many they were. The one that
// asks still gets its answer.
func (c *choice) kill(asking *session.Session) (killed int) {
	for _, one := range asking.Server().Sessions() {
		switch {
		case !c.matches(one):
		case one != asking:
			one.Send(&session.Kill{})
			killed++
		case !c.skipMe:
			one.CloseAfterReply()
			killed++
		}
	}
	return killed
}

func (c *choice) matches(one *session.Session) bool {
	age := (one.Server().Millis() - one.Born) / 1000
	return (c.id == 0 || c.id == one.ID()) &&
		(c.kind == "" || c.kind == kindOf(one)) &&
		(c.addr == "" || c.addr == one.Address()) &&
		(c.laddr == "" || c.laddr == one.LocalAddress()) &&
		(c.owner == "" || c.owner == *one.User.Load()) &&
		age >= c.maxAge
}
