package session

import (
	"path"
	"strconv"
	"strings"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/resp/dice"
)

// dataRun runs a command on keys.
type dataRun func(*keyspace.Tx, *command.Args) resp.Reply

// What is otherwise in DiceDB's protocols than words and encodings can make it:
// commands on keys, made of how ours run, and in the session, by name.
var (
	diceData = map[string]func(ours dataRun) dataRun{
		"TYPE": only(diceType), "KEYS": only(diceKeys), "GETDEL": diceGetdel,
		"ZADD": diceZadd, "ZRANGE": only(diceZrange), "ZRANK": only(diceZrank),
		"ZPOPMIN": only(diceZpopmin), "ZPOPMAX": only(diceZpopmax),
	}
	diceHere = map[string]func(*Session, *command.Args) resp.Reply{"PING": dicePing, "UNWATCH": diceUnwatch}
)

// only is a command that is not made of ours.
func only(run dataRun) func(dataRun) dataRun { return func(dataRun) dataRun { return run } }

// dicePing answers a message with PONG in front of it.
func dicePing(_ *Session, a *command.Args) resp.Reply {
	switch a.Len() {
	case 0:
		return resp.Pong
	case 1:
		return resp.BulkString("PONG " + string(a.Bytes()))
	}
	return resp.ErrArity(a.Meta().Name)
}

// diceTypes are DiceDB's names for types other than strings, where they are not
// ours.
var diceTypes = map[keyspace.Type]string{
	keyspace.Hash: "ssmap", keyspace.SortedSet: "sortedset", keyspace.List: "dequeue",
}

// diceType tells numbers apart from other strings: int is what INCR takes, float
// what else is a number to Go.
func diceType(tx *keyspace.Tx, a *command.Args) resp.Reply {
	v := tx.Glance(a.Key())
	if name, ok := diceTypes[v.Type()]; ok {
		return resp.Simple(name)
	}
	if !v.Is(keyspace.String) {
		return resp.Simple(v.Type().String())
	}
	text := tx.Text(v)
	if _, ok := command.ParseInt(text); ok {
		return resp.Simple("int")
	}
	if _, err := strconv.ParseFloat(string(text), 64); err == nil {
		return resp.Simple("float")
	}
	return resp.Simple("string")
}

// diceGetdel leaves a value where it is that cannot be answered.
func diceGetdel(ours dataRun) dataRun {
	return func(tx *keyspace.Tx, a *command.Args) resp.Reply {
		if v := tx.Find(a.Argv()[1]); v.Is(keyspace.String) {
			reply := resp.Bulk(tx.Text(v))
			if refusal := dice.Unspeakable(&reply); refusal.IsError() {
				return refusal
			}
		}
		return ours(tx, a)
	}
}

// diceKeys lists keys by the rules of paths: no wildcard stands for a slash.
func diceKeys(tx *keyspace.Tx, a *command.Args) resp.Reply {
	pattern := string(a.Bytes())
	if _, err := path.Match(pattern, ""); err != nil {
		return resp.Error("ERR syntax error in pattern")
	}
	found := []resp.Reply{}
	tx.Each(func(v keyspace.Value) bool {
		if matches, _ := path.Match(pattern, string(v.Key())); matches {
			found = append(found, resp.Bulk(v.Key()))
		}
		return true
	})
	return resp.Array(found...)
}

// diceOnly are the commands that only DiceDB's protocols have.
var diceOnly command.Table[*Session]

var diceHandshake = diceOnly.Add(command.Spec[*Session]{
	Meta: command.Meta{
		Name: "HANDSHAKE", Syntax: "client-id mode", Arity: 3, Complexity: "O(1)",
		Summary: "Says whose link this is, and whether it is the one that pushes are for.",
		Group:   "connection", Since: "0.1.0", Flags: command.Fast | command.NoAuth | command.Loading | command.Stale,
		Secrets: command.SecretFrom(1), // the id may hold a password
	},
	Run: handshake,
})

// diceIDMax bounds, in bytes, a client's id, as each link keeps it. Those that
// DiceDB's library makes have 36.
const diceIDMax = 1024

// handshake names the link's client. Where a password is asked for, the id may
// begin with it, as in "password@id" or "user:password@id": DiceDB's clients
// have no other way to log a link in that they only read from. Such a link must
// be logged in at once.
func handshake(s *Session, a *command.Args) resp.Reply {
	d := s.front.(*diceLink)
	word, watches := a.Bytes(), command.EqualFold(a.Bytes(), "WATCH")
	if len(word) > diceIDMax {
		return resp.Error("ERR the client's id is too long")
	}
	id := string(word)
	if at := strings.LastIndexByte(id, '@'); at >= 0 && !s.authenticated {
		if !s.loginBy(id[:at], a) {
			return resp.Error("WRONGPASS the client's id does not begin with a valid user:password@")
		}
		id = id[at+1:]
	}
	if watches && !s.authenticated {
		return resp.ErrNoAuth
	}
	d.introduced, d.id, d.watches = true, id, watches
	d.join()
	d.target(watches)
	return resp.OK
}

// loginBy logs in with "password" or "user:password".
func (s *Session) loginBy(credentials string, by *command.Args) bool {
	user, password, found := strings.Cut(credentials, ":")
	if !found {
		user, password = "default", credentials
	}
	return s.Login([]byte(user), []byte(password), by)
}

// diceUnwatch ends the live queries of a fingerprint, in decimal, whichever of
// the client's links began them. That there is none is no mistake.
func diceUnwatch(s *Session, a *command.Args) resp.Reply {
	fingerprint, err := strconv.ParseUint(string(a.Bytes()), 10, 64)
	if err != nil {
		return resp.OK
	}
	for _, w := range s.front.(*diceLink).join().withFingerprint(fingerprint) {
		w.end()
	}
	return resp.OK
}
