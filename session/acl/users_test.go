package acl

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// A user who is deleted has no rights from then on, whoever holds his account;
// one of the same name is another.
func TestDelete(t *testing.T) {
	t.Parallel()
	us, _ := made(t, "on nopass +@all ~* &*")
	a := us.Login([]byte("u"), nil)
	if a == nil || us.Delete([]byte("u")) != a || !a.Gone() || a.Now().MayAll() {
		t.Fatal("the account does not go")
	}
	meta, argv := words(t, "GET k")
	if d := a.Now().Check(meta, argv); d.Reason != DeniedCommand {
		t.Errorf("a user who is gone may: %+v", d)
	}
	if us.Login([]byte("u"), nil) != nil || us.Delete([]byte("u")) != nil {
		t.Error("he is still there")
	}
	if again, err := us.Set("u", []string{"on"}); err != nil || again == a || again.Gone() {
		t.Errorf("the next user of the name: %v", err)
	}
	if us.Delete([]byte(DefaultName)) != nil || us.Default.Gone() {
		t.Error("the default user can be deleted")
	}
}

// requirepass is the default user's only password.
func TestSetPassword(t *testing.T) {
	t.Parallel()
	us := NewUsers(sample)
	f := func(password string, accepted ...string) {
		t.Helper()
		us.SetPassword(password)
		for _, try := range []string{"", "a", "b"} {
			if got := us.Login([]byte(DefaultName), []byte(try)) != nil; got != slices.Contains(accepted, try) {
				t.Errorf("with %q, %q is accepted: %v", password, try, got)
			}
		}
	}
	f("a", "a")
	f("b", "b")
	f("", "", "a", "b")
	if !us.Default.Now().Open() || !us.Default.Now().MayAll() {
		t.Error("the default user is not as before")
	}
}

// New users hear nothing, or everything, as the setting says.
func TestHearsAll(t *testing.T) {
	t.Parallel()
	us := NewUsers(sample)
	us.SetHearsAll(true)
	a, err := us.Set("u", []string{"reset", "(+get)"})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := us.Describe(a.Now()), "off sanitize-payload &* -@all (&* -@all +get)"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A file replaces all users, or none if a line of it is wrong.
func TestLoad(t *testing.T) {
	t.Parallel()
	us, _ := made(t, "on nopass +get ~k")
	old, stays := us.Find([]byte("u")), us.Default
	before := us.Text()
	f := func(text string, want ...string) {
		t.Helper()
		_, err := us.Load(text, "f")
		for _, part := range want {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("%q: %v, want %q", text, err, part)
			}
		}
		if us.Text() != before || us.Find([]byte("u")) != old {
			t.Errorf("%q: the users have changed", text)
		}
	}
	f("user a on\nuser b nonsense", "f:2: nonsense: Syntax error.")
	f("user a +nosuch\n\nuser b (", "f:1: +nosuch: Unknown command", "f:3: Unmatched parenthesis")
	f("user a\nuser a on", "f:2: Duplicate user 'a'.")
	f("# comment", "f:1: should start with user keyword")
	f("user", "f:1: should start with user keyword")
	f("user a <secret", "f:1: <(redacted): The password you are trying")
	gone, err := us.Load("\r\nuser v on >p ~x +get  \t\n", "f")
	if err != nil || len(gone) != 1 || gone[0] != old || !old.Gone() {
		t.Errorf("gone: %v, error %v", gone, err)
	}
	if us.Default != stays || !us.Default.Now().Open() || us.Login([]byte("v"), []byte("p")) == nil {
		t.Error("the users are not those of the file")
	}
	if _, err := us.Load("user default off resetpass", "f"); err != nil || stays.Now().Enabled() {
		t.Errorf("the default user is not as in the file: %v", err)
	}
}

