package conn

import (
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/session"
	"github.com/troupedb/troupe/session/acl"
)

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name: "ACL|GETUSER", Syntax: "username", Arity: 3, Complexity: "O(N), where N is the number of the user's passwords and patterns",
		Summary: "Describes a user: flags, hashes of passwords, commands, keys, channels, and the same of each selector.",
		Group:   "server", Since: "0.1.0", Flags: ruling,
		Examples: "> ACL GETUSER default\n%{\"flags\": ~[\"on\", \"nopass\"], \"passwords\": [], \"commands\": \"+@all\", \"keys\": \"~*\", \"channels\": \"&*\", \"selectors\": []}\n" +
			"> ACL GETUSER nobody\n_\n> ACL GETUSER\n-ERR wrong number of arguments for 'acl|getuser' command\n",
	},
	Run: getUser,
})

func getUser(s *session.Session, a *command.Args) resp.Reply {
	users := s.Server().Users
	account := users.Find(a.Bytes())
	if account == nil {
		return resp.Nil
	}
	u := account.Now()
	rights := users.Rights(u)
	var selectors []resp.Reply
	for _, one := range rights[1:] {
		selectors = append(selectors, resp.Map(describeRights(one)...))
	}
	fields := []resp.Reply{
		resp.BulkString("flags"), bulkSet(u.Flags()),
		resp.BulkString("passwords"), resp.Strings(u.Passwords()...),
	}
	fields = append(fields, describeRights(rights[0])...)
	return resp.Map(append(fields, resp.BulkString("selectors"), resp.Array(selectors...))...)
}

func describeRights(r acl.Rights) []resp.Reply {
	return []resp.Reply{
		resp.BulkString("commands"), resp.BulkString(r.Commands),
		resp.BulkString("keys"), resp.BulkString(r.Keys),
		resp.BulkString("channels"), resp.BulkString(r.Channels),
	}
}

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name: "ACL|LIST", Arity: 2, Complexity: "O(N), where N is the number of users",
		Summary: "Describes all users, by name, each by the rules that make it.",
		Group:   "server", Since: "0.1.0", Flags: ruling,
		Examples: "> ACL LIST\n[\"user default on nopass ~* &* +@all\"]\n> ACL LIST all\n-ERR wrong number of arguments for 'acl|list' command\n",
	},
	Run: func(s *session.Session, _ *command.Args) resp.Reply { return resp.Strings(s.Server().Users.Lines()...) },
})

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name: "ACL|USERS", Arity: 2, Complexity: "O(N), where N is the number of users",
		Summary: "Lists the names of the users.",
		Group:   "server", Since: "0.1.0", Flags: ruling,
		Examples: "> ACL SETUSER bob\n+OK\n> ACL USERS\n[\"bob\", \"default\"]\n> ACL USERS all\n-ERR wrong number of arguments for 'acl|users' command\n",
	},
	Run: func(s *session.Session, _ *command.Args) resp.Reply {
		var names []string
		for _, a := range s.Server().Users.All() {
			names = append(names, a.Name())
		}
		return resp.Strings(names...)
	},
})

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name: "ACL|WHOAMI", Arity: 2, Complexity: "O(1)",
		Summary: "Tells the name of the user whom the connection is logged in as.",
		Group:   "server", Since: "0.1.0", Flags: control,
		Examples: "> ACL WHOAMI\n\"default\"\n> ACL WHOAMI please\n-ERR wrong number of arguments for 'acl|whoami' command\n",
	},
	Run: func(s *session.Session, _ *command.Args) resp.Reply { return resp.BulkString(s.Account().Name()) },
})
