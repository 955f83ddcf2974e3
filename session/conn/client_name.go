package conn

import (
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/session"
)

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name: "CLIENT|GETNAME", Arity: 2, Complexity: "O(1)",
		Summary: "Tells the connection's name.",
		Group:   "connection", Since: "0.1.0", Flags: control,
		Examples: "> CLIENT GETNAME\n_\n> CLIENT SETNAME billing\n+OK\n> CLIENT GETNAME\n\"billing\"\n" +
			"> CLIENT GETNAME please\n-ERR wrong number of arguments for 'client|getname' command\n",
	},
	Run: getName,
})

func getName(s *session.Session, _ *command.Args) resp.Reply {
	if name := *s.Name.Load(); name != "" {
		return resp.BulkString(name)
	}
	return resp.Nil
}

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name: "CLIENT|SETNAME", Syntax: "connection-name", Arity: 3, Complexity: "O(1)",
		Summary: "Names the connection, for those who look at CLIENT LIST; an empty name takes it away.",
		Group:   "connection", Since: "0.1.0", Flags: control,
		Examples: "> CLIENT SETNAME billing\n+OK\n> CLIENT SETNAME \"two words\"\n" +
			"-ERR Client names cannot contain spaces, newlines or special characters.\n",
	},
	Run: nameClient,
})

var errName = resp.Error("ERR Client names cannot contain spaces, newlines or special characters.")

func nameClient(s *session.Session, a *command.Args) resp.Reply {
	name := a.Bytes()
	if !isPlainWord(name) {
		return errName
	}
	setName(s, name)
	return resp.OK
}

func setName(s *session.Session, name []byte) {
	text := string(name)
	s.Name.Store(&text)
}

// isPlainWord reports whether a name can stand in a line of CLIENT LIST: it is
// of printable ASCII without blanks.
func isPlainWord(b []byte) bool {
	for _, c := range b {
		if c < '!' || c > '~' {
			return false
		}
	}
	return true
}

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name: "CLIENT|SETINFO", Syntax: "<LIB-NAME libname | LIB-VER libver>", Arity: 4, Complexity: "O(1)",
		Summary: "Notes the name or the version of the client's library, for CLIENT LIST.",
		Group:   "connection", Since: "0.1.0", Flags: control,
		Examples: "> CLIENT SETINFO LIB-NAME troupe-go\n+OK\n> CLIENT SETINFO lib-ver \"1 beta\"\n" +
			"-ERR lib-ver cannot contain spaces, newlines or special characters.\n" +
			"> CLIENT SETINFO LIB-AGE 3\n-ERR Unrecognized option 'LIB-AGE'\n",
	},
	Run: setInfo,
})

func setInfo(s *session.Session, a *command.Args) resp.Reply {
	attribute := a.Peek()
	place := &s.LibName
	switch {
	case a.Option("LIB-NAME"):
	case a.Option("LIB-VER"):
		place = &s.LibVer
	default:
		return resp.Error("ERR Unrecognized option '" + string(attribute) + "'")
	}
	value := a.Bytes()
	if !isPlainWord(value) {
		return resp.Error("ERR " + string(attribute) + " cannot contain spaces, newlines or special characters.")
	}
	text := string(value)
	place.Store(&text)
	return resp.OK
}
