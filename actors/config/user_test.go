package config

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/troupedb/troupe/actors"
)

const hashOfABC = "#ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

// reread is what a file has become after a client's commands and CONFIG REWRITE;
// a server that starts from it has the same users.
func reread(t *testing.T, text string, commands ...string) string {
	t.Helper()
	path := write(t, t.TempDir(), "troupe.conf", text)
	c, system := started(t, Sources{File: path})
	client := local(t, c)
	for _, command := range append(commands, "CONFIG REWRITE") {
		if got := client.ask(strings.Split(command, " ")...); got[0] == '-' {
			t.Fatalf("%s: %s", command, got)
		}
	}
	_, again := started(t, Sources{File: path})
	if got, want := again.Server.Users.Text(), system.Server.Users.Text(); got != want {
		t.Errorf("the users are read again as\n%sand were\n%s", got, want)
	}
	after, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	// What the test's own flags have added does not matter.
	ours := regexp.MustCompile("(?m)^(timeout|user|requirepass|acl-pubsub-default|# [ab]$).*\n?")
	return strings.Join(ours.FindAllString(string(after), -1), "")
}

// CONFIG REWRITE writes users where the file does not say who they are.
func TestRewriteUsers(t *testing.T) {
	t.Parallel()
	f := func(before, after string, commands ...string) {
		t.Helper()
		if got := reread(t, before, commands...); got != after {
			t.Errorf("%q became\n%s\nwant\n%s", before, got, after)
		}
	}
	f("timeout 1\n", "timeout 1\n")
	f("timeout 1\n", "timeout 1\nuser bob on "+hashOfABC+" ~x resetchannels -@all +get\n",
		"ACL SETUSER bob on >abc ~x +get")
	f("timeout 1\n", "timeout 1\nuser default on "+hashOfABC+" ~* &* +@all\n",
		"ACL SETUSER default resetpass >abc")
	f("user   bob  on  +get ~x\n", "user   bob  on  +get ~x\n")
	f("user bob on\n# a\nuser eve on\n# b\n", "# a\nuser bob on resetchannels -@all +get\nuser eve on resetchannels -@all\n# b\n", "ACL SETUSER bob +get")
	f("user bob on\n# b\n", "# b\n", "ACL DELUSER bob")
	f("requirepass abc\nuser default on nopass ~* &* +@all\n", "requirepass abc\nuser default on nopass ~* &* +@all\n")
	f("user default on nopass ~* &* +@all\n", "requirepass abc\n", "CONFIG SET requirepass abc")
	f("requirepass x\n", "requirepass abc\n", "AUTH x", "CONFIG SET requirepass abc")
	f("acl-pubsub-default allchannels\nuser bob on\n", "acl-pubsub-default allchannels\nuser bob on\n")
}

// Users whom an included file gives cannot be rewritten.
func TestRewriteIncludedUsers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "users.conf", "user bob on\n")
	c, _ := started(t, Sources{File: write(t, dir, "troupe.conf", "include users.conf\n")})
	client := local(t, c)
	f := func(want string, words ...string) {
		t.Helper()
		if got := client.ask(words...); got != want {
			t.Errorf("%q: %s, want %s", words, got, want)
		}
	}
	f("+OK", "CONFIG", "REWRITE")
	f("+OK", "ACL", "SETUSER", "bob", "+get")
	f("-ERR Users that an included file gives have been changed; that file is left alone", "CONFIG", "REWRITE")
}

// A server does not start with users that it cannot make.
func TestUsersAtStart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := func(settings, want string) {
		t.Helper()
		c, err := Load(Sources{File: "-", Stdin: strings.NewReader("bind 127.0.0.1\n" + settings)})
		if err != nil {
			t.Fatal(err)
		}
		o := c.Options(nil)
		o.Port = 0
		s, err := actors.Start(o)
		if err == nil {
			s.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", settings, err, want)
		}
	}
	bad := write(t, dir, "bad.acl", "user a on\nuser b +nosuch\n")
	f("user bob on +nosuch\n", "user: bob: +nosuch: Unknown command or category name in ACL")
	f("aclfile "+filepath.Join(dir, "missing")+"\n", "opening file '"+filepath.Join(dir, "missing")+"': no such file or directory")
	f("aclfile "+bad+"\n", bad+":2: +nosuch: Unknown command or category name in ACL.")
}

// The aclfile is read at the start and by ACL LOAD, and written by ACL SAVE: as a
// whole or not at all.
func TestACLFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := write(t, dir, "users.acl", "user bob on >abc ~x +get\n")
	c, _ := started(t, Sources{Flags: []Flag{{"aclfile", []string{path}}}})
	client := local(t, c)
	f := func(want string, words ...string) {
		t.Helper()
		if got := client.ask(words...); got != want {
			t.Errorf("%q: %s, want %s", words, got, want)
		}
	}
	saved := func(want string) {
		t.Helper()
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("the file is %q, %v, want %q", got, err, want)
		}
	}
	const all, bob = "user default on nopass ~* &* +@all", "user bob on " + hashOfABC + " ~x resetchannels -@all +get"
	f("[\n  \""+bob+"\",\n  \""+all+"\",\n]", "ACL", "LIST")
	f("+OK", "ACL", "SAVE")
	saved(bob + "\n" + all + "\n")
	f("+OK", "ACL", "SETUSER", "bob", "+set")
	f("+OK", "ACL", "SETUSER", "eve", "on")
	f("+OK", "ACL", "LOAD")
	f("[\n  \""+bob+"\",\n  \""+all+"\",\n]", "ACL", "LIST")
	write(t, dir, "users.acl", all+"\nuser bob off\nuser eve nonsense\n")
	f("-ERR "+path+":3: nonsense: Syntax error. WARNING: ACL errors detected, no change to the previously active ACL rules was performed", "ACL", "LOAD")
	f("[\n  \""+bob+"\",\n  \""+all+"\",\n]", "ACL", "LIST")
	f("+OK", "CONFIG", "SET", "requirepass", "abc")
	f("+OK", "ACL", "SAVE")
	saved(bob + "\nuser default on " + hashOfABC + " ~* &* +@all\n")
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 1 {
		t.Errorf("beside the file there are %v", left)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	f("-ERR There was an error trying to save the ACLs. Please check the server logs for more information", "ACL", "SAVE")
	f("-ERR Error loading ACLs, opening file '"+path+"': no such file or directory", "ACL", "LOAD")
}