// randomRules are rules that mean something.
func randomRules(rng *rand.Rand) (rules []string) {
	pick := func(from ...string) string { return from[rng.IntN(len(from))] }
	selector := func() string {
		switch rng.IntN(12) {
		case 0:
			return pick("allkeys", "resetkeys", "~*", "allchannels", "resetchannels")
		case 1:
			return pick("+@all", "-@all", "nocommands")
		case 2:
			return "resetkeys"
		case 3:
			return "+select|" + pick("0", "x", ")")
		case 4, 5:
			return pick("+", "-") + "@" + pick("string", "read", "write", "fast", "admin", "keyspace")
		case 6:
			return pick("&", "resetchannels") + pick("", "c*", "[ab]")
		case 7, 8:
			return pick("~", "%R~", "%W~") + pick("", "k*", "a)", "\"q\"", "(x")
		}
		e := sample.all[rng.IntN(len(sample.all))]
		return pick("+", "-") + e.name
	}
	for range rng.IntN(12) {
		switch rng.IntN(8) {
		case 0:
			rules = append(rules, pick("on", "off", "nopass", ">p", ">q", "resetpass", "sanitize-payload", "skip-sanitize-payload"))
		case 1:
			rules = append(rules, "("+selector(), selector(), selector()+")")
		default:
			rules = append(rules, selector())
		}
	}
	return rules
}

// What is written for users is read again as the same users.
func TestTextIsReadAgain(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	us := NewUsers(sample)
	for range 400 {
		name := fmt.Sprintf("u%d", rng.IntN(5))
		if rng.IntN(4) == 0 {
			name = DefaultName
		}
		us.Set(name, randomRules(rng)) // a mistake changes nothing
		again := NewUsers(sample)
		if _, err := again.Load(us.Text(), "f"); err != nil {
			t.Fatalf("%s\n%v", us.Text(), err)
		}
		if again.Text() != us.Text() {
			t.Fatalf("written\n%sread\n%s", us.Text(), again.Text())
		}
		for _, a := range us.All() {
			wantSame(t, a.Now(), again.Find([]byte(a.name)).Now())
		}
	}
}

// wantSame compares the rights themselves, not only how they are described.
func wantSame(t *testing.T, a, b *User) {
	t.Helper()
	for i, s := range a.selectors {
		for number, e := range sample.all {
			if s.commands.has(number) != b.selectors[i].commands.has(number) {
				t.Fatalf("%s: %s is allowed: %v, read again %v", a.name, e.name, s.commands.has(number), b.selectors[i].commands.has(number))
			}
		}
	}
}

// FuzzRules has rules of any form applied: they are taken or refused, and what
// is taken reads again.
func FuzzRules(f *testing.F) {
	f.Add("on >p ~k* %R~x &c +@all -get (+set ~y) +select|0")
	f.Add("( ~a\n)\n#\x00")
	f.Fuzz(func(t *testing.T, text string) {
		us := NewUsers(sample)
		if _, err := us.Set("u", strings.Split(text, "\n")); err != nil {
			return
		}
		again := NewUsers(sample)
		if _, err := again.Load(us.Text(), "f"); err != nil || again.Text() != us.Text() {
			t.Fatalf("%q gives %q, read again %q: %v", text, us.Text(), again.Text(), err)
		}
	})
}

// FuzzFile has files of any form loaded: what is taken, is written and read
// again as the same.
func FuzzFile(f *testing.F) {
	f.Add("user default on nopass ~* &* +@all\nuser a on #" + aHash + " ~x resetchannels -@all +get (~y resetchannels -@all +set)\n")
	f.Add("user \n\tuser  on\r\nuser x (")
	f.Fuzz(func(t *testing.T, text string) {
		us := NewUsers(sample)
		before := us.Text()
		if _, err := us.Load(text, "f"); err != nil {
			if us.Text() != before {
				t.Fatalf("%q is refused, and has changed the users to %q", text, us.Text())
			}
			return
		}
		again := NewUsers(sample)
		if _, err := again.Load(us.Text(), "f"); err != nil || again.Text() != us.Text() {
			t.Fatalf("%q gives %q, read again %q: %v", text, us.Text(), again.Text(), err)
		}
	})
}
