package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// workload is one kind of traffic: a command, and what it is to find.
type workload struct {
	name string
	// words are the command's; anyKey in a word is a number below the shape's keys, another one each time,
	// and aValue a value of the shape's size.
	words string
	// fill are the commands that come before the first one that is measured; drain those before each run of
	// count commands that take something away.
	fill  func(s shape) script
	drain func(s shape, count int) script
	// slow says that one takes milliseconds: only the shapes of one link and one command at a time are of use.
	slow bool
	bars map[string][]bar
}

// script gives each of some commands to its argument.
type script func(visit func(words ...string))

const (
	anyKey = "__rand_int__" // redis-benchmark's own word for it
	aValue = "{value}"
)

// The bars of collections, by the shape's pipeline and links.
var (
	collectionBars = map[string][]bar{
		"P=1 c=50":  {{"thr", true, 1.0}},
		"P=16 c=50": {{"thr", true, 1.1}, {"cpu", false, 0.8}},
	}
	streamBars = map[string][]bar{"P=16 c=50": {{"thr", true, 1.1}}}
	stringBars = map[string][]bar{
		"P=1 c=1":   {{"p50", false, 1.0}},
		"P=1 c=50":  {{"thr", true, 1.0}, {"cpu", false, 0.95}},
		"P=16 c=50": {{"thr", true, 1.4}, {"cpu", false, 0.7}},
		"P=512 c=8": {{"thr", true, 2.5}, {"cpu", false, 0.5}},
	}
	slowBars = map[string][]bar{"P=1 c=1": {{"thr", true, 1.2}}}
)

// workloads are the kinds of traffic that bench knows, in the order of `all`.
var workloads = []workload{
	{name: "get", words: "GET key:" + anyKey, fill: fillStrings, bars: stringBars},
	{name: "set", words: "SET key:" + anyKey + " " + aValue, fill: fillStrings, bars: stringBars},
	{name: "mset", words: "MSET" + strings.Repeat(" key:"+anyKey+" "+aValue, 10), fill: fillStrings,
		bars: map[string][]bar{"P=16 c=50": {{"thr", true, 1.2}, {"cpu", false, 0.8}}}},
	{name: "incr", words: "INCR counter:" + anyKey},
	{name: "ping", words: "PING"},
	{name: "hset", words: "HSET myhash element:" + anyKey + " " + aValue, bars: collectionBars},
	{name: "lpush", words: "LPUSH mylist " + aValue, bars: collectionBars},
	{name: "rpush", words: "RPUSH mylist " + aValue, bars: collectionBars},
	{name: "lpop", words: "LPOP mylist", drain: fillMembers("RPUSH mylist", "element:%d"), bars: collectionBars},
	{name: "lrange_100", words: "LRANGE mylist 0 99", fill: fillFixed(1000, "RPUSH mylist", "element:%d"), bars: collectionBars},
	{name: "lrange_600", words: "LRANGE mylist 0 599", fill: fillFixed(1000, "RPUSH mylist", "element:%d"), bars: collectionBars},
	{name: "sadd", words: "SADD myset element:" + anyKey, bars: collectionBars},
	{name: "spop", words: "SPOP myset", drain: fillMembers("SADD myset", "element:%d"), bars: collectionBars},
	{name: "zadd", words: "ZADD myzset " + anyKey + " element:" + anyKey, bars: collectionBars},
	{name: "zpopmin", words: "ZPOPMIN myzset", drain: fillMembers("ZADD myzset", "%d element:%[1]d"), bars: collectionBars},
	{name: "zrange_100", words: "ZRANGE myzset 500000 500099", fill: fillFixed(1_000_000, "ZADD myzset", "%d element:%[1]d"),
		bars: map[string][]bar{"P=1 c=50": {{"thr", true, 1.2}}, "P=16 c=50": {{"thr", true, 1.2}}}},
	{name: "xadd", words: "XADD mystream * field " + aValue, bars: streamBars},
	{name: "xreadgroup", words: "XREADGROUP GROUP mygroup me COUNT 1 STREAMS mystream >", fill: makeGroup, drain: fillStream, bars: streamBars},
	{name: "xack", words: "XACK mystream mygroup 1-" + anyKey, fill: both(makeGroup, fillEntries), drain: deliverAgain, bars: streamBars},
	{name: "pfadd", words: "PFADD myhll element:" + anyKey, bars: collectionBars},
	{name: "geosearch", words: "GEOSEARCH mygeo FROMLONLAT 10 45 BYRADIUS 20 km ASC", fill: fillPlaces(100_000), bars: collectionBars},
	{name: "evalsha_1", words: "EVALSHA e4c38c69bba84a1142e79b1323ecf44eee500feb 1 key:" + anyKey, fill: both(fillStrings, fillScript(scriptOne)),
		bars: map[string][]bar{"P=16 c=50": {{"thr", true, 0.8}, {"cpu", false, 1.3}}}},
	{name: "evalsha_10", words: "EVALSHA 6ddf50959431a534b30c34448d9abdb99f7cdda4 1 key:" + anyKey, fill: both(fillStrings, fillScript(scriptTen)),
		bars: map[string][]bar{"P=16 c=50": {{"thr", true, 0.7}, {"cpu", false, 1.3}}}},
	{name: "zunionstore", words: "ZUNIONSTORE both 2 one other", slow: true, bars: slowBars,
		fill: both(fillFixed(100_000, "ZADD one", "%d element:%[1]d"), fillFixed(100_000, "ZADD other", "%d another:%[1]d"))},
	{name: "sort_by", words: "SORT ids BY weight:* LIMIT 0 10", slow: true, bars: slowBars,
		fill: both(fillFixed(100_000, "RPUSH ids", "%d"), fillFixed(100_000, "MSET", "weight:%d %[1]d"))},
}

