package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Flags go before the environment, that before the file, and that before the
// defaults.
func TestPrecedence(t *testing.T) {
	t.Parallel()
	path := write(t, t.TempDir(), "troupe.conf", "timeout 1\nhz 1\ndatabases 1\n")
	c, err := Load(Sources{
		File: path, Environ: []string{"TROUPE_TIMEOUT=2", "TROUPE_HZ=2", "HOME=/"},
		Flags: []Flag{{"timeout", []string{"3"}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"timeout": "3", "hz": "2", "databases": "1", "port": "7379"} {
		if got := c.Text(name); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}

func TestFile(t *testing.T) {
	t.Parallel()
	f := func(text, name, want string) {
		t.Helper()
		c, err := Load(Sources{File: "-", Stdin: strings.NewReader(text)})
		if err != nil {
			t.Errorf("%q: %v", text, err)
			return
		}
		if got := c.Text(name); got != want {
			t.Errorf("%q: %s is %q, want %q", text, name, got, want)
		}
	}
	f("", "timeout", "0")
	f("timeout 5", "timeout", "5")
	f("timeout 5\ntimeout 6\n", "timeout", "6")
	f("  # timeout 5\n\t TIMEOUT   6  \r\n", "timeout", "6")
	f("requirepass \"a b\\x41\\\"\"\n", "requirepass", `a bA"`)
	f("requirepass 'a \\'b'\n", "requirepass", "a 'b")
	f("requirepass a#b\n", "requirepass", "a#b")
	f("bind 127.0.0.1 -::1 *\n", "bind", "127.0.0.1 -::1 *")
	f("hash-max-ziplist-entries 5\n", "hash-max-listpack-entries", "5")
	f("client-output-buffer-limit normal 1 2 3\nclient-output-buffer-limit replica 4 5 6\n",
		"client-output-buffer-limit", "normal 1 2 3 slave 4 5 6 pubsub 33554432 8388608 60")
	f("client-output-buffer-limit watch 1mb 2 3\nclient-output-buffer-limit watch 4 5 6\n",
		"client-output-buffer-limit", "normal 0 0 0 slave 268435456 67108864 60 pubsub 33554432 8388608 60 watch 4 5 6")
	f("slaveof no one\n", "replicaof", "")
	f("save \"\"\n", "save", "")
	f("bind \"127.0.0.1 ::1\"\n", "bind", "127.0.0.1 ::1")
	f("client-output-buffer-limit \" normal 1  2 3 pubsub 4 5 6\"\n", "client-output-buffer-limit", "normal 1 2 3 slave 268435456 67108864 60 pubsub 4 5 6")
	f("replicaof \"no one\"\n", "replicaof", "")
	f("oom-score-adj-values \"1 2 3\"\n", "oom-score-adj-values", "1 2 3")
	f("shutdown-on-sigterm \"nosave now\"\n", "shutdown-on-sigterm", "nosave now")
	f("rename-command \"KEYS ''\"\n", "rename-command", `KEYS ""`)
	f("save 3600 1\nsave 60 100\n", "save", "3600 1 60 100")
	f("daemonize yes\n", "daemonize", "yes")
	f("user default on nopass ~* &* +@all\n", "requirepass", "")
	f("user default on >secret ~* &* +@all\n", "requirepass", "")
	f("user alice on #ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad (+get ~x) +nosuch\nuser bob on\n", "requirepass", "")
}

// What cannot be taken stops the start, and says where it stands.
func TestMistakes(t *testing.T) {
	t.Parallel()
	f := func(text, want string) {
		t.Helper()
		_, err := Load(Sources{File: "-", Stdin: strings.NewReader(text)})
		if err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	f("\nprot 7000\n", `standard input:2: unknown setting "prot"`)
	f("port\n", "standard input:1: port: wrong number of arguments")
	f("port 1 2\n", "standard input:1: port: wrong number of arguments")
	f("port 7000 # ours\n", "standard input:1: port: wrong number of arguments")
	f("requirepass \"open\n", "standard input:1: unbalanced quotes in configuration line")
	f("bind \"127.0.0.1 'x\"\n", "standard input:1: bind: unbalanced quotes")
	f("save \"60 1\" 5\n", "standard input:1: save: Invalid save parameters")
	f("timeout soon\n", "standard input:1: timeout: argument couldn't be parsed into an integer")
	f("maxmemory 101%\n", "standard input:1: maxmemory: percentage argument must be less or equal to 100")
	f("maxmemory half\n", "standard input:1: maxmemory: argument must be a memory value")
	f("min-replicas-to-write 1\n", `standard input:1: min-replicas-to-write: "1" is not supported yet: there is no replication`)
	f("replicaof 10.0.0.1 6379\n", `standard input:1: replicaof: "10.0.0.1 6379" is not supported yet: there is no replication`)
	f("cluster-enabled yes\n", `standard input:1: cluster-enabled: "yes" is not supported yet: there is no cluster`)
	f("port 7380\ntls-port 7380\n", `settings: tls-port: it is the port without TLS too`)
	f("tls-protocols \"TLSv1.1 TLSv1.3\"\n", "standard input:1: tls-protocols: versions can't be left out between others")
	f("tls-protocols SSLv3\n", "standard input:1: tls-protocols: Invalid tls-protocols specified. Use a combination of 'TLSv1', 'TLSv1.1', 'TLSv1.2' and 'TLSv1.3'.")
	f("tls-ciphers DEFAULT:RC4-MD5\n", "standard input:1: tls-ciphers: there is no cipher suite RC4-MD5")
	f("tls-ciphers !MD5\n", "standard input:1: tls-ciphers: no cipher suite is left")
	f("tls-ciphersuites TLS_AES_128_GCM_SHA256\n", "standard input:1: tls-ciphersuites: TLS_AES_256_GCM_SHA384 is always there: of TLS 1.3 no cipher suite can be left out")
	f("loadmodule /x.so\n", "standard input:1: loadmodule: not supported yet: there are no modules")
	f("user alice on nonsense\n", "standard input:1: user: nonsense: Syntax error")
	f("user alice on <secret\n", "standard input:1: user: <(redacted): The password you are trying to remove from the user does not exist")
	f("user \"a b\" on\n", "standard input:1: user: Usernames can't contain spaces or null characters")
	f("user alice (+get\n", "standard input:1: user: Unmatched parenthesis in selector definition.")
	f("user alice on\nuser alice off\n", "standard input:2: user: Duplicate user found. A user can only be defined once in config files")
	f("user alice on\naclfile /x\n", "settings: aclfile: users are given by user lines or by an aclfile, not by both")
	f("port 0\n", "settings: port: no port to bind and no unixsocket: nobody could connect")
	f("bind\n", "settings: port: no port to bind and no unixsocket: nobody could connect")
	f("single-threaded yes\nshards 4\n", "settings: shards: single-threaded has one, not 4")
	f("rename-command KEYS\n", "standard input:1: rename-command: wrong number of arguments")
	f("supervised upstart\n", `standard input:1: supervised: "upstart" is not supported yet: upstart's way to tell that a server is ready does not exist here`)
}

func TestInclude(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	sub := filepath.Join(dir, "sub")
	if err := os.Mkdir(sub, 0o700); err != nil {
		t.Fatal(err)
	}
	main := write(t, dir, "main.conf", "timeout 1\ninclude sub/*.conf\ninclude none*.conf\nhz 9\n")
	write(t, sub, "a.conf", "timeout 2\nhz 2\ndatabases 2\n")
	write(t, sub, "b.conf", "timeout 3\ninclude more\n")
	write(t, sub, "more", "tcp-backlog 7\n") // relative to the file that includes it
	c, err := Load(Sources{File: main})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"timeout": "3", "hz": "9", "databases": "2", "tcp-backlog": "7"} {
		if got := c.Text(name); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
	f := func(text, want string) {
		t.Helper()
		path := write(t, dir, "bad.conf", text)
		if _, err := Load(Sources{File: path}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	f("include missing.conf\n", "bad.conf:1: reading the settings: open "+dir+"/missing.conf: no such file")
	f("include bad.conf\n", "more than 16 deep")
	write(t, dir, "wrong", "\n\nport x\n")
	f("include wrong\n", "wrong:3: port: argument couldn't be parsed")
	if _, err := Load(Sources{Flags: []Flag{{"include", []string{main}}}}); err != nil {
		t.Error(err)
	}
}

func TestEnvironment(t *testing.T) {
	t.Parallel()
	c, err := Load(Sources{Environ: []string{
		"TROUPE_BIND=* -::*", "TROUPE_REQUIREPASS=a b", "TROUPE_REQUIREPAS=typo", "PORT=1",
		// What Kubernetes sets for a service called troupe.
		"TROUPE_PORT=tcp://10.0.0.1:7379", "TROUPE_PORT_7379_TCP_PORT=7379", "TROUPE_SERVICE_HOST=10.0.0.1",
	}})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"bind": "* -::*", "requirepass": "a b", "port": "7379"} {
		if got := c.Text(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if got := strings.Join(c.Warnings(), "\n"); got != "these environment variables name no setting: TROUPE_REQUIREPAS" {
		t.Errorf("warned: %s", got)
	}
	_, err = Load(Sources{Environ: []string{"TROUPE_PORT=x"}})
	if err == nil || err.Error() != "TROUPE_PORT: port: argument couldn't be parsed into an integer" {
		t.Error(err)
	}
}

// All that has no effect is named in one line.
func TestWarnings(t *testing.T) {
	t.Parallel()
	c, err := Load(Sources{File: "-", Stdin: strings.NewReader("save 60 1\nrdbcompression yes\nsave 1 1\nio-threads 4\nappendonly no\ndaemonize no\n")})
	if err != nil {
		t.Fatal(err)
	}
	want := "these settings have no effect: io-threads\n" +
		"io-threads has no effect, event-loops is what sets the number of threads for clients"
	if got := strings.Join(c.Warnings(), "\n"); got != want {
		t.Errorf("warned:\n%s\nwant:\n%s", got, want)
	}
}

// The file that a distribution ships loads.
func TestDistributionFile(t *testing.T) {
	t.Parallel()
	const path = "/etc/redis/redis.conf"
	switch _, err := os.ReadFile(path); {
	case err == nil:
	case os.Getenv("TROUPE_CI") == "1":
		t.Fatalf("redis-server's package brings %s: %v", path, err)
	default:
		t.Skipf("SKIPPED: there is no %s to load: %v", path, err)
	}
	c, err := Load(Sources{File: path})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(c.Warnings()); n != 1 {
		t.Errorf("%d warnings: %q", n, c.Warnings())
	}
	if c.Text("bind") != "127.0.0.1 -::1" || c.Int("port") != 6379 {
		t.Errorf("bind %q port %d", c.Text("bind"), c.Int("port"))
	}
}

func FuzzFile(f *testing.F) {
	f.Add("port 7000\nsave 1 2\nclient-output-buffer-limit normal 1 2 3\n")
	f.Add("user default on nopass ~* +@all\nrequirepass \"\\xff'\"")
	f.Add("oom-score-adj-values 1 2 3\nmaxmemory-clients 1%\nnotify-keyspace-events A\nrename-command a ''")
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(strings.ToLower(text), "include") {
			t.Skip("reads other files")
		}
		c, err := Load(Sources{File: "-", Stdin: strings.NewReader(text)})
		if err != nil {
			return
		}
		// What it says can be written, and says the same when it is read.
		var again strings.Builder
		for _, row := range Table {
			if row.Kind != Directive && c.value(row) != row.Default {
				for _, line := range row.lines(c.value(row)) {
					again.WriteString(line + "\n")
				}
			}
		}
		back, err := Load(Sources{File: "-", Stdin: strings.NewReader(again.String())})
		if err != nil {
			t.Fatalf("%q became %q: %v", text, again.String(), err)
		}
		for _, row := range Table {
			if row.Kind != Directive && back.value(row) != c.value(row) {
				t.Fatalf("%q: %s is %q, then %q", text, row.Name, c.value(row), back.value(row))
			}
		}
	})
}
