package generic_test

import (
	"bytes"
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/troupedb/troupe/keyspace/shardtest"
	"github.com/troupedb/troupe/resp"
)

func TestSort(t *testing.T) {
	t.Parallel()
	for _, shards := range []int{1, 2, 16} {
		w := shardtest.New(t, shards, everyFamily...)
		w.Play(`
			> RPUSH l 3 1 2
			:3
			> SORT l STORE d
			:3
			! events sortstore d
			> SORT nokey STORE d
			:0
			! events del d
			> SORT nokey STORE d
			:0
			! events
			> SORT l STORE l
			:3
			! events sortstore l
			> LRANGE l 0 -1
			["1", "2", "3"]
			> SET l2 v EX 100
			+OK
			> SORT l DESC STORE l2
			:3
			> TTL l2
			:-1
			> LRANGE l2 0 -1
			["3", "2", "1"]
			# What is looked at may go, and be what is replaced.
			> MSET w1 30 w2 10
			+OK
			> SET w3 20 PX 10
			+OK
			! advance 10ms
			> SORT l BY w* GET w* GET #
			[_, "3", "10", "2", "30", "1"]
			! events expired w3
			> SORT l GET w* STORE w1
			:3
			> LRANGE w1 0 -1
			["30", "10", ""]
			# Numbers in C's notation.
			> RPUSH c 0x10 " 2" 1e1 -inf 3
			:5
			> SORT c
			["-inf", " 2", "3", "1e1", "0x10"]
			> RPUSH c "3 "
			:6
			> SORT c
			-ERR One or more scores can't be converted into double
			> LRANGE c 0 0
			["0x10"]
			> RPUSH n 1 nan
			:2
			> SORT n
			-ERR One or more scores can't be converted into double
			> SORT n BY x STORE copy
			:2
			> RPUSH empty "" -1 1
			:3
			> SORT empty
			["-1", "", "1"]
			> SADD s b a c
			:3
			> SORT s BY nosort STORE sorted
			:3
			> LRANGE sorted 0 -1
			["a", "b", "c"]
			> SORT s BY nosort DESC STORE sorted
			:3
			> LRANGE sorted 0 -1
			["c", "b", "a"]
		`)
	}
}

// GET of very much, many times, is refused and not tried.
func TestSortTooMuch(t *testing.T) {
	t.Parallel()
	w := shardtest.New(t, 1, everyFamily...)
	line := [][]byte{[]byte("RPUSH"), []byte("l")}
	for i := range 100_000 {
		line = append(line, fmt.Append(nil, i))
	}
	w.Run(line)
	argv := [][]byte{[]byte("SORT"), []byte("l")}
	for range 1000 {
		argv = append(argv, []byte("GET"), []byte("nothing"))
	}
	for _, store := range [][][]byte{nil, {[]byte("STORE"), []byte("d")}} {
		if got := w.Run(append(argv, store...)); got.Str() != resp.ErrOutOfRange.Str() {
			t.Errorf("%.100s", resp.Format(got))
		}
	}
}

// TestSortAgainstRedis sends random SORTs to a real redis-server too. Replies
// must be the same bytes; where elements belong to equal texts, and Redis says
// nothing of their order, as many and the same ones.
func TestSortAgainstRedis(t *testing.T) {
	t.Parallel()
	redis := shardtest.DialRedis(t)
	rng := rand.New(rand.NewPCG(*seedFlag, 77))
	t.Logf("-seed %d", *seedFlag)
	for range *trialsFlag {
		s := &sortTrial{t: t, rng: rng, redis: redis, world: shardtest.New(t, 1+rng.IntN(4), everyFamily...), encoder: resp.V2}
		hello := "HELLO 2"
		if rng.IntN(2) == 0 {
			s.encoder, hello = resp.V3, "HELLO 3"
		}
		redis.Ask(words(hello, "FLUSHALL"))
		s.fill()
		for range 100 {
			s.compare(s.command())
		}
	}
}

