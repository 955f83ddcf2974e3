package conn

import (
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/session"
)

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name: "ACL|DRYRUN", Syntax: "username command [arg [arg ...]]", Arity: -4, Complexity: "O(N), where N is the number of words",
		Summary: "Tells whether a user may run a command, without running it.",
		Group:   "server", Since: "0.1.0", Flags: ruling, HoldsCommand: true,
		Examples: "> ACL DRYRUN default GET k\n+OK\n> ACL SETUSER bob +get\n+OK\n> ACL DRYRUN bob GET k\n\"This user has no permissions to access the 'k' key\"\n" +
			"> ACL DRYRUN nobody GET k\n-ERR User 'nobody' not found\n> ACL DRYRUN default NONSENSE k\n-ERR Command 'NONSENSE' not found\n" +
			"> ACL DRYRUN default GET\n-ERR wrong number of arguments for 'get' command\n",
	},
	Run: dryRun,
})

func dryRun(s *session.Session, a *command.Args) resp.Reply {
	name, words := a.Bytes(), a.Rest()
	account := s.Server().Users.Find(name)
	if account == nil {
		return resp.Error("ERR User '" + string(name) + "' not found")
	}
	catalogue := s.Server().Catalogue
	row := catalogue.Lookup(words)
	switch {
	case row == nil || len(words) > 1 && row.IsContainer(len(words)):
		return resp.Error("ERR Command '" + string(words[0]) + "' not found")
	case !row.ArityOK(len(words)):
		return resp.ErrArity(row.Name)
	}
	d := catalogue.Denial(account.Now(), row, words)
	return d.Foretold()
}
