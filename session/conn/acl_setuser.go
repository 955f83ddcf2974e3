package conn

import (
	"errors"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/session"
	"github.com/troupedb/troupe/session/acl"
)

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name: "ACL|SETUSER", Syntax: "username [rule [rule ...]]", Arity: -3,
		Complexity: "O(N), where N is the number of rules",
		Summary:    "Makes a user, or changes one, by rules: all of them or none.",
		Group:      "server", Since: "0.1.0", Flags: ruling, Secrets: command.SecretFrom(2),
		Examples: "> ACL SETUSER bob on >secret ~cache:* +@read\n+OK\n> ACL DRYRUN bob GET cache:1\n+OK\n" +
			"> ACL SETUSER bob +nosuch\n-ERR Error in ACL SETUSER modifier '+nosuch': Unknown command or category name in ACL\n" +
			"> ACL SETUSER \"two words\"\n-ERR Usernames can't contain spaces or null characters\n",
	},
	Run: setUser,
})

func setUser(s *session.Session, a *command.Args) resp.Reply {
	name := string(a.Bytes())
	var rules []string
	for a.More() {
		rules = append(rules, string(a.Bytes()))
	}
	err := s.Server().SetUser(name, rules)
	var rule *acl.RuleError
	var open acl.Unmatched
	switch {
	case err == nil:
		return resp.OK
	case errors.As(err, &rule):
		return resp.Error("ERR Error in ACL SETUSER modifier '" + rule.Rule + "': " + rule.Err.Error())
	case errors.As(err, &open):
		return resp.Error("ERR Unmatched parenthesis in acl selector starting at '" + string(open) + "'.")
	}
	return resp.Error("ERR " + err.Error())
}

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name: "ACL|DELUSER", Syntax: "username [username ...]", Arity: -3,
		Complexity: "O(N), where N is the number of users named",
		Summary:    "Deletes users, closes their connections and ends their live queries.",
		Group:      "server", Since: "0.1.0", Flags: ruling,
		Examples: "> ACL SETUSER bob\n+OK\n> ACL DELUSER bob nobody\n:1\n> ACL DELUSER default\n-ERR The 'default' user cannot be removed\n",
	},
	Run: delUser,
})

func delUser(s *session.Session, a *command.Args) resp.Reply {
	names := a.Rest()
	for _, name := range names {
		if string(name) == acl.DefaultName {
			return resp.Error("ERR The 'default' user cannot be removed")
		}
	}
	deleted := 0
	for _, name := range names {
		if s.Server().DeleteUser(name, s) {
			deleted++
		}
	}
	return resp.Int(int64(deleted))
}
