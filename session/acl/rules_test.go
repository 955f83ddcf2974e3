package acl

import (
	"errors"
	"strings"
	"testing"
)

const aHash = "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb" // of "a"

// Rules make users, who are described by the rules that make them: what
// redis-server 7.0.15 shows for the same rules.
func TestDescribe(t *testing.T) {
	t.Parallel()
	f := func(rules, want string) {
		t.Helper()
		us, u := made(t, rules)
		if got := us.Describe(u); got != want {
			t.Errorf("%s: %s, want %s", rules, got, want)
		}
		again := us.newDraft("u")
		if err := again.applyAll(append([]string{"reset"}, strings.Split(want, " ")...)); err != nil {
			t.Errorf("%s: its description is refused: %v", rules, err)
		} else if got := us.Describe(again.done()); strings.ReplaceAll(got, "sanitize-payload ", "") != strings.ReplaceAll(want, "sanitize-payload ", "") {
			t.Errorf("%s: described as %s, which makes %s", rules, want, got)
		}
	}
	f("", "off resetchannels -@all")
	f("on", "on resetchannels -@all")
	f("reset", "off sanitize-payload resetchannels -@all")
	f("on nopass allkeys allchannels allcommands", "on nopass ~* &* +@all")
	f("ON NOPASS AllKeys +@ALL", "on nopass ~* resetchannels +@all")
	f(">a", "off #"+aHash+" resetchannels -@all")
	f(">a >a #"+aHash+" >b <b", "off #"+aHash+" resetchannels -@all")
	f("nopass >a", "off #"+aHash+" resetchannels -@all")
	f(">a nopass", "off nopass resetchannels -@all")
	f(">a nopass resetpass", "off resetchannels -@all")
	f(">a !"+aHash, "off resetchannels -@all")
	f("skip-sanitize-payload", "off skip-sanitize-payload resetchannels -@all")
	f("~ %R~x & ~y %r~y", "off ~ %R~x ~y resetchannels & -@all")
	f("%R~x %w~x %rw~z", "off ~x ~z resetchannels -@all")
	f("~a ~a &c &c", "off ~a resetchannels &c -@all")
	f("~a allkeys resetkeys ~b", "off ~b resetchannels -@all")
	f("allchannels resetchannels &b", "off resetchannels &b -@all")
	f("+get", "off resetchannels -@all +get")
	f("+get -get", "off resetchannels -@all")
	f("+@all -get +get", "off resetchannels +@all")
	f("+@string", "off resetchannels -@all +@string")
	f("+@string -set", "off resetchannels -@all +@string -set")
	f("+@all -@string", "off resetchannels +@all -@string")
	f("+config|get", "off resetchannels -@all +config|get")
	f("+@all -config|set", "off resetchannels +@all -config|set")
	f("+@all -config +config|get", "off resetchannels +@all -config +config|get")
	f("+config -config|set", "off resetchannels -@all +config -config|set")
	f("+select|0 +select|ABC +select|abc", "off resetchannels -@all +select|0 +select|ABC")
	f("+select|0 +select -select", "off resetchannels -@all")
	f("+@all -select +select|0", "off resetchannels +@all -select +select|0")
	f("+select|0 -@all", "off resetchannels -@all")
	f("+select|0 +@connection", "off resetchannels -@all +@connection")
	f("+get (+set ~k)", "off resetchannels -@all +get (~k resetchannels -@all +set)")
	f("(+set ~k) ()", "off resetchannels -@all (~k resetchannels -@all +set) (resetchannels -@all)")
	f("( ~a +get )", "off resetchannels -@all (~a resetchannels -@all +get)")
	f("(~a (~b ~c)", "off resetchannels -@all (~b ~c resetchannels -@all)")
	f("(+set ~k) clearselectors", "off resetchannels -@all")
	f("on >a ~k +get (+set ~k) reset", "off sanitize-payload resetchannels -@all")
}

// Rules that cannot be taken change nothing, and say why in Redis's words.
func TestMistakes(t *testing.T) {
	t.Parallel()
	f := func(rules string, want error) {
		t.Helper()
		us, before := made(t, "on ~k &c +get >p")
		_, err := us.Set("u", append([]string{"off", "+set"}, strings.Fields(rules)...))
		if !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", rules, err, want)
		}
		if us.Find([]byte("u")).Now() != before {
			t.Errorf("%s: the user has been changed", rules)
		}
	}
	f("+nosuch", ErrUnknown)
	f("-nosuch", ErrUnknown)
	f("+@nosuch", ErrUnknown)
	f("+", ErrUnknown)
	f("+|", ErrUnknown)
	f("+config|nosuch", ErrUnknown)
	f("-select|0", ErrUnknown)
	f("+get|a|b", ErrUnknown)
	f("+config|get|x", ErrFirstArg)
	f("+select|", ErrRule)
	f("nonsense", ErrRule)
	f("%Q~x", ErrRule)
	f("%~x", ErrRule)
	f("%", ErrRule)
	f("%RR~x", ErrRule)
	f("~* ~x", ErrAllKeys)
	f("~* %Q~x", ErrAllKeys)
	f("&* &x", ErrAllHeard)
	f("#abc", ErrHash)
	f("!abc", ErrHash)
	f("#"+strings.ToUpper(aHash), ErrHash)
	f("<nosuch", ErrNoSuch)
	f("!"+aHash, ErrNoSuch)
	f("(+get >x)", ErrRule)
	f("(on)", ErrRule)
	f("(~* ~x)", ErrAllKeys)
	f(")", ErrRule)
	var open Unmatched
	if _, err := NewUsers(sample).Set("u", []string{"(+get", "(~x"}); !errors.As(err, &open) || open != "(~x" {
		t.Errorf("a parenthesis that stays open: %v", err)
	}
	for _, name := range []string{"a b", "a\x00", "\n"} {
		if _, err := NewUsers(sample).Set(name, nil); !errors.Is(err, ErrName) {
			t.Errorf("the name %q: %v", name, err)
		}
	}
	for _, rule := range []string{"~a b", "&a\tb", "+select|a b"} {
		if _, err := NewUsers(sample).Set("u", []string{rule}); !errors.Is(err, ErrRule) {
			t.Errorf("%q: %v", rule, err)
		}
	}
}

// An error does not repeat what may be a password.
func TestMistakesHidePasswords(t *testing.T) {
	t.Parallel()
	f := func(rules ...string) {
		t.Helper()
		if _, err := NewUsers(sample).Set("u", rules); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", rules, err)
		}
	}
	f("<secret")
	f("#secret")
	f("!secret")
	f("(+get >secret)")
	f("(>secret +get)")
	f("( #secret )")
	f("(>secret")
}

// The words of a user are told from those of others by their case only where
// Redis does so.
func TestSetKeepsOthers(t *testing.T) {
	t.Parallel()
	us, _ := made(t, "on")
	if _, err := us.Set("U", []string{"on", "nopass"}); err != nil {
		t.Fatal(err)
	}
	if us.Find([]byte("u")).Now().NoPass() || !us.Find([]byte("U")).Now().NoPass() {
		t.Error("u and U are one user")
	}
}