type sortTrial struct {
	t       *testing.T
	rng     *rand.Rand
	redis   *shardtest.Redis
	world   *shardtest.World
	encoder resp.Encoder
	numbers bool // all elements are
}

func (s *sortTrial) pick(list ...string) string { return list[s.rng.IntN(len(list))] }

func (s *sortTrial) element() string {
	if !s.numbers && s.rng.IntN(3) == 0 {
		return s.pick("a", "b", "ab", "abcdefgh", "abcdefghi", "abcdefgi", "zebra", "B", "\xff", "")
	}
	return s.pick("1", "2", "3", "10", "-5", "2.5", "1e2", "0x1F", "007", "1000000", "-0", "0", "inf")
}

// fill makes a list, a set and a sorted set, and what belongs to some of their
// elements.
func (s *sortTrial) fill() {
	s.numbers = s.rng.IntN(2) == 0
	for range 1 + s.rng.IntN(30) {
		s.both("RPUSH", "l", s.element())
		s.both("SADD", "s", s.element())
		s.both("ZADD", "z", fmt.Sprint(s.rng.IntN(9)), s.element())
	}
	for range s.rng.IntN(40) {
		e := s.element()
		s.both("SET", "w_"+e, fmt.Sprint(s.rng.IntN(50)-25))
		s.both("SET", "t_"+e, s.pick("x", "y", "long text 1", "long text 2", "", "7"))
		s.both("HSET", "h_"+e, "f", fmt.Sprint(s.rng.IntN(50)), "t", s.pick("x", "y", ""))
	}
	s.both("RPUSH", "w_2", "not a string")
	s.both("SET", "h_3", "not a hash")
}

// both runs a command on both sides.
func (s *sortTrial) both(words ...string) (got, want []byte) {
	var argv [][]byte
	for _, word := range words {
		argv = append(argv, []byte(word))
	}
	return s.world.Exchange(argv, s.encoder), s.redis.Ask([][][]byte{argv})[0]
}

func (s *sortTrial) command() []string {
	line := []string{s.pick("SORT", "SORT", "SORT_RO"), s.pick("l", "s", "z", "l", "s", "z", "nokey", "w_1")}
	for range s.rng.IntN(5) {
		switch s.rng.IntN(12) {
		case 0, 1:
			line = append(line, s.pick("ALPHA", "alpha"))
		case 2, 3:
			line = append(line, s.pick("DESC", "ASC", "desc"))
		case 4, 5:
			line = append(line, "LIMIT", s.pick("0", "1", "5", "-1", "100", "9223372036854775807", "x"), s.pick("0", "1", "3", "-1", "100", "9223372036854775807"))
		case 6, 7:
			line = append(line, "BY", s.pick("w_*", "t_*", "h_*->f", "h_*->t", "nosort", "#", "h_*->", "*", "w_*->x"))
		case 8, 9:
			line = append(line, "GET", s.pick("w_*", "t_*", "h_*->f", "h_*->t", "#", "nothing", "h_*->none", "*_x"))
		case 10:
			line = append(line, "STORE", s.pick("d", "e", line[1]))
		default:
			line = append(line, s.pick("BY", "LIMIT", "STORE", "nonsense", "ALPHA"))
		}
	}
	if line[0] == "SORT" && s.rng.IntN(4) == 0 {
		line = append(line, "STORE", "d")
	}
	return line
}

func (s *sortTrial) compare(line []string) {
	s.t.Helper()
	got, want := s.both(line...)
	if !bytes.Equal(got, want) && !sameButForOrder(line, got, want) {
		s.t.Fatalf("%q: %q, from Redis %q", line, got, want)
	}
	for _, key := range []string{"d", "e"} {
		got, want = s.both("LRANGE", key, "0", "-1")
		if !bytes.Equal(got, want) && !sameButForOrder(line, got, want) {
			s.t.Fatalf("%q, and then %s holds %q, in Redis %q", line, key, got, want)
		}
		s.both("DEL", key)
	}
	if slices.Contains(line, "STORE") { // the value sorted may be another now
		s.both("DEL", "l")
		s.both("DEL", "s")
		s.both("DEL", "z")
		s.both("DEL", "w_1")
		s.fill()
	}
}

