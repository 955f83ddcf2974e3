package command

import (
	"flag"
	"math/rand/v2"
	"net"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/redistest"
)

var seedFlag = flag.Uint64("seed", uint64(time.Now().UnixNano()), "the seed of the random tests")

func TestMatch(t *testing.T) {
	t.Parallel()
	f := func(pattern, s string, want bool) {
		t.Helper()
		if got := Match([]byte(pattern), []byte(s)); got != want {
			t.Errorf("%q, %q: %v", pattern, s, got)
		}
	}
	f("", "", true)
	f("", "a", false)
	f("a", "", false)
	f("*", "", false) // Redis's oddity
	f("**", "", false)
	f("*", "a", true)
	f("a*", "a", true)
	f("*a", "ba", true)
	f("a***b", "ab", true)
	f("a*b*c", "axbxbxc", true)
	f("a*b*c", "axbxbxcx", false)
	f("*ab", "aab", true)
	f("h?llo", "hello", true)
	f("h?llo", "hllo", false)
	f("h??", "he", false)
	f("h[ae]llo", "hallo", true)
	f("h[^e]llo", "hello", false)
	f("h[^e]llo", "hallo", true)
	f("[a-c]", "b", true)
	f("[c-a]", "b", true)
	f("[^a-c]", "b", false)
	f("[a-]", "-", false) // a range up to the bracket, and not closed
	f("[a-]", "^", true)
	f("[a-", "-", true)
	f("[]", "a", false)
	f("[]a]", "aa]", false)
	f("[^]", "a", true)
	f("[^]a]", "ba]", true)
	f("[", "a", false)
	f("[a", "a", true)
	f("[^", "a", true)
	f(`[\]]`, "]", true)
	f(`[\`, `\`, true)
	f(`\*`, "*", true)
	f(`\*`, "a", false)
	f(`a\`, `a\`, true)
	f(`\a\b`, "ab", true)
	f("\x00*\xff", "\x00\xfe\xff", true)
	f("[\x80-\xff]", "\xc0", true)
	f("A", "a", false)
	f(strings.Repeat("a*", 50)+"b", strings.Repeat("a", 5000), false)
}

func TestMatchFold(t *testing.T) {
	t.Parallel()
	f := func(pattern, s string, want bool) {
		t.Helper()
		if got := MatchFold([]byte(pattern), []byte(s)); got != want {
			t.Errorf("%q, %q: %v", pattern, s, got)
		}
	}
	f("MAX*y", "maxmemorY", true)
	f("[A-C][xY]", "bX", true)
	f("[^B]", "b", false)
	f(`\A`, "a", true)
	f(`[\A]`, "a", false)
	f("[Z-a]", "z", false)
	f("\xc0", "\xe0", false)
}

// Random patterns find the keys that Redis finds.
func TestMatchAsRedis(t *testing.T) {
	t.Parallel()
	t.Logf("-seed %d", *seedFlag)
	rng := rand.New(rand.NewPCG(*seedFlag, 1))
	asker := newAsker(t, redistest.Start(t).Dial())
	keys := map[string]bool{}
	for range 400 {
		key := randomString(rng, `aabbbcA-^]\*?[`, 6)
		keys[key] = true
		asker.ask("SET", key, "")
	}
	for range 3000 {
		pattern := randomString(rng, `aabbbcA-^][[\**??`, 9)
		if pattern == "*" {
			continue
		}
		var want []string
		for key := range keys {
			if Match([]byte(pattern), []byte(key)) {
				want = append(want, key)
			}
		}
		got := asker.ask("KEYS", pattern)
		if sort.Strings(want); strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Fatalf("%q finds %q, in Redis %q", pattern, want, got)
		}
	}
}

// Random patterns find the settings that Redis finds, in any case.
func TestMatchFoldAsRedis(t *testing.T) {
	t.Parallel()
	t.Logf("-seed %d", *seedFlag)
	rng := rand.New(rand.NewPCG(*seedFlag, 2))
	asker := newAsker(t, redistest.Start(t).Dial())
	settings := asker.ask("CONFIG", "GET", "*max*") // names and values
	found := 0
	for range 1500 {
		pattern := "*" + randomString(rng, `MmaAxXXeE-[[]^?*\`, 7) + "*"
		want := map[string]bool{}
		for _, word := range settings {
			if MatchFold([]byte(pattern), []byte(word)) && strings.Contains(word, "max") {
				want[word] = true
			}
		}
		for _, word := range asker.ask("CONFIG", "GET", pattern) {
			if strings.Contains(word, "max") && !want[word] {
				t.Fatalf("%q finds %q in Redis alone", pattern, word)
			}
			delete(want, word)
			found++
		}
		if len(want) > 0 {
			t.Fatalf("%q finds %v, Redis does not", pattern, want)
		}
	}
	t.Logf("%d words found", found)
}

func randomString(rng *rand.Rand, alphabet string, lengthMax int) string {
	b := make([]byte, rng.IntN(lengthMax+1))
	for i := range b {
		b[i] = alphabet[rng.IntN(len(alphabet))]
	}
	return string(b)
}

// asker asks a server for lists of strings.
type asker struct {
	t    *testing.T
	conn net.Conn
	in   []byte
}

func newAsker(t *testing.T, conn net.Conn) *asker {
	t.Cleanup(func() { conn.Close() })
	return &asker{t: t, conn: conn}
}

// ask sends a command and returns the words of its reply, sorted.
func (a *asker) ask(command ...string) []string {
	a.t.Helper()
	if _, err := a.conn.Write(resp.V2.Append(nil, resp.Strings(command...))); err != nil {
		a.t.Fatal(err)
	}
	for buf := make([]byte, 1<<16); ; {
		r, n, err := resp.Decode(a.in)
		if err != nil || r.IsError() {
			a.t.Fatal(resp.Format(r), err)
		}
		if n > 0 {
			a.in = a.in[n:]
			var words []string
			for _, item := range r.Items() {
				words = append(words, item.Str())
			}
			sort.Strings(words)
			return words
		}
		if n, err = a.conn.Read(buf); err != nil {
			a.t.Fatal(err)
		}
		a.in = append(a.in, buf[:n]...)
	}
}

// matchEverywhere is Match as one would write it down: every star is tried at
// every place.
func matchEverywhere(pattern, s []byte) bool {
	switch {
	case len(pattern) == 0:
		return len(s) == 0
	case pattern[0] == '*':
		for i := range len(s) + 1 {
			if matchEverywhere(pattern[1:], s[i:]) {
				return true
			}
		}
		return false
	case len(s) == 0:
		return false
	}
	next := matchOne(pattern, 0, s[0], false)
	return next >= 0 && matchEverywhere(pattern[next:], s[1:])
}

func FuzzMatch(f *testing.F) {
	f.Add([]byte("a*[^b]?*"), []byte("abcabc"))
	f.Fuzz(func(t *testing.T, pattern, s []byte) {
		got := Match(pattern, s)
		if len(s) == 0 || len(pattern) > 12 || len(s) > 20 {
			return // see TestMatch; and the other way would take too long
		}
		if want := matchEverywhere(pattern, s); got != want {
			t.Errorf("%q, %q: %v, want %v", pattern, s, got, want)
		}
	})
}

func BenchmarkMatch(b *testing.B) {
	f := func(name, pattern, s string) {
		p, text := []byte(pattern), []byte(s)
		b.Run(name, func(b *testing.B) {
			for range b.N {
				Match(p, text)
			}
		})
	}
	f("prefix", "user:*", "user:1234567890")
	f("middle", "*:123*", "user:1234567890")
	f("hostile", strings.Repeat("a*", 20)+"b", strings.Repeat("a", 100))
}