// workloadNames are the names of all.
func workloadNames() (names []string) {
	for _, w := range workloads {
		names = append(names, w.name)
	}
	return names
}

// workloadOf is the one of a name that there is.
func workloadOf(name string) *workload {
	return &workloads[slices.IndexFunc(workloads, func(w workload) bool { return w.name == name })]
}

func fillStrings(s shape) script {
	return func(visit func(...string)) {
		for i := range s.Keys {
			visit("SET", fmt.Sprintf("key:%012d", i), strings.Repeat("x", s.Size))
		}
	}
}

// The scripts of evalsha_1 and evalsha_10, which know them by their SHA-1.
const (
	scriptOne = `return redis.call("GET",KEYS[1])`
	scriptTen = `local r for i=1,10 do r=redis.call("GET",KEYS[1]) end return r`
)

func fillScript(source string) func(shape) script {
	return func(shape) script { return func(visit func(...string)) { visit("SCRIPT", "LOAD", source) } }
}

// perCommand is how many members one command of a preload adds.
const perCommand = 100

// members are count members added to a collection; each is the format of its number.
func members(count int, add, format string) script {
	return func(visit func(...string)) {
		for from := 0; from < count; from += perCommand {
			words := strings.Fields(add)
			for i := from; i < min(from+perCommand, count); i++ {
				words = append(words, strings.Fields(fmt.Sprintf(format, scattered(i, count)))...)
			}
			visit(words...)
		}
	}
}

// scattered orders numbers below n so that neighbours in time are none in order.
func scattered(i, n int) int { return int(int64(i) * 7919 % int64(n)) }

func fillFixed(count int, add, format string) func(shape) script {
	return func(shape) script { return members(count, add, format) }
}

func fillMembers(add, format string) func(shape, int) script {
	return func(_ shape, count int) script { return members(count, add, format) }
}

// makeGroup makes a stream with a group.
func makeGroup(shape) script {
	return func(visit func(...string)) { visit("XGROUP", "CREATE", "mystream", "mygroup", "0", "MKSTREAM") }
}

// fillStream adds entries that the group has not read.
func fillStream(_ shape, count int) script {
	return func(visit func(...string)) {
		for i := range count {
			visit("XADD", "mystream", "*", "field", "element:"+strconv.Itoa(i))
		}
	}
}

// fillEntries adds an entry for each key of the shape.
func fillEntries(s shape) script {
	return func(visit func(...string)) {
		for i := range s.Keys {
			visit("XADD", "mystream", "1-"+strconv.Itoa(i+1), "field", "element:"+strconv.Itoa(i))
		}
	}
}

// deliverAgain gives the group all entries, as if it had none.
func deliverAgain(s shape, _ int) script {
	return func(visit func(...string)) {
		visit("XGROUP", "SETID", "mystream", "mygroup", "0")
		for range (s.Keys + perCommand - 1) / perCommand {
			visit("XREADGROUP", "GROUP", "mygroup", "me", "COUNT", strconv.Itoa(perCommand), "STREAMS", "mystream", ">")
		}
	}
}

// fillPlaces spreads places over some thousand kilometres around 10° E 45° N.
func fillPlaces(count int) func(shape) script {
	return func(shape) script {
		return func(visit func(...string)) {
			for i := range count {
				at := strconv.FormatFloat(float64(scattered(i, count))/float64(count)*20, 'f', 6, 64)
				north := strconv.FormatFloat(35+float64(i%1000)/50, 'f', 6, 64)
				visit("GEOADD", "mygeo", at, north, "place:"+strconv.Itoa(i))
			}
		}
	}
}

func both(a, b func(shape) script) func(shape) script {
	return func(s shape) script {
		return func(visit func(...string)) {
			a(s)(visit)
			b(s)(visit)
		}
	}
}

// command is the workload's command as redis-benchmark takes it.
func (w *workload) command(s shape) []string {
	return strings.Fields(strings.ReplaceAll(w.words, aValue, strings.Repeat("x", s.Size)))
}

// sample is the i-th command of a shape, as redis-benchmark words it. Its key walks over the keyspace in
// steps of a prime.
func (w *workload) sample(s shape, i int) []string {
	number := fmt.Sprintf("%012d", i*7919%s.Keys)
	words := w.command(s)
	for at := range words {
		words[at] = strings.ReplaceAll(words[at], anyKey, number)
	}
	return words
}
