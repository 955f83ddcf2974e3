package conn

import (
	"crypto/rand"
	"encoding/hex"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/session"
)

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name: "ACL|CAT", Syntax: "[category]", Arity: -2, Complexity: "O(N), where N is the number of commands",
		Summary: "Lists the categories of commands, or the commands of one category.",
		Group:   "server", Since: "0.1.0", Flags: control,
		Examples: "> ACL CAT transaction\n[\"multi\", \"exec\", \"discard\", \"watch\", \"unwatch\"]\n> ACL CAT nonsense\n-ERR Unknown category 'nonsense'\n" +
			"> ACL CAT read write\n-ERR unknown subcommand or wrong number of arguments for 'CAT'. Try ACL HELP.\n",
	},
	Run: categories,
})

func categories(s *session.Session, a *command.Args) resp.Reply {
	switch a.Len() {
	case 0:
		return resp.Strings(command.Categories...)
	case 1:
		word := a.Bytes()
		names, ok := s.Server().Users.Commands.Category(string(word))
		if !ok {
			return resp.Error("ERR Unknown category '" + string(word[:min(len(word), categoryShown)]) + "'")
		}
		return resp.Strings(names...)
	}
	return session.WrongSubcommand(a)
}

// categoryShown bounds, in bytes, how much of an unknown category an error repeats.
const categoryShown = 128

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name: "ACL|GENPASS", Syntax: "[bits]", Arity: -2, Complexity: "O(1)",
		Summary: "Makes a random password of 256 bits, or of as many as asked for, in hexadecimal digits.",
		Group:   "server", Since: "0.1.0", Flags: control,
		Examples: "> ACL GENPASS\n*\n> ACL GENPASS 0\n-ERR ACL GENPASS argument must be the number of bits for the output password, a positive number up to 4096\n" +
			"> ACL GENPASS many\n-ERR value is not an integer or out of range\n",
	},
	Run: makePassword,
})

// The bits of passwords that ACL GENPASS makes.
const (
	passwordBits     = 256
	passwordBitsMost = 4096
)

func makePassword(_ *session.Session, a *command.Args) resp.Reply {
	bits := int64(passwordBits)
	if a.Len() > 1 {
		return session.WrongSubcommand(a)
	}
	if a.Len() == 1 {
		bits = a.Int()
	}
	if a.Bad() {
		return a.Err()
	}
	if bits <= 0 || bits > passwordBitsMost {
		return resp.Error("ERR ACL GENPASS argument must be the number of bits for the output password, a positive number up to 4096")
	}
	digits := (bits + 3) / 4
	random := make([]byte, (digits+1)/2)
	rand.Read(random) // never fails
	return resp.BulkString(hex.EncodeToString(random)[:digits])
}
