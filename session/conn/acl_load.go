package conn

import (
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/session"
)

const noUsersFile = "ERR This Redis instance is not configured to use an ACL file. You may want to specify users via the ACL SETUSER command " +
	"and then issue a CONFIG REWRITE (assuming you have a Redis configuration file set) in order to store users in the Redis configuration."

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name: "ACL|LOAD", Arity: 2, Complexity: "O(N), where N is the number of users",
		Summary: "Makes the users those of the aclfile, if all of it is right.",
		Group:   "server", Since: "0.1.0", Flags: ruling,
		Examples: "> ACL LOAD\n-" + noUsersFile + "\n> ACL LOAD users\n-ERR wrong number of arguments for 'acl|load' command\n",
	},
	Run: loadUsers,
})

func loadUsers(s *session.Session, _ *command.Args) resp.Reply {
	server := s.Server()
	if server.UsersFile == "" {
		return resp.Error(noUsersFile)
	}
	return s.Elsewhere(func() resp.Reply {
		if err := server.ReloadUsers(); err != nil {
			return resp.Error("ERR " + err.Error())
		}
		server.Log.Info("users loaded", "file", server.UsersFile)
		return resp.OK
	})
}

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name: "ACL|SAVE", Arity: 2, Complexity: "O(N), where N is the number of users",
		Summary: "Writes the users into the aclfile.",
		Group:   "server", Since: "0.1.0", Flags: ruling,
		Examples: "> ACL SAVE\n-" + noUsersFile + "\n> ACL SAVE users\n-ERR wrong number of arguments for 'acl|save' command\n",
	},
	Run: saveUsers,
})

func saveUsers(s *session.Session, _ *command.Args) resp.Reply {
	server := s.Server()
	if server.UsersFile == "" {
		return resp.Error(noUsersFile)
	}
	return s.Elsewhere(func() resp.Reply {
		if err := server.SaveUsers(); err != nil {
			server.Log.Error("users not saved", "file", server.UsersFile, "error", err)
			return resp.Error("ERR There was an error trying to save the ACLs. Please check the server logs for more information")
		}
		server.Log.Info("users saved", "file", server.UsersFile)
		return resp.OK
	})
}