// sameButForOrder reports whether replies have the same items, where Redis
// does not say in which order: those of a set as it is kept, and those that
// belong to equal texts.
func sameButForOrder(line []string, got, want []byte) bool {
	has := func(word string) bool {
		return slices.ContainsFunc(line, func(w string) bool { return strings.EqualFold(w, word) })
	}
	if !has("BY") || line[1] != "s" && !has("ALPHA") {
		return false
	}
	if has("LIMIT") { // which of the equal ones are shown is open too
		return bytes.HasPrefix(got, []byte("*")) && bytes.HasPrefix(want, []byte("*"))
	}
	return sameItems(got, want)
}

func sameItems(got, want []byte) bool {
	a, _, errA := resp.Decode(got)
	b, _, errB := resp.Decode(want)
	if errA != nil || errB != nil || a.Kind() != resp.List || b.Kind() != resp.List {
		return false
	}
	format := func(r resp.Reply) (items []string) {
		for _, item := range r.Items() {
			items = append(items, resp.Format(item))
		}
		slices.Sort(items)
		return items
	}
	return slices.Equal(format(a), format(b))
}

// Of many elements, all or the first or the last ones come as a sort of them
// all would have it.
func TestSortMany(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(*seedFlag, 78))
	t.Logf("-seed %d", *seedFlag)
	for range 20 {
		w := shardtest.New(t, 2, everyFamily...)
		n := 1 + rng.IntN(4000)
		kinds := 1 + rng.IntN(n)
		elements := make([]string, n)
		push := [][]byte{[]byte("RPUSH"), []byte("l")}
		weight := map[string]int{}
		for i := range elements {
			elements[i] = fmt.Sprint("element ", rng.IntN(kinds))
			push = append(push, []byte(elements[i]))
			weight[elements[i]] = rng.IntN(kinds) - kinds/2
		}
		w.Run(push)
		for e, number := range weight {
			w.Run([][]byte{[]byte("SET"), []byte("w_" + e), fmt.Append(nil, number)})
		}
		byWeight := func(a, b string) int { return cmp.Or(cmp.Compare(weight[a], weight[b]), cmp.Compare(a, b)) }
		for _, desc := range []bool{false, true} {
			for _, limit := range []int{0, 1, n / 20, n / 8, n / 2, n} {
				offset := rng.IntN(1 + n - limit)
				wantSorted(t, w, slices.SortedFunc(slices.Values(elements), strings.Compare), sortWords(desc, offset, limit, "ALPHA"))
				wantSorted(t, w, slices.SortedFunc(slices.Values(elements), byWeight), sortWords(desc, offset, limit, "BY w_*"))
			}
		}
	}
}

func sortWords(desc bool, offset, limit int, how string) string {
	line := fmt.Sprintf("SORT l LIMIT %d %d %s", offset, limit, how)
	if desc {
		line += " DESC"
	}
	return line
}

// wantSorted runs a SORT, of which all elements in rising order are given.
func wantSorted(t *testing.T, w *shardtest.World, all []string, line string) {
	t.Helper()
	argv, _ := resp.SplitLine([]byte(line))
	if strings.HasSuffix(line, "DESC") {
		slices.Reverse(all)
	}
	offset, _ := strconv.Atoi(string(argv[3]))
	limit, _ := strconv.Atoi(string(argv[4]))
	var got []string
	for _, item := range w.Run(argv).Items() {
		got = append(got, item.Str())
	}
	if !slices.Equal(got, all[offset:offset+limit]) {
		t.Errorf("%d elements, %s: %.500q, want %.500q", len(all), line, got, all[offset:offset+limit])
	}
}
