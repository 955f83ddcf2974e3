package aof

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestParseManifest(t *testing.T) {
	t.Parallel()
	f := func(text, want string) {
		t.Helper()
		m, err := ParseManifest([]byte(text))
		if got := fmt.Sprint(m.Parts(), m.History); err != nil || got != want {
			t.Errorf("%q: %s, %v, want %s", text, got, err, want)
		}
	}
	base, later := "file a.1.base.rdb seq 1 type b\n", "file a.1.incr.aof seq 1 type i\n"
	f(base+later, "[{a.1.base.rdb 1} {a.1.incr.aof 1}] []")
	f(later+base, "[{a.1.base.rdb 1} {a.1.incr.aof 1}] []")
	f(later+"file a.3.incr.aof seq 3 type i\n", "[{a.1.incr.aof 1} {a.3.incr.aof 3}] []")
	f("# a remark\n"+base+"file a.0.incr.aof seq 9 type h\n", "[{a.1.base.rdb 1}] [{a.0.incr.aof 9}]")
	f("type b seq 7 new 1 FILE \"a file\\x41\"  \r\n", "[{a fileA 7}] []")

	bad := func(offset int64, text string) {
		t.Helper()
		m, err := ParseManifest([]byte(text))
		var mistake *FileError
		if !errors.As(err, &mistake) || !errors.Is(err, ErrCorrupt) || mistake.Offset != offset || m.Parts() != nil {
			t.Errorf("%q: %v, %v", text, m, err)
		}
	}
	n := int64(len(base))
	bad(0, "")
	bad(n, base+"\n")
	bad(n, base+base)
	bad(n, base+later[:len(later)-1])
	bad(n, base+"file a seq 1\n")
	bad(n, base+"file a seq 1 type\n")
	bad(n, base+"file a seq 1 type x\n")
	bad(n, base+"file a seq 1 type \"\"\n")
	bad(n, base+"file \"\" seq 1 type i\n")
	bad(n, base+"file a seq 0 type i\n")
	bad(n, base+"file a seq x type i\n")
	bad(n, base+"file a seq 1 typo i\n")
	bad(n, base+"file \"a seq 1 type i\n")
	bad(n, base+"file a/b seq 1 type i\n")
	bad(n, base+"file .. seq 1 type i\n")
	bad(n, base+"file a\\\\b seq 1 type i\n")
	bad(n, base+"file "+strings.Repeat("a", 1024)+" seq 1 type i\n")
	bad(n+int64(len(later)), base+later+later)
}
