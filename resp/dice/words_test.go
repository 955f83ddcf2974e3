package dice

import (
	"bytes"
	"testing"
)

// now is the time of these tests, Unix milliseconds.
const now = 1_700_000_000_000

func translated(p Protocol, line string) string {
	argv := bytes.Split([]byte(line), []byte(" "))
	for i := range Commands {
		if c := &Commands[i]; c.Name == string(argv[0]) {
			out, err := c.Translate(p, argv, now)
			if err.IsError() {
				return "-" + err.Str()
			}
			return joined(out)
		}
	}
	return "no such command"
}

func TestTranslate(t *testing.T) {
	t.Parallel()
	f := func(p Protocol, line, want string) {
		t.Helper()
		if got := translated(p, line); got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
	syntax := func(name string) string { return "-ERR invalid syntax for '" + name + "' command" }
	arity := func(name string) string { return "-ERR wrong number of arguments for '" + name + "' command" }
	value := func(name, option string) string {
		return "-ERR invalid value for a parameter in '" + name + "' command for " + option + " parameter"
	}
	for _, p := range []Protocol{Raw, Framed} {
		f(p, "SET k v", "SET k v")
		f(p, "SET k v ex +10 nx", "SET k v EX 10 NX")
		f(p, "SET k v XX KEEPTTL", "SET k v XX KEEPTTL")
		f(p, "SET k v NX NX", "SET k v NX NX")
		f(p, "SET k v NX XX", syntax("SET"))
		f(p, "SET k v EX 1 EX 1", syntax("SET"))
		f(p, "SET k v KEEPTTL PX 1", syntax("SET"))
		f(p, "SET k v PX 1 KEEPTTL", syntax("SET"))
		f(p, "SET k v PXAT", syntax("SET"))
		f(p, "SET k v EX 0", value("SET", "EX"))
		f(p, "SET k v EX 31535999", "SET k v EX 31535999")
		f(p, "SET k v EX 31536000", value("SET", "EX"))
		f(p, "SET k v PX 31535999999", "SET k v PX 31535999999")
		f(p, "SET k v PX 31536000000", value("SET", "PX"))
		f(p, "SET k v EXAT 1700000000", value("SET", "EXAT"))
		f(p, "SET k v EXAT 1700000001", "SET k v EXAT 1700000001")
		f(p, "SET k v EXAT 1731536000", value("SET", "EXAT"))
		f(p, "SET k v PXAT 1700000000000", value("SET", "PXAT"))
		f(p, "SET k v PXAT 1700000000001", "SET k v PXAT 1700000000001")
		f(p, "SET k v PX 9223372036854775808", value("SET", "PX"))
		f(p, "GETEX k", "GETEX k")
		f(p, "GETEX k foo", "GETEX k")
		f(p, "GETEX k persist", "GETEX k PERSIST")
		f(p, "GETEX k PX 5", "GETEX k PX 5")
		f(p, "GETEX k PERSIST EX 5", syntax("GETEX"))
		f(p, "GETEX k EX 5 PERSIST", syntax("GETEX"))
		f(p, "GETEX k EX x", value("GETEX", "EX"))
		f(p, "EXPIRE k 010 lt", "EXPIRE k 10 XX LT")
		f(p, "EXPIRE k 10 NX XX", "EXPIRE k 10 NX XX")
		f(p, "EXPIRE k -1", "-ERR invalid expire time in 'EXPIRE' command")
		f(p, "EXPIREAT k x", "-ERR invalid expire time in 'EXPIREAT' command")
		f(p, "EXPIRE k 1 soon", "-ERR unsupported option soon")
		f(p, "INCRBY k +7", "INCRBY k 7")
		f(p, "DECRBY k 7x", "-ERR value is not an integer or out of range")
	}
	const number = "-ERR value is not an integer or a float"
	for _, p := range []Protocol{Raw, Framed} {
		f(p, "ZADD z 1 a", "ZADD z 1 a")
		f(p, "ZADD z +01 a -2 b", "ZADD z 1 a -2 b")
		f(p, "ZADD z nx ch 1 a", "ZADD z NX CH 1 a")
		f(p, "ZADD z 1 a GT 2 b lt", "ZADD z GT LT 1 a 2 b")
		f(p, "ZADD z CH NX incr 1 a", "ZADD z INCR NX CH 1 a")
		f(p, "ZADD z 1 ch 2 lt", "ZADD z 1 ch 2 lt") // countries
		f(p, "ZADD z 1 a 2", arity("ZADD"))
		f(p, "ZADD z NX CH", arity("ZADD"))
		f(p, "ZADD z a 1", number)
		f(p, "ZADD z 1.5 a", number)
		f(p, "ZADD z +inf a", number)
		f(p, "ZADD z 9223372036854775808 a", number)
		f(p, "ZADD z 1 a EX 10", number)
		f(p, "GEOADD g ch 13 38 a 2.5 -1 nx NX", "GEOADD g CH NX 13 38 a 2.5 -1 nx")
		f(p, "GEOADD g 13 38 a 2", arity("GEOADD"))
		f(p, "ZCOUNT z 1 +25", "ZCOUNT z 1 25")
		f(p, "ZCOUNT z -inf +inf", "ZCOUNT z -inf +inf")
		f(p, "ZCOUNT z (1 2", number)
		f(p, "ZCOUNT z 1 inf", number)
	}
	f(Framed, "SET k v GET", syntax("SET"))
	f(Framed, "SET k v foo", syntax("SET"))
	f(Raw, "SET k v foo GET EX 5 bar", "SET k v GET EX 5")
}
