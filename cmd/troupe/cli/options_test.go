package cli

import (
	"testing"

	"github.com/alecthomas/kong"
)

// parse reads a command line.
func parse(t *testing.T, args ...string) *Options {
	t.Helper()
	o := &Options{}
	parser, err := kong.New(o, kong.NoDefaultHelp(), kong.WithHyphenPrefixedParameters(true))
	if err == nil {
		_, err = parser.Parse(args)
	}
	if err != nil {
		t.Fatalf("%q: %v", args, err)
	}
	return o
}

func TestOptionsStopAtTheCommand(t *testing.T) {
	t.Parallel()
	o := parse(t, "-h", "example.org", "-p", "1", "-n", "2", "-3", "SET", "-2", "--raw", "-h")
	if o.Host != "example.org" || o.Port != 1 || o.DB != 2 || !o.RESP3 || o.RESP2 || o.Raw {
		t.Errorf("read as %+v", o)
	}
	if got := quoted(o.Words); got != "SET -2 --raw -h" {
		t.Errorf("the command is %s", got)
	}
}

func TestURI(t *testing.T) {
	t.Parallel()
	f := func(uri, host string, port, db int, user, password string, tls bool) {
		t.Helper()
		o := parse(t, "-u", uri)
		if err := o.settle(func(string) string { return "" }); err != nil {
			t.Fatalf("%s: %v", uri, err)
		}
		if o.Host != host || o.Port != port || o.DB != db || o.User != user || o.Password != password || o.TLS != tls {
			t.Errorf("%s is read as %+v", uri, o)
		}
	}
	f("redis://example.org", "example.org", 7379, 0, "", "", false)
	f("redis://example.org:1/3", "example.org", 1, 3, "", "", false)
	f("rediss://ann:s%20t@[::1]:1", "::1", 1, 0, "ann", "s t", true)
	f("redis://secret@h", "h", 7379, 0, "", "secret", false)
	f("redis://:secret@h/", "h", 7379, 0, "", "secret", false)
	for _, bad := range []string{"http://h", "redis://h/x", "redis://h:port"} {
		if err := parse(t, "-u", bad).settle(func(string) string { return "" }); err == nil {
			t.Errorf("%s is taken", bad)
		}
	}
}

func TestPasswordFromTheEnvironment(t *testing.T) {
	t.Parallel()
	f := func(want string, environ map[string]string, args ...string) {
		t.Helper()
		o := parse(t, args...)
		if err := o.settle(func(name string) string { return environ[name] }); err != nil || o.Password != want {
			t.Errorf("%v with %v: the password is %q (%v), want %q", args, environ, o.Password, err, want)
		}
	}
	f("", nil)
	f("a", map[string]string{"REDISCLI_AUTH": "a"})
	f("b", map[string]string{"REDISCLI_AUTH": "a", "TROUPECLI_AUTH": "b"})
	f("c", map[string]string{"TROUPECLI_AUTH": "b"}, "-a", "c")
	f("c", nil, "--pass", "c")
}

func TestOptionsThatExcludeEachOther(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"--raw", "--json"}, {"-2", "-3"}, {"-i", "-1"}, {"--quoted-input", "SET", `"a`}} {
		if _, complaint, code := ours(t, "", args...); code != exitUsage || complaint == "" {
			t.Errorf("%q: exit code %d, %q", args, code, complaint)
		}
	}
}

func TestProtocolFollowsTheForm(t *testing.T) {
	t.Parallel()
	f := func(want int, terminal bool, args ...string) {
		t.Helper()
		o := parse(t, args...)
		if got := o.protocol(o.form(terminal), o.Words); got != want {
			t.Errorf("%q: RESP%d, want RESP%d", args, got, want)
		}
	}
	f(3, true, "GET", "k")
	f(2, false, "GET", "k")
	f(3, false, "GET.WATCH", "k")
	f(3, false, "observe", "GET", "k")
	f(2, false, "-2", "GET.WATCH", "k")
	f(3, false, "--json", "GET", "k")
	f(2, true, "--csv", "GET", "k")
	f(3, true, "--raw", "-3", "GET", "k")
}

func TestScriptsKeysAndArguments(t *testing.T) {
	t.Parallel()
	f := func(want string, words ...string) {
		t.Helper()
		if got := quoted(evalWords("return 1", words)); got != want {
			t.Errorf("%q becomes %s, want %s", words, got, want)
		}
	}
	f(`EVAL "return 1" 0`)
	f(`EVAL "return 1" 2 a b c`, "a", "b", ",", "c")
	f(`EVAL "return 1" 0 c`, ",", "c")
}
