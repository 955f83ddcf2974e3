package resp

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"
)

func TestAppendJSON(t *testing.T) {
	t.Parallel()
	f := func(r Reply, want string) {
		t.Helper()
		got := AppendJSON([]byte("x"), r)[1:]
		if string(got) != want || !json.Valid(got) {
			t.Errorf("%s became %s, want %s", Format(r), got, want)
		}
	}
	f(Nothing, `null`)
	f(Nil, `null`)
	f(NilArray, `null`)
	f(OK, `"OK"`)
	f(ErrSyntax, `{"error":"ERR syntax error"}`)
	f(BulkString("a\"\\\n\x01\x7fé</"), `"a\"\\\n\u0001\u007fé</"`)
	f(BulkString("\xff\x00"), `{"base64":"/wA="}`)
	f(Int(math.MinInt64), `-9223372036854775808`)
	f(Bool(true), `true`)
	f(Bool(false), `false`)
	f(Double(3.3), `3.3`)
	f(Double(1e21), `1e+21`)
	f(Double(1.5e300), `1.5e+300`)
	f(Double(1e6), `1000000`)
	f(Double(-1234567.25), `-1234567.25`)
	f(Double(123456789012345680000), `123456789012345680000`)
	f(Double(0), `0`)
	f(Double(0.1), `0.1`)
	f(Double(0.000001), `0.000001`)
	f(Double(1.5e-7), `1.5e-7`)
	f(Double(-1e-7), `-1e-7`)
	f(Double(5e-324), `5e-324`)
	f(Double(math.Inf(1)), `"inf"`)
	f(Double(math.NaN()), `"nan"`)
	f(Big("12345678901234567890"), `"12345678901234567890"`)
	f(VerbatimText("txt", "v"), `"v"`)
	f(Array(One, Strings(), Set(Nil)), `[1,[],[null]]`)
	f(Push(OK), `["OK"]`)
	f(Twos(BulkString("a"), One, BulkString("a"), Zero), `[["a",1],["a",0]]`)
	f(Map(), `{}`)
	f(Map(BulkString("a"), One, Simple("b"), Map()), `{"a":1,"b":{}}`)
	f(Map(BulkString("a"), One, BulkString("a"), Zero), `[["a",1],["a",0]]`)
	f(Map(One, One, BulkString("a"), Zero), `[[1,1],["a",0]]`)
	f(Map(BulkString("\xff"), One), `[[{"base64":"/w=="},1]]`)
}

func TestRandomJSONIsValid(t *testing.T) {
	t.Parallel()
	t.Logf("-seed %d", *seedFlag)
	rng := rand.New(rand.NewPCG(*seedFlag, 2))
	for range 2000 {
		r := randomReply(rng, 0)
		if got := AppendJSON(nil, r); !json.Valid(got) {
			t.Fatalf("%s became %s", Format(r), got)
		}
	}
}
