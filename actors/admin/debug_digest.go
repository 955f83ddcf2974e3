package admin

import (
	"bytes"
	"crypto/sha1"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/session"
)

var _ = KeyspaceCommands.Add(command.Spec[View]{
	Meta: command.Meta{
		Name: "DEBUG|DIGEST", Arity: 2, Complexity: "O(N), where N is the number of elements of all values",
		Summary: "Tells a digest of the whole keyspace, the same as Redis's for the same data, whatever the order it came in.",
		Group:   "server", Since: "0.1.0", Flags: debugFlags | command.AllShards | command.Heavy,
		Examples: "> DEBUG DIGEST\n+0000000000000000000000000000000000000000\n" +
			"> DEBUG DIGEST all\n-ERR wrong number of arguments for 'debug|digest' command\n",
	},
	Run: debugDigest,
})

var _ = KeyspaceCommands.Add(command.Spec[View]{
	Meta: command.Meta{
		Name: "DEBUG|DIGEST-VALUE", Syntax: "key [key ...]", Arity: debugArity, Complexity: "O(N), where N is the number of elements of the values",
		Summary: "Tells a digest of each key's value, the same as Redis's for the same data.",
		Group:   "server", Since: "0.1.0", Flags: debugFlags | command.Heavy,
		Keys:     []command.Keys{{First: 2, Last: -1, Step: 1, Flags: command.RO}},
		Examples: "> DEBUG DIGEST-VALUE nokey\n[+0000000000000000000000000000000000000000]\n> DEBUG DIGEST-VALUE\n[]\n",
	},
	Run: debugDigestValue,
})

// digest is Redis's: 20 bytes into which SHA-1 sums are mixed, in order, or
// added, in any order (debug.c explains why).
type digest [sha1.Size]byte

func (d *digest) add(data []byte) {
	sum := sha1.Sum(data)
	for i := range d {
		d[i] ^= sum[i]
	}
}

func (d *digest) mix(data []byte) {
	d.add(data)
	*d = sha1.Sum(d[:])
}

func (d *digest) reply() resp.Reply { return resp.Simple(hex.EncodeToString(d[:])) }

func debugDigest(v View, _ *command.Args) resp.Reply {
	var all digest
	home := v.Tx.DB
	for db := range v.system.Server.Databases {
		if v.Tx.DB = db; v.Tx.Len() == 0 {
			continue
		}
		all.mix(binary.BigEndian.AppendUint32(nil, uint32(db)))
		var keys [][]byte // reading a value may end the walk over the keys
		v.Tx.Each(func(found keyspace.Value) bool {
			keys = append(keys, bytes.Clone(found.Key()))
			return true
		})
		for _, key := range keys {
			var one digest
			one.mix(key)
			v.Tx.Whole(key, func() {
				if v.digestValue(&one, key) {
					all.add(one[:])
				}
			})
		}
	}
	v.Tx.DB = home
	return all.reply()
}

func debugDigestValue(v View, a *command.Args) resp.Reply {
	var items []resp.Reply
	for _, key := range a.Rest() {
		var one digest
		v.digestValue(&one, key)
		items = append(items, one.reply())
	}
	return resp.Array(items...)
}

// digestReader is how the value of a type is read whole: a command with the
// words behind the key, and how its reply is digested.
type digestReader struct {
	number  uint32 // Redis's for the type
	command string
	words   []string
	digest  func(*digest, []resp.Reply)
}

var digestReaders = map[keyspace.Type]digestReader{
	keyspace.String:    {0, "GET", nil, mixAll},
	keyspace.List:      {1, "LRANGE", []string{"0", "-1"}, mixAll},
	keyspace.Set:       {2, "SMEMBERS", nil, addAll},
	keyspace.SortedSet: {3, "ZRANGE", []string{"0", "-1", "WITHSCORES"}, addPairs},
	keyspace.Hash:      {4, "HGETALL", nil, addPairs},
	keyspace.Stream:    {6, "XRANGE", []string{"-", "+"}, mixEntries},
}

// digestValue adds a key's value to a digest; false if there is none.
func (v View) digestValue(d *digest, key []byte) bool {
	found := v.Tx.Peek(key)
	if found.Missing() {
		return false
	}
	deadline, reader := v.Tx.Deadline(found), digestReaders[found.Type()]
	d.mix(binary.BigEndian.AppendUint32(nil, reader.number))
	argv := [][]byte{[]byte(reader.command), key}
	for _, word := range reader.words {
		argv = append(argv, []byte(word))
	}
	reply := v.Tx.Call(v.declared(reader.command).Data, argv)
	items := reply.Items()
	if reply.Kind() == resp.Text {
		items = []resp.Reply{reply}
	}
	reader.digest(d, items)
	if deadline != keyspace.NoDeadline {
		d.add([]byte("!!expire!!"))
	}
	return true
}

// declared is the command that was declared with the name, whatever it is
// called by now.
func (v View) declared(name string) *session.Command {
	list := v.system.Server.Catalogue.List()
	return list[slices.IndexFunc(list, func(row *session.Command) bool { return row.Name == name })]
}

func mixAll(d *digest, items []resp.Reply) {
	for i := range items {
		d.mix([]byte(items[i].Str()))
	}
}

func addAll(d *digest, items []resp.Reply) {
	for i := range items {
		d.add([]byte(items[i].Str()))
	}
}

// addPairs adds pairs of a field and a value, or of a member and its score.
func addPairs(d *digest, items []resp.Reply) {
	for i := 0; i+1 < len(items); i += 2 {
		var pair digest
		pair.mix([]byte(items[i].Str()))
		pair.mix(textOf(items[i+1]))
		d.add(pair[:])
	}
}

func textOf(r resp.Reply) []byte {
	if r.Kind() == resp.Decimal {
		return resp.FormatDouble(nil, r.Float())
	}
	return []byte(r.Str())
}

// mixEntries mixes the entries of a stream, each an ID and its fields.
func mixEntries(d *digest, items []resp.Reply) {
	for i := range items {
		entry := items[i].Items()
		ms, seq, _ := bytes.Cut([]byte(entry[0].Str()), []byte("-"))
		d.mix(fmt.Appendf(nil, "%s.%s", ms, seq))
		mixAll(d, entry[1].Items())
	}
}
