package str_test

import (
	"strings"
	"testing"

	"github.com/troupedb/troupe/keyspace/shardtest"
)

// play runs a transcript by 1, 2 and 16 shards.
func play(t *testing.T, transcript string) {
	t.Helper()
	for _, shards := range []int{1, 2, 16} {
		shardtest.New(t, shards, families...).Play(transcript)
	}
}

// A negative range on an empty string is empty.
func TestRangeOfNothing(t *testing.T) {
	t.Parallel()
	play(t, `
		> SET e ""
		+OK
		> GETRANGE e -1 -1
		""
		> GETRANGE nokey -1 -1
		""
		> SETRANGE nokey 5 ""
		:0
		> EXISTS nokey
		:0
		> SETRANGE e 0 ""
		:0
		> GETRANGE e 0 9223372036854775807
		""
		> SET k abc
		+OK
		> GETRANGE k -9223372036854775808 9223372036854775807
		"abc"
		> GETRANGE k -2 -3
		""
		> GETRANGE k 5 9
		""
	`)
}

// Only canonical integers count.
func TestCanonicalIntegers(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`" 11"`, `"11 "`, "012", "+5", "0x10", "3.0", "-0", `""`, "9223372036854775808"} {
		play(t, `
			> SET k `+text+`
			+OK
			> INCR k
			-ERR value is not an integer or out of range
			> INCRBY nokey `+text+`
			-ERR value is not an integer or out of range
		`)
	}
	play(t, `
		> SET k 9223372036854775807
		+OK
		> INCR k
		-ERR increment or decrement would overflow
		> DECRBY k 9223372036854775807
		:0
		> DECRBY k 9223372036854775807
		:-9223372036854775807
		> DECR k
		:-9223372036854775808
		> DECR k
		-ERR increment or decrement would overflow
		> INCRBY k 9223372036854775807
		:-1
	`)
}

// Float increments are exact to 17 digits, without exponent.
func TestFloatIncrements(t *testing.T) {
	t.Parallel()
	play(t, `
		> SET k 3
		+OK
		> INCRBYFLOAT k 1.1
		"4.1"
		> SET k 5.0e3
		+OK
		> INCRBYFLOAT k 2.0e2
		"5200"
		> OBJECT ENCODING k
		"embstr"
		> INCRBYFLOAT k inf
		-ERR increment would produce NaN or Infinity
		> INCRBYFLOAT k nan
		-ERR value is not a valid float
		> INCRBYFLOAT new 1e60
		"999999999999999999999373423426722168652130621984886772203520"
		> OBJECT ENCODING new
		"raw"
		> SET k text
		+OK
		> INCRBYFLOAT k 1
		-ERR value is not a valid float
		> HSET h f v
		:1
		> INCRBYFLOAT h x
		-WRONGTYPE Operation against a key holding the wrong kind of value
	`)
}

// What cannot be counted is refused and the key left alone.
func TestExpiryOverflow(t *testing.T) {
	t.Parallel()
	play(t, `
		> SET k v
		+OK
		> SET k w EX 9223372036854775807
		-ERR invalid expire time in 'set' command
		> GETEX k EX 9223372036854775807
		-ERR invalid expire time in 'getex' command
		> GETEX k PXAT -1
		-ERR invalid expire time in 'getex' command
		> SETEX k 9223372036854775807 w
		-ERR invalid expire time in 'setex' command
		> PSETEX k 9223372036854775807 w
		-ERR invalid expire time in 'psetex' command
		> TTL k
		:-1
		> GET k
		"v"
	`)
}

func TestKeepTTL(t *testing.T) {
	t.Parallel()
	play(t, `
		> SET k x EX 100
		+OK
		> SET k y KEEPTTL
		+OK
		> TTL k
		:100
		> INCRBY n 1
		:1
		> EXPIRE n 100
		:1
		> INCR n
		:2
		> APPEND k z
		:2
		> SETRANGE k 0 Y
		:2
		> INCRBYFLOAT n 1
		"3"
		> TTL n
		:100
		> TTL k
		:100
		> SET k z
		+OK
		> TTL k
		:-1
		> GETSET n 1
		"3"
		> TTL n
		:-1
	`)
}

func TestGetex(t *testing.T) {
	t.Parallel()
	play(t, `
		> SET k v
		+OK
		> GETEX k EX 100
		"v"
		! events expire k
		> GETEX k
		"v"
		! events
		> GETEX k PERSIST
		"v"
		! events persist k
		> GETEX k PERSIST
		"v"
		! events
		> GETEX k EX 10 PERSIST
		-ERR syntax error
		> GETEX k EX 10 EX 20
		"v"
		> TTL k
		:20
		> GETEX k EX 10 PX 20
		-ERR syntax error
		> GETEX k EXAT 1
		"v"
		! events del k
		> EXISTS k
		:0
	`)
}

// A key past its deadline is not there for SETNX, nor for anybody.
func TestOverdue(t *testing.T) {
	t.Parallel()
	play(t, `
		> SET e v PX 10
		+OK
		> SET f v PX 10
		+OK
		! advance 11ms
		> SETNX e n
		:1
		! events expired e, set e
		> TTL e
		:-1
		> APPEND f x
		:1
		! events expired f, append f
		> SET f v PXAT 1
		+OK
		! events set f, expire f
		> GET f
		_
		! events expired f
	`)
}

