package stream

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

// The mistakes in what XADD and XTRIM say of trimming.
var (
	errTwoTrims      = resp.Error("ERR syntax error, MAXLEN and MINID options at the same time are not compatible")
	errTrimLength    = resp.Error("ERR The MAXLEN argument must be >= 0.")
	errTrimLimit     = resp.Error("ERR The LIMIT argument must be >= 0.")
	errLimitAlone    = resp.Error("ERR syntax error, LIMIT cannot be used without specifying a trimming strategy")
	errLimitExact    = resp.Error("ERR syntax error, LIMIT cannot be used without the special ~ option")
	errTrimNothing   = resp.Error("ERR syntax error, XTRIM must be called with a trimming strategy")
	limitOfApproxMax = int64(1_000_000)
)

// trimArgs are the words about trimming.
type trimArgs struct {
	trim
	limited bool
}

// read reads an option about trimming, if the next word is one.
func (t *trimArgs) read(a *command.Args) (found bool) {
	switch {
	case a.OptionWith("MAXLEN", 1):
		t.begin(a, byLength)
		if t.length = a.Int(); !a.Bad() && t.length < 0 {
			a.Fail(errTrimLength)
		}
	case a.OptionWith("MINID", 1):
		t.begin(a, byID)
		t.from = readID(a)
	case a.OptionWith("LIMIT", 1):
		t.limited = true
		if t.limit = a.Int(); !a.Bad() && t.limit < 0 {
			a.Fail(errTrimLimit)
		}
	default:
		return false
	}
	return true
}

// begin reads the mark before the bound of a trim.
func (t *trimArgs) begin(a *command.Args, by trimBy) {
	if t.by != noTrim {
		a.Fail(errTwoTrims)
		return
	}
	t.by, t.approx = by, false
	if a.Len() > 1 && isWord(a.Peek(), '~') {
		t.approx = true
		a.Bytes()
	} else if a.Len() > 1 && isWord(a.Peek(), '=') {
		a.Bytes()
	}
}

// check looks for what is wrong with all of the words together, and limits
// what an approximate trim may take as Redis does.
func (t *trimArgs) check(a *command.Args, set *keyspace.Settings) {
	switch {
	case t.limit != 0 && t.by == noTrim:
		a.Fail(errLimitAlone)
	case t.limited && !t.approx:
		a.Fail(errLimitExact)
	case t.approx && !t.limited:
		t.limit = min(100*int64(set.StreamBlockEntries), limitOfApproxMax)
		if t.limit <= 0 {
			t.limit = 10_000
		}
	}
}
