package web_test

import (
	"bufio"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestCommand(t *testing.T) {
	t.Parallel()
	p := start(t)
	f := func(body, want string) {
		t.Helper()
		if status, got := p.do("POST", "/command", body); status != http.StatusOK || got != want {
			t.Errorf("%s is answered %d %s, want %s", body, status, got, want)
		}
	}
	f(`["SET","k","v"]`, `{"result":"OK"}`)
	f(`["GET","k"]`, `{"result":"v"}`)
	f(`["GET","none"]`, `{"result":null}`)
	f(`["INCRBY","n",41]`, `{"result":41}`)
	f(`["INCRBYFLOAT","n",1.5]`, `{"result":"42.5"}`)
	f(`{"command":["HSET","h","f","1","g","2"]}`, `{"result":2}`)
	f(`["HGETALL","h"]`, `{"result":{"f":"1","g":"2"}}`)
	f(`["SET","b",{"base64":"/wA="}]`, `{"result":"OK"}`)
	f(`["GET","b"]`, `{"result":{"base64":"/wA="}}`)
	f(`["APPEND","k","\u00fc \"q\"\n"]`, `{"result":8}`)
	f(`{"command":["SET","k","there"],"db":1}`, `{"result":"OK"}`)
	f(`{"commands":[["GET","k"]],"db":1}`, `[{"result":"there"}]`)
	f(`[["GET","k"],["LPUSH","k","x"],["PING"]]`, `[{"result":"vü \"q\"\n"},{"error":"WRONGTYPE Operation against a key holding the wrong kind of value"},{"result":"PONG"}]`)
	f(`{"commands":[["INCR","i"],["INCR","i"],["LPUSH","i","x"]],"atomic":true}`, `[{"result":1},{"result":2},{"error":"WRONGTYPE Operation against a key holding the wrong kind of value"}]`)
	f(`{"command":["INCR","i"],"atomic":true}`, `{"result":3}`)
	f(`["RPUSH","l","a"]`, `{"result":1}`)
	f(`["BLPOP","l",1]`, `{"result":["l","a"]}`)
	if status, got := p.do("POST", "/command?db=1&atomic=1", `[["GET","k"]]`); status != http.StatusOK || got != `[{"result":"there"}]` {
		t.Errorf("by parameters: %d %s", status, got)
	}
}

// Mistakes: each has a status and a text, and the connection goes on.
func TestCommandMistakes(t *testing.T) {
	t.Parallel()
	p := start(t, "http-max-body 1kb")
	p.ask("SET", "k", "v")
	f := func(path, body string, status int, text string) {
		t.Helper()
		got, answer := p.do("POST", path, body)
		if got != status || !strings.HasPrefix(answer, `{"error":"`+text) {
			t.Errorf("%s %s is answered %d %s, want %d %s", path, body, got, answer, status, text)
		}
	}
	f("/command", ``, 400, "ERR the body is a command")
	f("/command", `"PING"`, 400, "ERR the body is a command")
	f("/command", `[`, 400, "ERR the JSON can't be read")
	f("/command", `["PING"] x`, 400, "ERR the JSON can't be read")
	f("/command", `[]`, 400, "ERR a command is a list")
	f("/command", `[[]]`, 400, "ERR a command is a list")
	f("/command", `["GET",null]`, 400, "ERR a word is a string")
	f("/command", `["GET",true]`, 400, "ERR a word is a string")
	f("/command", `["GET",["k"]]`, 400, "ERR a word is a string")
	f("/command", `["GET",{"base64":"?"}]`, 400, "ERR a word is no base64")
	f("/command", `["GET",{"base65":"?"}]`, 400, "ERR a word is a string")
	f("/command", `[["GET","k"],"PING"]`, 400, "ERR a command is a list")
	f("/command", `{"command":["GET","k"],"commands":[]}`, 400, "ERR the body is a command")
	f("/command", `{"comand":["GET","k"]}`, 400, "ERR the JSON can't be read")
	f("/command", `{"command":["GET","k"],"db":16}`, 400, "ERR DB index is out of range")
	f("/command", `{"command":["GET","k"],"db":-1}`, 400, "ERR DB index is out of range")
	f("/command?db=x", `["GET","k"]`, 400, "ERR DB index is out of range")
	f("/command?atomic=maybe", `["GET","k"]`, 400, "ERR atomic is yes or no")
	f("/command?nonsense=1", `["GET","k"]`, 400, "ERR there is no parameter nonsense")
	f("/command?%zz", `["GET","k"]`, 400, "ERR the parameters can't be read")
	f("/command", `["SET","k","`+strings.Repeat("x", 1024)+`"]`, 413, "ERR the body is longer")
	f("/command", `["NONSENSE"]`, 400, "ERR unknown command")
	f("/command", `["GET"]`, 400, "ERR wrong number of arguments")
	f("/command", `["LPUSH","k","x"]`, 400, "WRONGTYPE")
	f("/command?atomic=1", `[["SET","k","w"],["NONSENSE"],["GET"]]`, 400, "ERR unknown command")
	for _, word := range []string{"SUBSCRIBE", "MONITOR", "MULTI", "WATCH", "SELECT", "AUTH", "HELLO", "QUIT", "RESET", "OBSERVE", "GET.WATCH"} {
		f("/command", `["`+word+`","k"]`, 400, "ERR "+word+" is about a link")
	}
	f("/nonsense", ``, 404, "ERR there is nothing")
	if got := p.ask("GET", "k"); got != "\"v\"" {
		t.Errorf("after all that k is %s", got)
	}
}

// What is no HTTP is told so; after a mistake in a body the connection is good
// for another request.
func TestMalformed(t *testing.T) {
	t.Parallel()
	p := start(t)
	conn, err := net.Dial("tcp", p.web.Addresses()[0])
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(patience))
	in := bufio.NewReader(conn)
	f := func(text string, status int) {
		t.Helper()
		if _, err := conn.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		answer, err := http.ReadResponse(in, nil)
		if err != nil || answer.StatusCode != status {
			t.Fatalf("%q is answered %v %v, want %d", text, answer, err, status)
		}
		answer.Body.Close()
	}
	f("POST /command HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{]", 400)
	f("PUT /command HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n", 405)
	f("POST /command HTTP/1.1\r\nHost: localhost\r\nContent-Length: 8\r\n\r\n[\"PING\"]", 200)
	f("*1\r\n$4\r\nPING\r\n", 400)
}
