package watch

import "testing"

// FuzzToken: a token is refused, or a place that writes itself the same way.
func FuzzToken(f *testing.F) {
	for _, seed := range []string{mark{1 << 40, 7<<32 | 3, 12}.token(), "0000000000000001.1.0", "", "..", "0000000000000001.1.-1", "ffffffffffffffff.ffffffffffffffff.7fffffffffffffff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := parseToken(text)
		if err != nil {
			return
		}
		again, err := parseToken(m.token())
		if err != nil || again != m || m.total < 0 || len(m.token()) > tokenMax {
			t.Fatalf("%q is %+v, written %q, %+v, %v", text, m, m.token(), again, err)
		}
	})
}