// The options of SET that compare are Valkey's.
func TestSetIfEqual(t *testing.T) {
	t.Parallel()
	play(t, `
		> SET k v IFEQ v
		_
		> EXISTS k
		:0
		> SET k 10
		+OK
		> SET k 11 IFEQ 10
		+OK
		> SET k 12 IFEQ 10
		_
		> SET k 12 IFEQ 10 GET
		"11"
		> SET k 12 GET IFEQ 11
		"11"
		> GET k
		"12"
		> SET nokey v IFEQ "" GET
		_
		> SET k v IFEQ
		-ERR syntax error
		> SET k v IFEQ 12 NX
		-ERR syntax error
		> SET k v XX IFEQ 12
		-ERR syntax error
		> SET k v IFEQ 12 IFEQ 12
		-ERR syntax error
		> SET k "" IFEQ 12 EX 100
		+OK
		> SET k v IFEQ "" KEEPTTL
		+OK
		> TTL k
		:100
		> HSET h f v
		:1
		> SET h v IFEQ v
		-WRONGTYPE Operation against a key holding the wrong kind of value
		> DELIFEQ h v
		-WRONGTYPE Operation against a key holding the wrong kind of value
		> DELIFEQ k w
		:0
		! events
		> DELIFEQ k v
		:1
		! events del k
	`)
}

func TestSetConditions(t *testing.T) {
	t.Parallel()
	play(t, `
		> SET k v XX
		_
		> SET k v XX GET
		_
		> SET k v NX GET
		_
		> SET k w NX GET
		"v"
		> SET k w XX GET
		"v"
		> SET k x NX NX
		_
		> SET k x GET GET EX 10 EX 20
		"w"
		> TTL k
		:20
		> SET k x EX 10 KEEPTTL
		-ERR syntax error
		> SET k x EX ten NOPE
		-ERR syntax error
		> HSET h f v
		:1
		> SET h v NX
		_
		> SET h v GET
		-WRONGTYPE Operation against a key holding the wrong kind of value
		> SET h v XX
		+OK
		> TYPE h
		+string
	`)
}

// Strings are bounded by proto-max-bulk-len, here 1000 bytes.
func TestStringBound(t *testing.T) {
	t.Parallel()
	for _, shards := range []int{1, 2} {
		w := shardtest.New(t, shards, families...)
		w.Settings.BulkMax = 1000
		w.Play(`
			> SETRANGE k 999 x
			:1000
			> APPEND k x
			-ERR string exceeds maximum allowed size (proto-max-bulk-len)
			> SETRANGE k 1000 x
			-ERR string exceeds maximum allowed size (proto-max-bulk-len)
			> SETRANGE new 9223372036854775807 xx
			-ERR string exceeds maximum allowed size (proto-max-bulk-len)
			> SETRANGE k 1000 ""
			:1000
			> EXISTS new
			:0
			> STRLEN k
			:1000
			> LCS k k
			-ERR Insufficient memory, transient memory for LCS exceeds proto-max-bulk-len
			> MSET a 0123456789012345 b ` + strings.Repeat("x", 13) + `
			+OK
			> LCS a b
			""
			> APPEND b x
			:14
			> LCS a b
			-ERR Insufficient memory, transient memory for LCS exceeds proto-max-bulk-len
		`)
	}
}

func TestSubsequences(t *testing.T) {
	t.Parallel()
	play(t, `
		> MSET key1 ohmytext key2 mynewtext n1 123456 n2 24680
		+OK
		> LCS key1 key2 IDX
		%{"matches": [[[:4, :7], [:5, :8]], [[:2, :3], [:0, :1]]], "len": :6}
		> LCS key1 key2 IDX MINMATCHLEN 4
		%{"matches": [[[:4, :7], [:5, :8]]], "len": :6}
		> LCS n1 n2
		"246"
		> LCS n1 n2 LEN WITHMATCHLEN
		:3
		> LCS nokey key1
		""
		> LCS nokey key1 IDX
		%{"matches": [], "len": :0}
		> LCS key1 key2 MINMATCHLEN x
		-ERR value is not an integer or out of range
		> HSET h f v
		:1
		> LCS h key1 NOPE
		-ERR The specified keys must contain string values
	`)
}

// What keyspace notifications tell, command by command.
func TestEvents(t *testing.T) {
	t.Parallel()
	play(t, `
		> MSET {x}a 1 {x}b 2
		+OK
		! events set {x}a, set {x}b
		> MSETNX {x}c 1 {x}d 2
		:1
		! events set {x}c, set {x}d
		> SET k v EX 10
		+OK
		! events set k, expire k
		> SETEX k 10 v
		+OK
		! events set k, expire k
		> INCR n
		:1
		! events incrby n
		> DECRBY n 3
		:-2
		! events incrby n
		> INCRBYFLOAT n 1
		"-1"
		! events incrbyfloat n
		> APPEND n 5
		:3
		! events append n
		> SETRANGE n 1 7
		:3
		! events setrange n
		> GETSET n x
		"-75"
		! events set n
		> GETDEL n
		"x"
		! events del n
		> GETDEL n
		_
		! events
	`)
}

// MGET of more numbers than fit the scratch buffer at first.
func TestManyNumbers(t *testing.T) {
	t.Parallel()
	var get, want strings.Builder
	w := shardtest.New(t, 1, families...)
	get.WriteString("MGET")
	for range 500 {
		get.WriteString(" a b c")
		want.WriteString(` "1234567890123" "-7" "text"`)
	}
	w.Do("MSET a 1234567890123 b -7 c text")
	got := strings.NewReplacer("[", " ", "]", "", ",", "", "\n", "").Replace(w.Do(get.String()))
	if got = strings.Join(strings.Fields(got), " "); got != strings.TrimSpace(want.String()) {
		t.Errorf("MGET gives %.200s", got)
	}
}
