package main_test

import (
	"encoding/json"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/troupedb/troupe/resp"
)

// What a live query may show, by a model of our own: a shelf's keys are changed
// together, by one writer, in transactions that have numbers; each key shows the last
// few of them in the manner of its type.

// shown is how many numbers a collection shows.
const shown = 20

// shelf is keys of all types that change together, nearly all of one shard.
type shelf struct {
	name    string
	numbers []int // of the transactions, in their order
	next    int   // never given out twice, whatever is lost
}

func (s *shelf) near(key string) string { return "{" + s.name + "}" + key }
func (s *shelf) far(key string) string  { return "{" + s.name + key + "}" }

// draw begins a transaction: it returns its commands.
func (s *shelf) draw() [][]string {
	s.next++
	at, n := len(s.numbers), strconv.Itoa(s.next)
	s.numbers = append(s.numbers, s.next)
	place := strconv.Itoa(at % shown)
	lines := [][]string{
		{"MULTI"},
		{"SET", s.near("string"), n}, {"HSET", s.near("hash"), "f" + place, n}, {"ZADD", s.near("zset"), n, "m" + place},
		{"SADD", s.near("set"), n}, {"RPUSH", s.near("list"), n}, {"LTRIM", s.near("list"), strconv.Itoa(-shown), "-1"},
		{"XADD", s.near("stream"), "MAXLEN", strconv.Itoa(shown), n + "-1", "n", n},
		{"MSET", s.far("a"), n, s.far("b"), n, s.far("c"), n},
	}
	if at >= shown {
		lines = append(lines, []string{"SREM", s.near("set"), strconv.Itoa(s.numbers[at-shown])})
	}
	return append(lines, []string{"EXEC"})
}

// queries are the live queries of a shelf, by the names of their commands. The keys of
// MGET are on several shards.
func (s *shelf) queries() map[string][]string {
	return map[string][]string{
		"GET": {"GET", s.near("string")}, "HGETALL": {"HGETALL", s.near("hash")},
		"ZRANGE": {"ZRANGE", s.near("zset"), "0", "-1", "WITHSCORES"}, "SMEMBERS": {"SMEMBERS", s.near("set")},
		"LRANGE": {"LRANGE", s.near("list"), "0", "-1"}, "XRANGE": {"XRANGE", s.near("stream"), "-", "+"},
		"MGET": {"MGET", s.far("a"), s.far("b"), s.far("c")},
	}
}

// state is what a query answers after the transaction at a place.
func (s *shelf) state(name string, at int) string {
	var all elements
	from := max(0, at-shown+1)
	for i, number := range s.numbers[from : at+1] {
		n, place := strconv.Itoa(number), strconv.Itoa((from+i)%shown)
		switch name {
		case "HGETALL":
			all = append(all, "f"+place+" "+n)
		case "ZRANGE":
			all = append(all, "m"+place+" "+n)
		case "XRANGE":
			all = append(all, n+"-1 n "+n)
		case "GET":
			all = elements{n}
		case "MGET":
			all = elements{n, n, n}
		default:
			all = append(all, n)
		}
	}
	return all.text(name)
}

// places finds the place of a state of a query.
func (s *shelf) places(name string) map[string]int {
	all := map[string]int{}
	for at := range s.numbers {
		all[s.state(name, at)] = at
	}
	return all
}

// elements are those of a result, each in a text of its own.
type elements []string

// text is the elements in one text, in an order that is always the same.
func (e elements) text(name string) string {
	if name == "HGETALL" || name == "SMEMBERS" {
		e = slices.Sorted(slices.Values(e))
	}
	return strings.Join(e, ",")
}

// elementsOf takes a result apart, as any protocol shows it.
func elementsOf(name string, result any) (all elements) {
	items, isList := result.([]any)
	if !isList {
		return elements{flat(result)}
	}
	step := 1
	if len(items) > 0 && (name == "HGETALL" || name == "ZRANGE") {
		if _, nested := items[0].([]any); !nested { // members and scores take turns
			step = 2
		}
	}
	for i := 0; i+step <= len(items); i += step {
		all = append(all, flat(items[i:i+step]))
	}
	return all
}

