package cli

import (
	"sort"
	"strings"

	"github.com/troupedb/troupe/resp"
)

// The signs before what has changed since the frame before. They say the same
// as the colours do.
const (
	same    = ' '
	isNew   = '+'
	changed = '~'
	rose    = '^' // it has come nearer to the front
	fell    = 'v'
	gone    = '-'
)

// row is a line of a result, with what has become of it.
type row struct {
	sign byte
	text string
}

// mark writes a result in rows and compares it with the one before, which is
// Nothing for the first.
func mark(before, after resp.Reply) (rows []row) {
	first := before.Kind() == resp.None
	if !isAggregate(after) || !first && before.Kind() != after.Kind() || count(after) == 0 {
		sign := byte(same)
		if !first && !resp.Equal(before, after) {
			sign = changed
		}
		return appendRows(nil, sign, appendHuman(nil, after, ""))
	}
	now := members(after)
	signs := make([]byte, len(now))
	var lost []int
	if first {
		signs = []byte(strings.Repeat(string(byte(same)), len(now)))
	} else {
		lost = compare(members(before), now, signs)
	}
	for i, sign := range signs {
		rows = appendRows(rows, sign, appendMember(nil, after, i))
	}
	for _, i := range lost {
		rows = appendRows(rows, gone, appendMember(nil, before, i))
	}
	return rows
}

// appendMember adds an element; a member and its score share a line.
func appendMember(dst []byte, r resp.Reply, at int) []byte {
	if r.Kind() != resp.List || !isScored(r.Items()[at]) {
		return appendElement(dst, r, at, "")
	}
	two := r.Items()[at].Items()
	dst = appendHuman(appendPlace(dst, r, at), two[0], "")
	return append(append(dst[:len(dst)-1], "  "+decimal(two[1])...), '\n')
}

// isScored reports whether an element is a member with its score.
func isScored(r resp.Reply) bool {
	two := r.Items()
	return r.Kind() == resp.List && len(two) == 2 && two[1].Kind() == resp.Decimal
}

func appendRows(rows []row, sign byte, text []byte) []row {
	for line := range strings.Lines(string(text)) {
		rows = append(rows, row{sign, strings.TrimSuffix(line, "\n")})
	}
	return rows
}

// member is an element as it is compared: who it is and what is said of it.
type member struct{ name, about string }

// members are those of a reply: fields with their values, members with their
// scores, elements by themselves.
func members(r resp.Reply) []member {
	items := r.Items()
	all := make([]member, count(r))
	for i := range all {
		if r.Kind() == resp.Pairs {
			all[i] = member{text(items[2*i]), text(items[2*i+1])}
			continue
		}
		all[i] = member{name: text(items[i])}
		if two := items[i].Items(); isScored(items[i]) {
			all[i] = member{text(two[0]), text(two[1])}
		}
	}
	return all
}

// compare fills in the sign of each member and returns the places of those that
// are gone. Of equal names the first was the first.
func compare(before, now []member, signs []byte) (lost []int) {
	places := map[string][]int{}
	for i, m := range before {
		places[m.name] = append(places[m.name], i)
	}
	came := make([]int, len(now))
	for j, m := range now {
		came[j], signs[j] = -1, isNew
		if have := places[m.name]; len(have) > 0 {
			came[j], places[m.name] = have[0], have[1:]
			signs[j] = same
			if before[have[0]].about != m.about {
				signs[j] = changed
			}
		}
	}
	stays := longestRise(came)
	for j, i := range came {
		switch {
		case i < 0 || stays[j] || signs[j] == changed && i == j:
		case j < i:
			signs[j] = rose
		default:
			signs[j] = fell
		}
	}
	for i, m := range before {
		if have := places[m.name]; len(have) > 0 && have[0] == i {
			lost, places[m.name] = append(lost, i), have[1:]
		}
	}
	return lost
}

// longestRise finds the most numbers from 0 on that rise from left to right: all
// others have moved among them.
func longestRise(came []int) []bool {
	var ends []int // places of the smallest last numbers of rises, by length
	before := make([]int, len(came))
	for j, i := range came {
		if i < 0 {
			continue
		}
		at := sort.Search(len(ends), func(k int) bool { return came[ends[k]] >= i })
		if before[j] = -1; at > 0 {
			before[j] = ends[at-1]
		}
		ends = append(ends[:at], append([]int{j}, ends[min(at+1, len(ends)):]...)...)
	}
	stays := make([]bool, len(came))
	if len(ends) == 0 {
		return stays
	}
	for j := ends[len(ends)-1]; j >= 0; j = before[j] {
		stays[j] = true
	}
	return stays
}
