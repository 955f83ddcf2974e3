package keyspace

import (
	"encoding/binary"
	"errors"

	"github.com/troupedb/troupe/keyspace/slab"
	"github.com/troupedb/troupe/resp/command"
)

// What a command has changed is recorded as effects: commands that make the same
// change again whatever chance and time say then, from the state before. Most
// commands are their own effect, as they were given, at the time that stands
// beside them in the record; one that draws lots, asks for the time or rounds
// says by Tx.Effect what it has come to. Effects of one change (a command, a
// transaction, a script) are one record.
//
// They are Redis's commands wherever Redis has such, by the names that they are
// declared with. None waits, or depends on who has waited.
//
// An effect in a record, numbers as varints:
//
//	| database * 2 + ended | words | length | bytes | length | bytes | …
//
// ended is 1 if nobody asked for it: something was past its deadline, or went to
// make room.

// Log is where effects are recorded.
type Log interface {
	// Append records changes that happened at a time, Unix milliseconds, and
	// gives them versions: the effects of the nth one end at ends[n] of bodies
	// and it gets the version base+1+n. It returns at once, and keeps no bytes.
	Append(now int64, bodies []byte, ends []int) (base uint64)
}

// SharingLog is a Log that does not need a copy of large words.
type SharingLog interface {
	Log
	// AppendPieces is Append for bodies of which pieces lie in Buffers, in the
	// order of their places. The log frees the Buffers.
	AppendPieces(now int64, bodies []byte, pieces []slab.Piece, ends []int) (base uint64)
}

// effects are those of a turn.
type effects struct {
	on       bool       // somebody records them
	sharing  SharingLog // the same, if it can do with pieces
	bodies   []byte
	pieces   []slab.Piece // large words, which are not in bodies
	ends     []int        // of the changes that are closed
	edits    int          // changes of keys that commands have made, in this turn
	replaced bool         // the present command has said what its effects are
}

// record begins a turn that is recorded in a log, or is not.
func (e *effects) record(log Log) {
	if e.on = log != nil; e.on {
		e.sharing, _ = log.(SharingLog)
	}
}

// effectsMax bounds, in bytes, the buffer for effects that a shard keeps.
const effectsMax = 256 << 10

// Effect records what the present command has come to, in the place of its own
// words: a command that gives the same result at any time and by any chance. A
// command that has changed something may have several; one that has not has none.
// They happen in the selected database, one after the other and after what has
// ended before: a key that is named has been looked for by then.
func (tx *Tx) Effect(words ...[]byte) { tx.EffectWith(nil, words...) }

// EffectWith is Effect with more words behind the others.
func (tx *Tx) EffectWith(more [][]byte, words ...[]byte) {
	tx.effects.replaced = true
	tx.effect(0, words, more...)
}

// NoEffect says that what the present command has changed need not last.
func (tx *Tx) NoEffect() { tx.effects.replaced = true }

// Did records a change that is no command's: see Request.Do.
func (tx *Tx) Did(words ...[]byte) { tx.effect(0, words) }

// Ended records what nobody asked for: that something was past its deadline, or
// went to make room. The words are a command's on one key.
func (tx *Tx) Ended(words ...[]byte) { tx.effect(1, words) }

func (tx *Tx) effect(ended uint64, words [][]byte, more ...[]byte) {
	if e := &tx.effects; e.on {
		e.bodies = appendHead(e.bodies, tx.DB, ended, len(words)+len(more))
		tx.recordWords(words)
		tx.recordWords(more)
	}
}

// recordWords records words, large ones by sharing the Buffer that they came in.
// What a script does may be taken back, so it is copied.
func (tx *Tx) recordWords(words [][]byte) {
	e := &tx.effects
	for _, word := range words {
		e.bodies = binary.AppendUvarint(e.bodies, uint64(len(word)))
		if len(word) >= slab.BufferMin && e.sharing != nil && !tx.Scripted {
			if in, same := slab.Share(word); in != nil {
				e.pieces = append(e.pieces, slab.Piece{At: len(e.bodies), Bytes: same, In: in})
				continue
			}
		}
		e.bodies = append(e.bodies, word...)
	}
}

// AppendEffect appends an effect to a record.
func AppendEffect(body []byte, db int, ended uint64, words [][]byte) []byte {
	return appendWords(appendHead(body, db, ended, len(words)), words)
}

func appendHead(body []byte, db int, ended uint64, words int) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(body, uint64(db)<<1|ended), uint64(words))
}

func appendWords(body []byte, words [][]byte) []byte {
	for _, word := range words {
		body = append(binary.AppendUvarint(body, uint64(len(word))), word...)
	}
	return body
}

// recordSelf records a command as its own effect. It goes by the name that it was
// declared with, which rename-command does not change.
func (tx *Tx) recordSelf(db int, m *command.Meta, argv [][]byte) {
	name, _ := m.Container()
	e := &tx.effects
	e.bodies = binary.AppendUvarint(appendHead(e.bodies, db, 0, len(argv)), uint64(len(name)))
	e.bodies = append(e.bodies, name...)
	tx.recordWords(argv[1:])
}

