package admin_test

import (
	"strings"
	"testing"
	"time"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/redistest"
)

const debugRefused = `-ERR DEBUG command not allowed. If the enable-debug-command option is set to "local", you can run it from a local connection, ` +
	"otherwise you need to set this option in the configuration file, and then restart the server."

func TestDebugMustBeAllowed(t *testing.T) {
	t.Parallel()
	f := func(setting, command, reply string) {
		t.Helper()
		dial(t, start(t, "enable-debug-command "+setting)).want(command, reply)
	}
	f("no", "DEBUG DIGEST", debugRefused)
	f("no", "DEBUG NONSENSE", debugRefused)
	f("no", "DEBUG HELP", debugRefused)
	f("no", "DEBUG", "-ERR wrong number of arguments for 'debug' command")
	f("local", "DEBUG DIGEST", "+0000000000000000000000000000000000000000")
	f("yes", "DEBUG DIGEST", "+0000000000000000000000000000000000000000")
}

// TestDebugSleep: the shards wait, the links do not.
func TestDebugSleep(t *testing.T) {
	t.Parallel()
	system := start(t)
	sleeper, other, writer := dial(t, system), dial(t, system), dial(t, system)
	writer.ask("PING")
	begun := time.Now()
	sleeper.send("DEBUG", "SLEEP", "0.5")
	eventually(t, "all shards are held", func() bool {
		writer.send("SET", "k", "v")
		writer.conn.SetReadDeadline(time.Now().Add(5 * time.Millisecond))
		buf := make([]byte, 16)
		_, err := writer.conn.Read(buf)
		return err != nil
	})
	other.want("PING", "+PONG")
	if took := time.Since(begun); took > 400*time.Millisecond {
		t.Skipf("SKIPPED: this machine is too slow to tell, it took %v to get here", took)
	}
	if reply := sleeper.receive(); reply.Str() != "OK" {
		t.Errorf("DEBUG SLEEP is answered %s", resp.Format(reply))
	}
	if took := time.Since(begun); took < 500*time.Millisecond {
		t.Errorf("it slept for %v only", took)
	}
	if reply := writer.receive(); reply.Str() != "OK" {
		t.Errorf("SET is answered %s", resp.Format(reply))
	}
}

// TestDigestsAreRedis's: the same data gives the same digest, in any order.
func TestDigests(t *testing.T) {
	t.Parallel()
	theirs := newLink(t, redistest.Start(t).Dial())
	one, other := dial(t, start(t)), dial(t, start(t))
	commands := []string{
		"SET a 1", "SET b text", "HSET h f 1 g 2 h 3", "SET c x", "EXPIRE c 1000", "SET bits \x00\xff", "SELECT 5", "SET a 1", "HSET g k v",
		"RPUSH l a b c", "SADD s x y z", "ZADD z 1 a 2.5 b", "XADD x 1-1 f v",
	}
	known := map[string]bool{}
	for _, command := range commands {
		if one.ask(command).IsError() {
			t.Logf("not compared, as there is no such command yet: %s", command)
			continue
		}
		known[command] = true
		theirs.ask(command)
	}
	for i := range commands { // the keys of each database in the reverse order
		at := len(commands) - 1 - i
		if command := commands[at]; known[command] && at > 6 {
			other.ask("SELECT 5")
			other.ask(command)
		} else if known[command] && !strings.HasPrefix(command, "EXPIRE") && at < 6 {
			other.ask("SELECT 0")
			other.ask(command)
		}
	}
	other.ask("SELECT 0")
	other.ask("EXPIRE c 1000")
	want := theirs.ask("DEBUG DIGEST").Str()
	for _, l := range []*link{one, other} {
		if got := l.ask("DEBUG DIGEST").Str(); got != want {
			t.Errorf("the digest is %s, want %s", got, want)
		}
	}
	for _, command := range []string{"DEBUG DIGEST-VALUE a b c h bits nokey", "SELECT 5", "DEBUG DIGEST-VALUE a g"} {
		if got, want := resp.Format(one.ask(command)), resp.Format(theirs.ask(command)); command != "SELECT 5" && got != want {
			t.Errorf("%s is answered %s, want %s", command, got, want)
		}
	}
}

