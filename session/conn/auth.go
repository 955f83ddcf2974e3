package conn

import (
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/session"
	"github.com/troupedb/troupe/session/acl"
)

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name: "AUTH", Syntax: "[username] password", Arity: -2, Complexity: "O(1)",
		Summary: "Logs the connection in, as the default user unless another is named.",
		Group:   "connection", Since: "0.1.0", Flags: control | command.Fast | command.NoAuth | command.AllowBusy,
		Secrets: command.SecretFrom(1),
		Examples: "> AUTH default anything\n+OK\n> AUTH nobody secret\n-WRONGPASS invalid username-password pair or user is disabled.\n" +
			"> AUTH secret\n-" + noPassword + "\n",
	},
	Run: auth,
})

const noPassword = "ERR AUTH <password> called without any password configured for the default user. Are you sure your configuration is correct?"

var errNoPassword = resp.Error(noPassword)

var defaultUser = []byte(acl.DefaultName)

func auth(s *session.Session, a *command.Args) resp.Reply {
	user := defaultUser
	switch {
	case a.Len() > 2:
		return resp.ErrSyntax
	case a.Len() == 2:
		user = a.Bytes()
	case s.Server().Users.Default.Now().NoPass():
		return errNoPassword
	}
	if !s.Login(user, a.Bytes(), a) {
		return resp.ErrWrongPass
	}
	return resp.OK
}
