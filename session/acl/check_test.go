package acl

import (
	"testing"
)

// Rights decide about commands, keys and channels.
func TestCheck(t *testing.T) {
	t.Parallel()
	f := func(rules, line string, want Reason, word string) {
		t.Helper()
		_, u := made(t, rules)
		meta, argv := words(t, line)
		if d := u.Check(meta, argv); d.Reason != want || string(d.Word) != word {
			t.Errorf("%s; %s: %d %q, want %d %q", rules, line, d.Reason, d.Word, want, word)
		}
	}
	f("", "GET k", DeniedCommand, "")
	f("", "AUTH x", None, "")
	f("+@all ~* &*", "GET k", None, "")
	f("+get ~k*", "GET k1", None, "")
	f("+get ~k*", "GET x", DeniedKey, "x")
	f("+get %R~k", "GET k", None, "")
	f("+get %W~k", "GET k", DeniedKey, "k")
	f("+set %W~k", "SET k v", None, "")
	f("+set %R~k", "SET k v", DeniedKey, "k")
	f("+incr %R~k", "INCR k", DeniedKey, "k")
	f("+incr %R~k %W~k*", "INCR k", DeniedKey, "k")
	f("+incr %RW~k", "INCR k", None, "")
	f("+exists %W~k", "EXISTS k", None, "")
	f("+exists %W~k", "EXISTS x", DeniedKey, "x")
	f("+copy %R~a %W~b", "COPY a b", None, "")
	f("+copy %R~a %W~b", "COPY b a", DeniedKey, "b")
	f("+del ~a ~b", "DEL a b c", DeniedKey, "c")
	f("+eval ~a", "EVAL s 1 a b", None, "")
	f("+eval ~a", "EVAL s 2 a b", DeniedKey, "b")
	f("+eval ~a", "EVAL s 3 b", None, "") // an error, which touches nothing
	f("+object|encoding ~a", "OBJECT ENCODING a", None, "")
	f("+object|encoding ~a", "OBJECT ENCODING b", DeniedKey, "b")
	f("+@all -config|set", "CONFIG GET x", None, "")
	f("+@all -config|set", "CONFIG SET x", DeniedCommand, "")
	f("+select|0", "SELECT 0", None, "")
	f("+select|0", "SELECT 1", DeniedCommand, "")
	f("+select|0", "SELECT", DeniedCommand, "")
	f("+select|Ab", "SELECT aB", None, "")
	f("+publish &c*", "PUBLISH c1 x", None, "")
	f("+publish &c*", "PUBLISH x c1", DeniedChannel, "x")
	f("+subscribe &c*", "SUBSCRIBE c1 c2", None, "")
	f("+subscribe &c*", "SUBSCRIBE c1 x", DeniedChannel, "x")
	f("+ssubscribe &c*", "SSUBSCRIBE c1 x", DeniedChannel, "x")
	f("+psubscribe &c*", "PSUBSCRIBE c*", None, "")
	f("+psubscribe &c*", "PSUBSCRIBE c1*", DeniedChannel, "c1*")
	f("+psubscribe &*", "PSUBSCRIBE x*", None, "")
	// One selector must allow all; what came closest is told.
	f("+get ~a (+set ~b)", "SET b v", None, "")
	f("+get ~a (+set ~b)", "GET b", DeniedKey, "b")
	f("+get ~a (+set ~b)", "SET a v", DeniedKey, "a")
	f("+get ~a (+set ~b)", "INCR a", DeniedCommand, "")
	f("+copy ~a (+copy ~b)", "COPY a b", DeniedKey, "b")
	f("+copy ~b (+copy ~a)", "COPY a b", DeniedKey, "b")
}

// To reach keys that are not named, a command needs to read all of them.
func TestReadsAll(t *testing.T) {
	t.Parallel()
	f := func(rules, line string, want bool) {
		t.Helper()
		_, u := made(t, rules)
		meta, argv := words(t, line)
		if got := u.ReadsAll(meta, argv); got != want {
			t.Errorf("%s; %s: %v, want %v", rules, line, got, want)
		}
	}
	f("+get ~*", "GET k", true)
	f("+get %R~*", "GET k", true)
	f("+get %R~* ~k", "GET k", true)
	f("+get %W~* ~k", "GET k", false)
	f("+get ~k", "GET k", false)
	f("+set ~*", "GET k", false)
	f("+set ~* (+get ~k)", "GET k", false)
	f("+set ~k (+get %R~*)", "GET k", true)
	f("+@all ~* &*", "GET k", true)
}

// Passwords are compared by their hashes.
func TestAccepts(t *testing.T) {
	t.Parallel()
	f := func(rules, password string, want bool) {
		t.Helper()
		_, u := made(t, rules)
		if got := u.Accepts([]byte(password)); got != want {
			t.Errorf("%s: %q is accepted: %v", rules, password, got)
		}
	}
	f("on >a", "a", true)
	f("on >a >b", "a", true)
	f("on >a >b", "b", true)
	f("on >a", "b", false)
	f("on >a", "", false)
	f("on", "", false)
	f("on nopass", "anything", true)
	f("nopass", "anything", false)
	f("off >a", "a", false)
	f("on #"+aHash, "a", true)
	f("on #"+aHash, aHash, false)
	f("on >", "", true)
}

// Who may do everything is known without looking.
func TestMayAll(t *testing.T) {
	t.Parallel()
	f := func(rules string, want bool) {
		t.Helper()
		if _, u := made(t, rules); u.MayAll() != want {
			t.Errorf("%s: %v, want %v", rules, !want, want)
		}
	}
	f("+@all ~* &*", true)
	f("+@all ~*", false)
	f("+@all &*", false)
	f("~* &*", false)
	f("+@all ~* &* -get", false)
	f("(+@all ~* &*)", true)
	f("+@all ~* (~* &*)", false)
}

// A check allocates nothing, whatever the user may do.
func TestCheckAllocatesNothing(t *testing.T) {
	f := func(rules, line string) {
		t.Helper()
		_, u := made(t, rules)
		meta, argv := words(t, line)
		if n := testing.AllocsPerRun(100, func() { u.Check(meta, argv) }); n > 0 {
			t.Errorf("%s; %s: %v allocations", rules, line, n)
		}
	}
	f("+@all ~* &*", "GET k")
	f("+get ~k*", "GET k")
	f("+get ~k*", "GET x")
	f("+copy %R~a %W~b", "COPY a b")
	f("+del ~x ~a* (+get) (+@all ~b*)", "DEL b1 b2 b3")
	f("+select|0", "SELECT 0")
	f("+publish &c*", "PUBLISH c1 x")
}
