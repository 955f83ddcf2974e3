package main_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// SIGHUP has the users and the level of the log read again. A file with a mistake
// changes nothing of its own, and keeps nothing else from being read.
func TestReload(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) (path string) {
		t.Helper()
		path = filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const users = "user default on nopass ~* &* +@all\n"
	file := "port " + freePort(t) + "\ndir " + dir + "\naclfile " + write("users.acl", users) + "\nloglevel "
	s := start(t, nil, write("troupe.conf", file+"notice\n"))
	c := s.dial()
	f := func(said, level string, users ...string) {
		t.Helper()
		before := strings.Count(s.logged(), said)
		s.signal(syscall.SIGHUP)
		eventually(t, func() error {
			if strings.Count(s.logged(), said) > before {
				return nil
			}
			return fmt.Errorf("the server did not say %q:\n%s", said, s.logged())
		})
		if got := c.list("ACL", "USERS"); !slices.Equal(got, users) {
			t.Errorf("the users are %q, want %q", got, users)
		}
		if got := c.list("CONFIG", "GET", "loglevel"); !slices.Equal(got, []string{"loglevel", level}) {
			t.Errorf("the level is %q, want %s", got, level)
		}
	}
	f("files read again", "notice", "default")
	write("users.acl", users+"user new on >n ~* +get\n")
	write("troupe.conf", file+"debug\n")
	f("files read again", "debug", "default", "new")
	if got := c.ask("CONFIG", "SET", "loglevel", "notice"); got != "+OK" {
		t.Error(got)
	}
	write("users.acl", users+"user other on +nosuch\n")
	f("not all files could be read again", "debug", "default", "new")
	write("troupe.conf", file+"loud\n")
	write("users.acl", users)
	f("not all files could be read again", "debug", "default")
}

// list asks for texts.
func (c *client) list(words ...string) (all []string) {
	c.t.Helper()
	count, err := strconv.Atoi(strings.TrimPrefix(c.ask(words...), "*"))
	if err != nil {
		c.t.Fatalf("%q: %v", words, err)
	}
	for range count {
		size, text := "", ""
		if size, err = c.in.ReadString('\n'); err == nil {
			text, err = c.in.ReadString('\n')
		}
		if err != nil || size[0] != '$' {
			c.t.Fatalf("%q: %q, %v", words, size, err)
		}
		all = append(all, strings.TrimRight(text, "\r\n"))
	}
	return all
}
