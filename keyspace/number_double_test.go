package keyspace

import (
	"math"
	"testing"
)

func TestParseDouble(t *testing.T) {
	t.Parallel()
	f := func(text string, want float64) {
		t.Helper()
		if got, ok := ParseDouble([]byte(text)); !ok || got != want {
			t.Errorf("%q is %v, %v, want %v", text, got, ok, want)
		}
	}
	f("0", 0)
	f("-0", 0)
	f("+1", 1)
	f(".5", .5)
	f("5.", 5)
	f("1e+5", 1e5)
	f("0e999", 0)
	f("0x10", 16)
	f("0X1P3", 8)
	f("0x.8", .5)
	f("0x0p9", 0)
	f("inf", math.Inf(1))
	f("-Infinity", math.Inf(-1))
	f("1e-310", 1e-310)
	refuse := func(text string) {
		t.Helper()
		if got, ok := ParseDouble([]byte(text)); ok {
			t.Errorf("%q is %v, want none", text, got)
		}
	}
	for _, text := range []string{"", "nan", "-nan", "nan(1)", "1_0", " 1", "1 ", "0x", "1e", "1d5", "1\n", "1e400", "-1e400", "1e-400", "0x1p-9999", "i", "infi", "-", "+", "--1", "0x1_0"} {
		refuse(text)
	}
}

// What a float64 can't have the size of is an edge of a range all the same.
func TestParseEdge(t *testing.T) {
	t.Parallel()
	f := func(text string, want float64) {
		t.Helper()
		if got, ok := ParseEdge([]byte(text)); !ok || got != want {
			t.Errorf("%q is %v, %v, want %v", text, got, ok, want)
		}
	}
	f("1e400", math.Inf(1))
	f("-1e400", math.Inf(-1))
	f("1e-400", 0)
	f("0x1p-9999", 0)
	f("0x1p9999", math.Inf(1))
	f("1.5", 1.5)
	for _, text := range []string{"", "nan", "1_0", "1e", "x", "1e400x"} {
		if got, ok := ParseEdge([]byte(text)); ok {
			t.Errorf("%q is %v, want none", text, got)
		}
	}
}
