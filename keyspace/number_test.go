package keyspace

import (
	"bytes"
	"flag"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"
)

var seedFlag = flag.Uint64("seed", uint64(time.Now().UnixNano()), "the seed of the random tests")

func TestLongDouble(t *testing.T) {
	t.Parallel()
	f := func(a, b, want string) {
		t.Helper()
		x, ok1 := ParseLongDouble([]byte(a))
		y, ok2 := ParseLongDouble([]byte(b))
		if !ok1 || !ok2 {
			t.Fatalf("%q or %q is refused", a, b)
		}
		if got := string(x.Add(y).Append(nil)); got != want {
			t.Errorf("%s + %s = %s, want %s", a, b, got, want)
		}
	}
	f("3", "1.1", "4.1")
	f("5.0e3", "2.0e2", "5200")
	f("0.1", "0.2", "0.3")
	f("10.50", "-10.5", "0")
	f("-0", "-0", "0")
	f("1e-18", "0", "0")
	f("-1e-18", "0", "0")
	f("0.000003814697265625", "0", "0.00000381469726562") // a tie, to even
	f("0.99999999999999999999", "0", "1")
	f("9223372036854775807", "1", "9223372036854775808")
	f("18446744073709551615", "1", "18446744073709551616")
	f("1e20", "-1", "100000000000000000000")
	f("0x1.8p3", "0xA", "22")
	f("+1", ".5", "1.5")
	f("1.", "0", "1")
}

func TestLongDoubleRefused(t *testing.T) {
	t.Parallel()
	f := func(text string) {
		t.Helper()
		if x, ok := ParseLongDouble([]byte(text)); ok {
			t.Errorf("%.40q is %s", text, x.Append(nil))
		}
	}
	for _, text := range []string{"", " 1", "1 ", "1e", "1e+", "e5", ".", "-", "+", "0x", "0xg", "0x1p", "nan", "-nan",
		"1,5", "1.5.2", "--1", "1e5000", "-1e5000", "1e-5000", "0x1p16384", "0x1p-16446", "infinit", "1\x00", "1_000"} {
		f(text)
	}
	f(strings.Repeat("1", longDoubleLen+1))
	for _, text := range []string{"inf", "-INF", "+Infinity"} {
		if x, ok := ParseLongDouble([]byte(text)); !ok || x.Finite() || x.Add(x).Finite() {
			t.Errorf("%s is read as %v, %v", text, x, ok)
		}
	}
}

// Numbers of all sizes, added and printed by math/big with 64 bits, give the
// same digits.
func TestLongDoubleAsBig(t *testing.T) {
	t.Parallel()
	t.Logf("-seed %d", *seedFlag)
	rng := rand.New(rand.NewPCG(*seedFlag, 1))
	for range 20000 {
		a, b := randomNumber(rng), randomNumber(rng)
		x, ok1 := ParseLongDouble([]byte(a))
		y, ok2 := ParseLongDouble([]byte(b))
		if !ok1 || !ok2 {
			t.Fatalf("%q or %q is refused", a, b)
		}
		got := string(x.Add(y).Append(nil))
		sum := bigFloat(a)
		if want := printBig(sum.Add(sum, bigFloat(b))); got != want {
			t.Fatalf("%s + %s = %s, want %s", a, b, got, want)
		}
	}
}

func bigFloat(s string) *big.Float {
	exact, _ := new(big.Rat).SetString(s)
	return new(big.Float).SetPrec(64).SetRat(exact)
}

func printBig(f *big.Float) string {
	s := strings.TrimRight(strings.TrimRight(f.Text('f', 17), "0"), ".")
	if f.IsInt() {
		s = f.Text('f', 0)
	}
	if s == "-0" {
		return "0"
	}
	return s
}

// randomNumber is a number in decimal notation that no long double is too
// small for.
func randomNumber(rng *rand.Rand) string {
	sign := []string{"", "-"}[rng.IntN(2)]
	switch rng.IntN(8) {
	case 0:
		return sign + strconv.FormatUint(rng.Uint64()>>rng.IntN(64), 10)
	case 1:
		return sign + fmt.Sprintf("%de%d", rng.Uint64()>>rng.IntN(64), rng.IntN(80)-40)
	case 2:
		return sign + strconv.FormatFloat(rng.Float64(), 'f', rng.IntN(25), 64)
	case 3: // near or at a tie: few bits after the point
		return sign + big.NewRat(rng.Int64N(1<<20), 1<<rng.IntN(25)).FloatString(25)
	case 4:
		return sign + randomDigits(rng, 40) + "." + randomDigits(rng, 40)
	case 5:
		return sign + fmt.Sprintf("%de%d", 1+rng.IntN(1000), rng.IntN(9600)-4800)
	}
	return sign + fmt.Sprintf("%d.%0*d", rng.IntN(1000), 1+rng.IntN(3), rng.IntN(10))
}

func randomDigits(rng *rand.Rand, most int) string {
	b := []byte{byte('0' + rng.IntN(10))}
	for range rng.IntN(most) {
		b = append(b, byte('0'+rng.IntN(10)))
	}
	return string(b)
}

func FuzzLongDouble(f *testing.F) {
	f.Add([]byte("1.5e3"))
	f.Add([]byte("0x1.8p-3"))
	f.Fuzz(func(t *testing.T, text []byte) {
		x, ok := ParseLongDouble(text)
		if !ok || !x.Finite() {
			return
		}
		printed := x.Append(nil)
		again, ok := ParseLongDouble(printed)
		if !ok {
			t.Fatalf("%q is printed as %q, which is refused", text, printed)
		}
		if twice := again.Append(nil); !bytes.Equal(twice, printed) {
			t.Fatalf("%q is printed as %q, that as %q", text, printed, twice)
		}
	})
}

func BenchmarkLongDouble(b *testing.B) {
	x, _ := ParseLongDouble([]byte("10.5"))
	var buf []byte
	text := []byte("0.1")
	b.ReportAllocs()
	for range b.N {
		y, _ := ParseLongDouble(text)
		x = x.Add(y)
		buf = x.Append(buf[:0])
	}
}

// RandomNumber is for the tests outside the package.
var RandomNumber = randomNumber