var del = []byte("DEL")

// recordCommand records a command that has run, if it has changed anything since
// there were so many edits and has not said by itself what its effects are.
func (tx *Tx) recordCommand(m *command.Meta, argv [][]byte, db, edits int) {
	e := &tx.effects
	if !e.on {
		return
	}
	if e.edits != edits && !e.replaced && m.Flags.Has(command.Write) {
		tx.recordSelf(db, m, argv)
	}
	e.replaced = false
}

// closeEffects makes what was recorded since the change before the record of
// the present one.
func (tx *Tx) closeEffects() {
	if tx.effects.on {
		tx.effects.ends = append(tx.effects.ends, len(tx.effects.bodies))
	}
}

// dropEffects forgets the effects of a change that is not closed.
func (tx *Tx) dropEffects() {
	e := &tx.effects
	end := 0
	if n := len(e.ends); n > 0 {
		end = e.ends[n-1]
	}
	e.dropPieces(end)
	e.bodies, e.replaced = e.bodies[:end], false
}

// dropPieces forgets the pieces behind a place of bodies: those of effects that
// begin there, or later.
func (e *effects) dropPieces(end int) {
	for n := len(e.pieces) - 1; n >= 0 && e.pieces[n].At > end; n-- {
		e.pieces[n].In.Free()
		e.pieces[n] = slab.Piece{}
		e.pieces = e.pieces[:n]
	}
}

// record hands the turn's changes to the log, or only counts them, and returns
// the version before the first.
func (tx *Tx) record(t *Turn) (base uint64) {
	if t.Log == nil {
		return t.Versions(tx.changes)
	}
	e := &tx.effects
	if len(e.pieces) == 0 {
		return t.Log.Append(tx.now, e.bodies, e.ends)
	}
	base = e.sharing.AppendPieces(tx.now, e.bodies, e.pieces, e.ends)
	clear(e.pieces)
	e.pieces = e.pieces[:0]
	return base
}

// resetEffects readies the buffers for the next turn.
func (tx *Tx) resetEffects() {
	e := &tx.effects
	if e.dropPieces(0); cap(e.bodies) > effectsMax {
		e.bodies = nil
	}
	e.bodies, e.ends, e.edits, e.replaced = e.bodies[:0], e.ends[:0], 0, false
}

// EffectMark is how much the turn has recorded.
func (tx *Tx) EffectMark() int { return len(tx.effects.bodies) }

// ForgetEffects takes back what was recorded after a mark and is about to be
// undone: all but that something was past its deadline, unless that had its
// deadline from what is undone.
func (tx *Tx) ForgetEffects(mark int, u *Undo) {
	e := &tx.effects
	left, all := e.bodies[:mark], e.bodies
	for at := mark; at < len(all); {
		effect, size, err := readEffect(all[at:], nil)
		if err != nil {
			panic(err)
		}
		ended := all[at]&1 == 1 // the lowest bit of a varint
		if ended && !u.gives(effect.DB, effect.Words[1], at) {
			left = append(left, all[at:at+size]...)
		}
		at += size
	}
	e.bodies = left
}

// Effect is an effect that was read. Its words lie in the record.
type Effect struct {
	DB    int
	Words [][]byte
}

// errEffect: a record is none.
var errEffect = errors.New("a record's effects are corrupt")

// EachEffect calls visit for the effects of a record until it returns an error,
// which it returns. The words are good until visit returns.
func EachEffect(body []byte, visit func(Effect) error) error {
	var r EffectReader
	return r.Each(body, visit)
}

// EffectReader reads one record after the other, in the same memory.
type EffectReader struct{ words [][]byte }

// Each is EachEffect.
func (r *EffectReader) Each(body []byte, visit func(Effect) error) error {
	for len(body) > 0 {
		e, size, err := readEffect(body, r.words[:0])
		if err != nil {
			return err
		}
		r.words = e.Words
		if err := visit(e); err != nil {
			return err
		}
		body = body[size:]
	}
	return nil
}

// readEffect reads the first effect of a record, its words into room, and says
// how long it is.
func readEffect(body []byte, room [][]byte) (e Effect, size int, err error) {
	at := 0
	number := func() (n uint64) {
		n, width := binary.Uvarint(body[at:])
		if width <= 0 {
			err = errEffect
			return 0
		}
		at += width
		return n
	}
	db, count := number(), number()
	if err != nil || db > 1<<31 || count == 0 || count > uint64(len(body)) {
		return Effect{}, 0, errEffect
	}
	e.DB, e.Words = int(db>>1), room
	for range count {
		n := number()
		if err != nil || n > uint64(len(body)-at) {
			return Effect{}, 0, errEffect
		}
		e.Words = append(e.Words, body[at:at+int(n)])
		at += int(n)
	}
	return e, at, nil
}
