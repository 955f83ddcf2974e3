package main_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/troupedb/troupe/resp/redistest"
)

// The examples of deploy/examples run as their READMEs say, as processes,
// against the binary.

// TestLeaderboard looks at the board as a browser does and as a terminal does.
func TestLeaderboard(t *testing.T) {
	t.Parallel()
	port, web := freePort(t), freePort(t)
	start(t, nil, "--port", port, "--http", web)
	path := filepath.Join(t.TempDir(), "leaderboard")
	build := exec.Command("go", "build", "-o", path, "../../deploy/examples/leaderboard")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	said := talkative(t, exec.Command(path, "-redis", "127.0.0.1:"+port, "-http", "127.0.0.1:"+web, "-listen", "127.0.0.1:0", "-pace", "1ms", "-gains", "300"))
	address, _, _ := strings.Cut(said.next(), " ")

	page := get(t, address+"/")
	defer page.Close()
	if text, err := io.ReadAll(page); err != nil || !strings.Contains(string(text), `new EventSource("/watch")`) {
		t.Errorf("the page is %s (%v)", text, err)
	}
	x := openTerminal(t, cliCommand(t, port, "ZRANGE.WATCH", "board", "0", "9", "REV", "WITHSCORES"))
	x.has(`10) "`)

	// Whoever asks is told of the board.
	events := get(t, address+"/watch?q=GET%20secret")
	defer events.Close()
	lines := bufio.NewScanner(events)
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "data:") {
	}
	if !strings.Contains(lines.Text(), `"query":["ZRANGE","board","0","9","REV","WITHSCORES"]`) {
		t.Errorf("the page is told %s (%v)", lines.Text(), lines.Err())
	}
	dial(t, "127.0.0.1:"+port).ask("ZADD", "board", "99999", "Zora")
	for lines.Scan() && !strings.Contains(lines.Text(), `"result":[["Zora",99999],[`) {
	}
	if lines.Err() != nil {
		t.Error(lines.Err())
	}
	x.has(` 1) "Zora"  99999`)
}

func get(t *testing.T, address string) io.ReadCloser {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	if answer.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s", address, answer.Status)
	}
	return answer.Body
}

// TestChatroom lets people talk through DiceDB's library.
func TestChatroom(t *testing.T) {
	t.Parallel()
	port := freePort(t)
	s := start(t, nil, "--port", port)
	path := filepath.Join(t.TempDir(), "chatroom")
	build := exec.Command("go", "build", "-o", path, ".")
	build.Dir = filepath.Join("..", "..", "deploy", "examples", "chatroom")
	build.Env = append(os.Environ(), "GOFLAGS=-mod=readonly -buildvcs=false", "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		redistest.Lack(t, "the chatroom can't be built; are its modules to be had? %v: %s", err, out)
	}
	enter := func(name string) *talker { return talkative(t, exec.Command(path, "-port", port, name)) }
	ann, bob := enter("ann"), enter("bob")
	ann.say("hello")
	for _, who := range []*talker{ann, bob} {
		who.hears("ann: hello")
	}
	for i := range 20 { // faster than anybody is told of each
		bob.say(fmt.Sprintf("thing %d", i))
	}
	for i := range 20 {
		ann.hears(fmt.Sprintf("bob: thing %d", i))
	}
	ann.say("hello") // said again, it is heard again
	ann.hears("ann: hello")
	// Others may speak, and who comes later hears what was said.
	s.dial().ask("ZADD", "chat:lobby", "1000", "eve: good night")
	ann.hears("eve: good night")
	cid := enter("cid")
	cid.hears("bob: thing 0")
	for line := ""; line != "eve: good night"; {
		line = cid.next()
	}
}

// talker is a program that is spoken to in lines and speaks in lines.
type talker struct {
	t   *testing.T
	in  io.Writer
	out *bufio.Scanner
}

func talkative(t *testing.T, cmd *exec.Cmd) *talker {
	t.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	return &talker{t, in, bufio.NewScanner(out)}
}

func (x *talker) say(line string) {
	x.t.Helper()
	if _, err := fmt.Fprintln(x.in, line); err != nil {
		x.t.Fatal(err)
	}
}

func (x *talker) next() string {
	x.t.Helper()
	if !x.out.Scan() {
		x.t.Fatalf("the program has ended (%v)", x.out.Err())
	}
	return x.out.Text()
}

func (x *talker) hears(want string) {
	x.t.Helper()
	if got := x.next(); got != want {
		x.t.Errorf("heard is %q, want %q", got, want)
	}
}
