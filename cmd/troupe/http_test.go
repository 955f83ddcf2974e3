package main_test

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/troupedb/troupe/resp/redistest"
)

// The program with --http: a command, a watch that another client's write is told
// by, and its end when the server stops.
func TestHTTPProgram(t *testing.T) {
	t.Parallel()
	port, resp := freePort(t), freePort(t)
	s := start(t, nil, "server", "--port", resp, "--bind", "127.0.0.1", "--http", port, "--appendonly", "no")
	url := "http://127.0.0.1:" + port
	ask := func(body, want string) {
		t.Helper()
		answer, err := http.Post(url+"/command", "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		if text, err := io.ReadAll(answer.Body); err != nil || strings.TrimSpace(string(text)) != want {
			t.Fatalf("%s is answered %s, %v; want %s", body, text, err, want)
		}
	}
	ask(`["SET","k","v"]`, `{"result":"OK"}`)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, "GET", url+"/watch?q=GET%20k", nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	in := bufio.NewScanner(answer.Body)
	want := func(part string) {
		t.Helper()
		for in.Scan() {
			if data, ok := strings.CutPrefix(in.Text(), "data: "); ok {
				if !strings.Contains(data, part) {
					t.Fatalf("told %s, want %s", data, part)
				}
				return
			}
		}
		t.Fatalf("the stream has ended before %s: %v", part, in.Err())
	}
	want(`"result":"v"`)
	ask(`["SET","k","w"]`, `{"result":"OK"}`)
	want(`"result":"w"`)
	s.signal(syscall.SIGTERM)
	want(`"kind":"end"`)
	if code := s.exit(); code != 0 {
		t.Errorf("it has ended with %d: %s", code, s.logged())
	}
}

// The lines for curl in the README do what is said beside them.
func TestHTTPReadme(t *testing.T) {
	t.Parallel()
	redistest.Program(t, "curl")
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	port := freePort(t)
	start(t, nil, "server", "--port", freePort(t), "--bind", "127.0.0.1", "--http", port, "--appendonly", "no")
	ran := 0
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "curl localhost:8379/command") && !strings.HasPrefix(line, "curl 'localhost:8379/command") {
			continue
		}
		command, says, _ := strings.Cut(strings.TrimSpace(line), " # ")
		out, err := exec.Command("sh", "-c", "curl -s -f "+strings.TrimPrefix(strings.ReplaceAll(command, "localhost:8379", "127.0.0.1:"+port), "curl ")).Output()
		if err != nil {
			t.Errorf("%s: %v", command, err)
		}
		if got := strings.TrimSpace(string(out)); strings.ContainsAny(says[:1], "{[") && got != says {
			t.Errorf("%s is answered %s, the README says %s", command, got, says)
		}
		ran++
	}
	if ran < 3 {
		t.Errorf("the README has %d lines for curl", ran)
	}
}