func TestDebugActors(t *testing.T) {
	t.Parallel()
	l := dial(t, start(t))
	listed := resp.Format(l.ask("ACTORS"))
	for _, path := range []string{"shard/0", "shard/1", "shard/2", "session/1"} {
		if !strings.Contains(listed, `"`+path+`"`) {
			t.Errorf("%s is not listed: %s", path, listed)
		}
	}
	l.want("DEBUG MAILBOX session/1", ":0")
	l.want("DEBUG MAILBOX shard/2", ":0")
	l.want("DEBUG MAILBOX shard/3", "-ERR no such actor")
}

func TestDebugCrashOfSession(t *testing.T) {
	t.Parallel()
	system := start(t)
	l, victim := dial(t, system), dial(t, system)
	id := victim.ask("CLIENT ID")
	l.want("DEBUG CRASH session/"+strings.TrimPrefix(resp.Format(id), ":"), "+OK")
	victim.gone()
	l.want("PING", "+PONG")
	eventually(t, "the failure is told", func() bool {
		failures := l.ask("ACTORS FAILURES").Items()
		if len(failures) == 0 {
			return false
		}
		told := resp.Format(failures[0])
		for _, want := range []string{`"session/` + strings.TrimPrefix(resp.Format(id), ":") + `"`, "unknown message admin.crash"} {
			if !strings.Contains(told, want) {
				t.Errorf("told is %s, without %s", told, want)
			}
		}
		return true
	})
}

func TestDebugTurns(t *testing.T) {
	t.Parallel()
	l := dial(t, start(t))
	if reply := l.ask("DEBUG TURNS ON"); reply.IsError() {
		t.Skipf("SKIPPED: %s", reply.Str())
	}
	count := func() (turns int64) {
		pairs := l.ask("DEBUG TURNS").Items()
		for i := 0; i+1 < len(pairs); i += 2 {
			if pairs[i].Str() != "longest" {
				turns += pairs[i+1].Int()
			}
		}
		return turns
	}
	l.ask("DEBUG POPULATE 1000")
	for range 10 {
		l.ask("GET key:1")
	}
	if turns := count(); turns < 11 {
		t.Errorf("%d turns were measured", turns)
	}
	l.want("DEBUG TURNS OFF", "+OK")
	l.want("DEBUG TURNS RESET", "+OK")
	l.ask("GET key:1")
	if turns := count(); turns != 0 {
		t.Errorf("%d turns were measured after the end", turns)
	}
}

func TestDebugGC(t *testing.T) {
	t.Parallel()
	l := dial(t, start(t))
	if reply := l.ask("DEBUG GC"); reply.Kind() != resp.Number || reply.Int() < 0 {
		t.Errorf("DEBUG GC is answered %s", resp.Format(reply))
	}
	l.ask("MULTI")
	l.ask("DEBUG GC")
	if reply := l.ask("EXEC"); len(reply.Items()) != 1 || reply.Items()[0].Kind() != resp.Number {
		t.Errorf("EXEC is answered %s", resp.Format(reply))
	}
}

func TestDebugPush(t *testing.T) {
	t.Parallel()
	l := dial(t, start(t))
	l.ask("HELLO 3")
	l.want("DEBUG PROTOCOL push", `"Some real reply preceding the push reply"`)
	if got := resp.Format(l.receive()); got != `>["server-cpu-usage", :42]` {
		t.Errorf("the push is %s", got)
	}
}

// The serialized lengths are those that redis-server 7.0 tells.
func TestDebugObjectTellsSerializedLength(t *testing.T) {
	t.Parallel()
	l := dial(t, start(t, "enable-debug-command yes"))
	f := func(length, command string) {
		t.Helper()
		l.ask(command)
		line := l.ask("DEBUG OBJECT " + strings.Fields(command)[1]).Str()
		if !strings.Contains(line, " serializedlength:"+length+" ") {
			t.Errorf("%s leaves %s, want a length of %s", command, line, length)
		}
	}
	f("4", "SET foo bar")
	f("3", "SET n 12345")
	f("17", "RPUSH l 1 2 x")
	f("18", "HSET h a 1 b 2")
	f("21", "ZADD z 1.5 a 2 b")
	f("15", "SADD s 1 2 3")
	f("5", "SADD s2 a b")
}
