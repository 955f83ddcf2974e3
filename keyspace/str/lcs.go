package str

import (
	"bytes"
	"math"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "LCS", Arity: -3, Complexity: "O(n*m) for strings of n and m bytes",
		Syntax:  "key1 key2 [LEN] [IDX] [MINMATCHLEN min-match-len] [WITHMATCHLEN]",
		Summary: "Finds the longest common subsequence of two strings: itself, its length, or where its pieces are.",
		Group:   "string", Since: "0.1.0", Flags: command.ReadOnly | command.Heavy,
		Keys: []command.Keys{{First: 1, Last: 1, Flags: command.RO | command.Access}},
		Examples: "> MSET key1 ohmytext key2 mynewtext\n+OK\n" +
			"> LCS key1 key2\n\"mytext\"\n" +
			"> LCS key1 key2 LEN\n:6\n" +
			"> LCS key1 key2 IDX MINMATCHLEN 4 WITHMATCHLEN\n" +
			"%{\"matches\": [[[:4, :7], [:5, :8], :4]], \"len\": :6}\n" +
			"> LCS key1 key2 IDX LEN\n-ERR If you want both the length and indexes, please just use IDX.\n",
	},
	Run: lcs,
})

var (
	errLCSType   = resp.Error("ERR The specified keys must contain string values")
	errLCSBoth   = resp.Error("ERR If you want both the length and indexes, please just use IDX.")
	errLCSMemory = resp.Error("ERR Insufficient memory, transient memory for LCS exceeds proto-max-bulk-len")
	errLCSRoom   = resp.Error("ERR Insufficient memory, failed allocating transient memory for LCS")
	errLCSLong   = resp.Error("ERR String too long for LCS")
)

// lcsOptions are the words after the keys.
type lcsOptions struct {
	length, places, withLengths bool
	shortest                    int64 // of the pieces told
}

func lcs(tx *keyspace.Tx, a *command.Args) resp.Reply {
	s1, ok1 := lcsText(tx, a.Key(), true)
	s2, ok2 := lcsText(tx, a.Key(), false)
	if !ok1 || !ok2 {
		return errLCSType
	}
	opts := parseLCS(a)
	if a.Bad() {
		return a.Err()
	}
	if opts.length && opts.places {
		return errLCSBoth
	}
	if err := lcsBound(tx, len(s1), len(s2)); err.IsError() {
		return err
	}
	return opts.reply(s1, s2)
}

// lcsText is the text of a string; that of a number is copied if another one
// is to be read, which would take its place.
func lcsText(tx *keyspace.Tx, key []byte, another bool) (s []byte, ok bool) {
	v := tx.Lookup(key)
	if otherType(v) {
		return nil, false
	}
	if s = text(tx, v); another && v.Encoding() == keyspace.Int {
		s = bytes.Clone(s)
	}
	return s, true
}

func parseLCS(a *command.Args) (o lcsOptions) {
	for a.More() {
		switch {
		case a.Option("IDX"):
			o.places = true
		case a.Option("LEN"):
			o.length = true
		case a.Option("WITHMATCHLEN"):
			o.withLengths = true
		case a.OptionWith("MINMATCHLEN", 1):
			o.shortest = a.Int()
		default:
			a.Syntax()
		}
	}
	return o
}

// lcsBound refuses what Redis refuses: it keeps a table of four bytes for each
// pair of bytes, and lets it grow to the longest string allowed. Ours takes a
// bit a pair; the bound on the work is the same.
func lcsBound(tx *keyspace.Tx, n, m int) resp.Reply {
	pairs := uint64(n+1) * uint64(m+1)
	switch {
	case n >= math.MaxUint32-1 || m >= math.MaxUint32-1:
		return errLCSLong
	case pairs*4 > uint64(tx.Settings.BulkMax):
		return errLCSMemory
	case pairs/8 > keyspace.TextMax:
		return errLCSRoom
	}
	return resp.Nothing
}

func (o *lcsOptions) reply(s1, s2 []byte) resp.Reply {
	if o.length {
		return resp.Int(int64(subsequence(s1, s2, nil)))
	}
	steps := make([]uint64, (len(s1)*len(s2)+63)/64)
	length := subsequence(s1, s2, steps)
	common, pieces := trace(s1, s2, steps, length)
	if !o.places {
		return resp.Bulk(common)
	}
	var matches []resp.Reply
	for _, p := range pieces {
		if p.length >= o.shortest {
			matches = append(matches, p.reply(o.withLengths))
		}
	}
	return resp.Map(resp.BulkString("matches"), resp.Array(matches...), resp.BulkString("len"), resp.Int(int64(length)))
}

// subsequence is the length of the longest common subsequence of s1 and s2, by
// the table of the lengths for all their beginnings, of which two rows are
// kept. Unless steps is nil, its bit i*len(s2)+j is set if the beginnings that
// end with s1[i] and s2[j] are best without s1[i], and not as well without
// s2[j]: trace goes back by that.
func subsequence(s1, s2 []byte, steps []uint64) int {
	above, row := make([]uint32, len(s2)+1), make([]uint32, len(s2)+1)
	for i, c := range s1 {
		for j := range s2 {
			up, left := above[j+1], row[j]
			switch {
			case s2[j] == c:
				row[j+1] = above[j] + 1
			case up > left:
				row[j+1] = up
				if steps != nil {
					bit := i*len(s2) + j
					steps[bit/64] |= 1 << (bit % 64)
				}
			default:
				row[j+1] = left
			}
		}
		above, row = row, above
	}
	return int(above[len(s2)])
}

// piece is a stretch of bytes that s1 and s2 have in common.
type piece struct {
	at1, at2, length int64
}

func (p piece) reply(withLength bool) resp.Reply {
	items := []resp.Reply{
		resp.Array(resp.Int(p.at1), resp.Int(p.at1+p.length-1)),
		resp.Array(resp.Int(p.at2), resp.Int(p.at2+p.length-1)),
	}
	if withLength {
		items = append(items, resp.Int(p.length))
	}
	return resp.Array(items...)
}

// trace walks from the ends of s1 and s2 to their beginnings: equal bytes are
// common, of unequal ones the step says which to leave out. The pieces come in
// the order of the walk, the last first.
func trace(s1, s2 []byte, steps []uint64, length int) (common []byte, pieces []piece) {
	common = make([]byte, length)
	open := false
	for i, j := len(s1)-1, len(s2)-1; i >= 0 && j >= 0; {
		if s1[i] == s2[j] {
			length--
			common[length] = s1[i]
			if !open {
				pieces, open = append(pieces, piece{}), true
			}
			last := &pieces[len(pieces)-1]
			*last = piece{int64(i), int64(j), last.length + 1}
			i, j = i-1, j-1
			continue
		}
		open = false
		if bit := i*len(s2) + j; steps[bit/64]>>(bit%64)&1 != 0 {
			i--
		} else {
			j--
		}
	}
	return common, pieces
}
