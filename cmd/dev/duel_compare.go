package main

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/troupedb/troupe/resp"
)

// comparison says whether two replies to one command are as good as equal.
type comparison func(ours, theirs resp.Reply) bool

// comparisonOf is how the replies to a command are compared: most to the byte, those of chance, of hash
// tables' order and of the clock as far as they must agree.
func comparisonOf(argv []string) comparison {
	switch strings.ToUpper(argv[0]) {
	case "KEYS", "HKEYS", "HVALS", "SMEMBERS", "SUNION", "SINTER", "SDIFF", "SPOP":
		return func(ours, theirs resp.Reply) bool { return equalGroups(ours, theirs, 1) }
	case "HGETALL":
		return func(ours, theirs resp.Reply) bool { return equalGroups(ours, theirs, 2) }
	case "RANDOMKEY", "HRANDFIELD", "SRANDMEMBER", "ZRANDMEMBER":
		return equalShapes
	case "HSCAN", "ZSCAN":
		return func(ours, theirs resp.Reply) bool { return equalSteps(argv, ours, theirs, 2) }
	case "SSCAN":
		return func(ours, theirs resp.Reply) bool { return equalSteps(argv, ours, theirs, 1) }
	case "TTL", "EXPIRETIME":
		return near(clockSlack)
	case "PTTL", "PEXPIRETIME":
		return near(clockSlack * 1000)
	case "OBJECT": // who refers to a value is redis-server's own affair
		if len(argv) > 1 && strings.EqualFold(argv[1], "REFCOUNT") {
			return near(math.MaxInt32)
		}
		return equalEncodings
	}
	return equalReplies
}

// equalEncodings compares replies of OBJECT ENCODING: a small list and a small
// set have forms of their own, as in Redis 7.2, and a SETBIT that changes nothing leaves a text in its form.
func equalEncodings(ours, theirs resp.Reply) bool {
	packed := ours.Str() == "listpack" && (theirs.Str() == "quicklist" || theirs.Str() == "hashtable")
	left := ours.Str() == "embstr" && theirs.Str() == "raw"
	return packed || left || equalReplies(ours, theirs)
}

func equalReplies(ours, theirs resp.Reply) bool {
	return resp.Equal(ours, theirs) || ours.IsError() && theirs.IsError() && equalToNUL(ours.Str(), theirs.Str())
}

// equalToNUL compares errors that repeat words of the command: redis-server's stop at a NUL in a word,
// and what follows is anything.
func equalToNUL(ours, theirs string) bool {
	before, _, found := strings.Cut(ours, "\x00")
	return found && strings.HasPrefix(theirs, before)
}

// equalGroups compares arrays whose elements, so many at a time, may come in any order.
func equalGroups(ours, theirs resp.Reply, size int) bool {
	if ours.Kind() != theirs.Kind() || len(ours.Items()) != len(theirs.Items()) {
		return false
	}
	if len(ours.Items()) == 0 {
		return equalReplies(ours, theirs)
	}
	return slices.EqualFunc(groupsOf(ours, size), groupsOf(theirs, size), func(a, b []resp.Reply) bool {
		return slices.EqualFunc(a, b, resp.Equal)
	})
}

func groupsOf(r resp.Reply, size int) [][]resp.Reply {
	groups := slices.Collect(slices.Chunk(r.Items(), size))
	slices.SortFunc(groups, func(a, b []resp.Reply) int { return slices.CompareFunc(a, b, compareFormats) })
	return groups
}

func compareFormats(a, b resp.Reply) int { return cmp.Compare(resp.Format(a), resp.Format(b)) }

// equalShapes compares replies of chance: what kind they are, and how long.
func equalShapes(ours, theirs resp.Reply) bool {
	if ours.Kind() != theirs.Kind() || len(ours.Items()) != len(theirs.Items()) {
		return false
	}
	if ours.Kind() == resp.Text {
		return true
	}
	return len(ours.Items()) > 0 || equalReplies(ours, theirs)
}

// equalSteps compares steps of a walk, which need to be the same only if they are the whole of it.
func equalSteps(argv []string, ours, theirs resp.Reply, size int) bool {
	if len(ours.Items()) != 2 || len(theirs.Items()) != 2 {
		return equalReplies(ours, theirs)
	}
	if argv[2] != "0" || ours.Items()[0].Str() != "0" || theirs.Items()[0].Str() != "0" {
		return true
	}
	return equalGroups(ours.Items()[1], theirs.Items()[1], size)
}

// clockSlack is how many seconds may pass between one server's look at the clock and the other's: the
// machine may be busy. Times to live are some orders of magnitude longer.
const clockSlack = 60

// near compares times, which the servers have read at slightly different moments.
func near(most int64) comparison {
	return func(ours, theirs resp.Reply) bool {
		if ours.Kind() != resp.Number || theirs.Kind() != resp.Number || ours.Int() < 0 || theirs.Int() < 0 {
			return equalReplies(ours, theirs)
		}
		return max(ours.Int()-theirs.Int(), theirs.Int()-ours.Int()) <= most
	}
}

// transaction follows what a client has queued, so that the replies of EXEC are compared each in its way.
type transaction struct {
	open   bool
	queued []comparison
}

// compare compares the replies to a command and notes what they say of the transaction.
func (x *transaction) compare(argv []string, ours, theirs resp.Reply) bool {
	how := comparisonOf(argv)
	switch strings.ToUpper(argv[0]) {
	case "EXEC":
		queued := x.queued
		*x = transaction{}
		if ours.Kind() == resp.List && len(ours.Items()) == len(queued) && len(theirs.Items()) == len(queued) {
			return equalEach(queued, ours.Items(), theirs.Items())
		}
	case "DISCARD", "RESET":
		*x = transaction{}
	case "MULTI":
		x.open = x.open || theirs.Kind() == resp.Status
	default:
		if x.open && theirs.Kind() == resp.Status && theirs.Str() == "QUEUED" {
			x.queued = append(x.queued, how)
		}
	}
	return how(ours, theirs)
}

func equalEach(how []comparison, ours, theirs []resp.Reply) bool {
	for i, equal := range how {
		if !equal(ours[i], theirs[i]) {
			return false
		}
	}
	return true
}
