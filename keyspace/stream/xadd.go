package stream

import (
	"bytes"
	"math"
	"strconv"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "XADD", Arity: -5, Complexity: "O(1), and O(n) for n entries that are trimmed away",
		Syntax:  "key [NOMKSTREAM] [<MAXLEN | MINID> [= | ~] threshold [LIMIT count]] <* | id> field value [field value ...]",
		Summary: "Adds an entry to the end of a stream, which may be trimmed at its beginning, and returns the entry's ID.",
		Group:   "stream", Since: "0.1.0", Flags: command.Write | command.DenyOOM | command.Fast,
		Keys: command.OneKey(command.RW | command.Update),
		Examples: "> XADD s 1-1 name Ada\n\"1-1\"\n" +
			"> XADD s 1-* name Grace\n\"1-2\"\n" +
			"> XADD s MAXLEN = 1 2 name Barbara\n\"2-0\"\n" +
			"> XRANGE s - +\n[[\"2-0\", [\"name\", \"Barbara\"]]]\n" +
			"> XADD s 1 name late\n-ERR The ID specified in XADD is equal or smaller than the target stream top item\n" +
			"> XADD nokey NOMKSTREAM * name nobody\n_\n",
	},
	Run: xadd,
})

var (
	errZeroID    = resp.Error("ERR The ID specified in XADD must be greater than 0-0")
	errPastID    = resp.Error("ERR The ID specified in XADD is equal or smaller than the target stream top item")
	errNoIDs     = resp.Error("ERR The stream has exhausted the last possible ID, unable to add more items")
	errEntrySize = resp.Error("ERR Elements are too large to be stored")
)

// idMode is what an XADD says of the new entry's ID.
type idMode uint8

const (
	autoID  idMode = iota // *
	autoSeq               // time-*
	givenID
)

// addArgs are the words of XADD.
type addArgs struct {
	trimArgs
	noMake bool
	mode   idMode
	id     ID
	fields [][]byte
}

func (args *addArgs) read(a *command.Args, set *keyspace.Settings) {
	for a.More() {
		switch {
		case isWord(a.Peek(), '*'):
			a.Bytes()
		case args.trimArgs.read(a):
			continue
		case a.Option("NOMKSTREAM"):
			args.noMake = true
			continue
		default:
			args.readID(a)
		}
		break
	}
	args.check(a, set)
	args.fields = a.Rest()
	switch {
	case a.Bad():
	case len(args.fields) < 2 || len(args.fields)%2 == 1:
		a.Fail(resp.ErrArity("xadd"))
	case args.mode == givenID && args.id == ID{}:
		a.Fail(errZeroID)
	}
}

// readID reads the ID, which may leave the sequence open.
func (args *addArgs) readID(a *command.Args) {
	word := a.Bytes()
	args.mode = givenID
	if len(word) <= idWordMax {
		word = untilZero(word)
	}
	at := bytes.IndexByte(word, '-')
	if at > 0 && len(word) == at+2 && word[at+1] == '*' {
		args.mode, word = autoSeq, word[:at]
	}
	var ok bool
	if args.id, ok = parseID(word, 0); !ok {
		a.Fail(errID)
	}
}

// idAfter is the ID of an entry that comes after last, at the time now.
func (args *addArgs) idAfter(last ID, now int64) (id ID, mistake resp.Reply) {
	id = args.id
	switch {
	case last == maxID:
		return id, errNoIDs
	case args.mode == autoID && uint64(now) > last.Time:
		id = ID{uint64(now), 0}
	case args.mode == autoID:
		id, _ = last.next()
	case args.mode == autoSeq && id.Time == last.Time && last.Seq == math.MaxUint64:
		return id, errPastID
	case args.mode == autoSeq && id.Time == last.Time:
		id.Seq = last.Seq + 1
	}
	if !last.less(id) {
		return id, errPastID
	}
	return id, resp.Nothing
}

func xadd(tx *keyspace.Tx, a *command.Args) resp.Reply {
	var args addArgs
	key := a.Key()
	args.read(a, tx.Settings)
	if a.Bad() {
		return a.Err()
	}
	var e edit
	switch {
	case !e.open(tx, key):
		return resp.ErrWrongType
	case e.stream == nil && args.noMake:
		return resp.Nil
	}
	last := ID{}
	if e.stream != nil {
		last = e.last
	}
	id, mistake := args.idAfter(last, tx.Now())
	switch {
	case mistake.IsError():
		return mistake
	case sizeOf(args.fields) > blockMax:
		return errEntrySize
	}
	e.add(&fresh{id: id, fields: args.fields})
	text := id.append(tx.Scratch())
	tx.KeepScratch(text)
	if args.by != noTrim && e.trim(&args.trim) > 0 {
		tx.Also(key, "xtrim")
		var digits [numberDigits]byte
		left := strconv.AppendInt(digits[:0], int64(e.length), 10)
		tx.EffectWith(args.fields, []byte("XADD"), key, []byte("MAXLEN"), []byte("="), left, text)
	} else {
		tx.EffectWith(args.fields, []byte("XADD"), key, text)
	}
	return resp.Bulk(text)
}

// sizeOf is the bytes of texts.
func sizeOf(texts [][]byte) (n int) {
	for _, text := range texts {
		n += len(text)
	}
	return n
}

// add appends an entry, and tells those who wait for one.
func (e *edit) add(f *fresh) {
	if e.stream == nil {
		e.create("xadd")
	} else {
		e.changed("xadd")
	}
	e.append(f, limitsOf(e.tx.Settings))
	e.tx.Feed(e.key)
}