func flat(value any) string {
	switch v := value.(type) {
	case nil:
		return "nothing"
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case []any:
		var all []string
		for _, one := range v {
			all = append(all, flat(one))
		}
		return strings.Join(all, " ")
	}
	return "what no query shows"
}

// plain is a reply of RESP in the values of JSON; a map is a list whose names and
// values take turns.
func plain(r resp.Reply) any {
	switch r.Kind() {
	case resp.Null, resp.NullArray:
		return nil
	case resp.Number:
		return float64(r.Int())
	case resp.Decimal:
		return r.Float()
	case resp.Failure:
		return "error " + r.Str()
	case resp.List, resp.Pairs, resp.Unordered, resp.Out, resp.Couples:
		all := make([]any, 0, len(r.Items()))
		for _, item := range r.Items() {
			all = append(all, plain(item))
		}
		return all
	}
	return r.Str()
}

// plainJSON is the same of JSON.
func plainJSON(text json.RawMessage) (value any, err error) {
	err = json.Unmarshal(text, &value)
	return listed(value), err
}

func listed(value any) any {
	object, is := value.(map[string]any)
	if !is {
		return value
	}
	names := make([]string, 0, len(object))
	for name := range object {
		names = append(names, name)
	}
	sort.Strings(names)
	all := make([]any, 0, 2*len(names))
	for _, name := range names {
		all = append(all, name, listed(object[name]))
	}
	return all
}

// apply makes of the elements before what a delta says.
func (e elements) apply(name string, delta any) elements {
	parts := map[string][]any{}
	items, _ := delta.([]any)
	for i := 0; i+1 < len(items); i += 2 {
		part, _ := items[i+1].([]any)
		parts[items[i].(string)] = part
	}
	switch name {
	case "HGETALL":
		return e.applyFields(parts)
	case "SMEMBERS":
		left := slices.DeleteFunc(slices.Clone(e), func(one string) bool { return slices.Contains(texts(parts["removed"]), one) })
		return append(left, texts(parts["added"])...)
	}
	return e.applyPlaces(parts)
}

func texts(items []any) (all []string) {
	for _, item := range items {
		all = append(all, flat(item))
	}
	return all
}

func (e elements) applyFields(parts map[string][]any) (all elements) {
	gone, set := texts(parts["removed"]), parts["set"]
	for i := 0; i+1 < len(set); i += 2 {
		gone = append(gone, flat(set[i]))
		all = append(all, flat(set[i:i+2]))
	}
	for _, one := range e {
		if field, _, _ := strings.Cut(one, " "); !slices.Contains(gone, field) {
			all = append(all, one)
		}
	}
	return all
}

func (e elements) applyPlaces(parts map[string][]any) (all elements) {
	taken, fixed := map[int]bool{}, map[int]string{}
	number := func(value any) int { return int(value.(float64)) }
	for _, from := range parts["removed"] {
		taken[number(from)] = true
	}
	moved, added := parts["moved"], parts["added"]
	for i := 0; i+1 < len(moved); i += 2 {
		taken[number(moved[i])] = true
		fixed[number(moved[i+1])] = e[number(moved[i])]
	}
	for i := 0; i+1 < len(added); i += 2 {
		fixed[number(added[i])] = flat(added[i+1])
	}
	var rest elements
	for i, one := range e {
		if !taken[i] {
			rest = append(rest, one)
		}
	}
	for size := len(rest) + len(fixed); len(all) < size; {
		if one, is := fixed[len(all)]; is {
			all = append(all, one)
		} else if len(rest) > 0 {
			all, rest = append(all, rest[0]), rest[1:]
		} else {
			return append(all, "a place that nothing fills")
		}
	}
	return all
}
