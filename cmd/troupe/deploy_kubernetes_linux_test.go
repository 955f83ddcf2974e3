package main_test

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// The manifests are built as kubectl apply -k does, decoded strictly into the API
// server's own types (testdata/kubernetes does both), and the server is driven with
// exactly the arguments, variables, ports and probes that the result says. Only ports
// and folders are others, at every place that names them.

func TestKubernetesCache(t *testing.T)   { t.Parallel(); testKubernetes(t, "overlays/cache", false) }
func TestKubernetesDurable(t *testing.T) { t.Parallel(); testKubernetes(t, "overlays/durable", true) }

// pod is what the manifests say about running the server.
type pod struct {
	*testing.T
	args      []string
	environ   map[string]string
	http      string // address of the probes
	resp      string // and of clients
	container object
}

// users are an aclfile as the README has it.
const users = `user default off
user app on >secret ~* &* +@all -@dangerous
user metrics on >numbers resetkeys resetchannels -@all +info
`

func testKubernetes(t *testing.T, folder string, keeps bool) {
	all := manifests(t, overlay(folder))
	set := all["StatefulSet/troupe"]
	checkServices(t, all, set)
	checkSecurity(t, all, set)
	checkVolumes(t, set, keeps)
	p := readPod(t, all, set)
	dir := t.TempDir()
	p.environ["TROUPE_DIR"] = dir
	pipe := neverEnding(t, dir)

	// While it loads it has started and is alive, and is not ready.
	s := launch(t, exec.Command(program(t), p.args...), p.variables())
	p.awaitProbe("startupProbe", http.StatusOK)
	p.wantProbe("livenessProbe", http.StatusOK)
	p.wantProbe("readinessProbe", http.StatusServiceUnavailable)
	if _, err := pipe.Write(append([]byte{0xff}, make([]byte, 8)...)); err != nil { // the end, without a checksum
		t.Fatal(err)
	}
	pipe.Close()
	s.await("ready to accept connections")
	for _, name := range []string{"startupProbe", "livenessProbe", "readinessProbe"} {
		p.wantProbe(name, http.StatusOK)
	}
	p.converse()

	// On SIGTERM it is not ready at once, but alive until all clients have what they
	// asked for.
	s.addresses = []string{p.resp}
	slow := unreadBy(s, "app", "secret")
	s.signal(syscall.SIGTERM)
	p.awaitProbe("readinessProbe", http.StatusServiceUnavailable)
	p.wantProbe("livenessProbe", http.StatusOK)
	slow.conn.Close()
	if code := s.exit(); code != 0 {
		t.Errorf("exit code %d:\n%s", code, s.logged())
	}
	if text := s.logged(); strings.Contains(text, `"@level":"warn"`) || strings.Contains(text, `"@level":"error"`) {
		t.Errorf("it is warned about:\n%s", text)
	}
	if err := os.Remove(filepath.Join(dir, "dump.rdb")); err != nil {
		t.Fatal(err)
	}
	again := launch(t, exec.Command(program(t), p.args...), p.variables())
	again.await("ready to accept connections")
	want := "$-1"
	if keeps {
		want = "$5"
	}
	c := dial(t, p.resp)
	if got := c.ask("AUTH", "app", "secret") + c.ask("GET", "k"); got != "+OK"+want {
		t.Errorf("the next pod answers %s, want %s", got, want)
	}
	again.stop()
}

// neverEnding is a dump.rdb in the folder that is read for as long as the test wants.
func neverEnding(t *testing.T, dir string) *os.File {
	t.Helper()
	name := filepath.Join(dir, "dump.rdb")
	if out, err := exec.Command("mkfifo", name).CombinedOutput(); err != nil {
		t.Fatal(err, string(out))
	}
	pipe, err := os.OpenFile(name, os.O_RDWR, 0) // both, so that it waits for nobody
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { pipe.Close() })
	if _, err := pipe.WriteString("REDIS" + "REDIS0010"); err != nil { // looked at, then opened anew
		t.Fatal(err)
	}
	return pipe
}

// readPod takes from the manifests how the server is run.
func readPod(t *testing.T, all map[string]object, set object) *pod {
	t.Helper()
	containers := set.list("spec", "template", "spec", "containers")
	if len(containers) != 1 || containers[0].text("command", 0) != installed {
		t.Fatalf("containers: %v", containers)
	}
	c := containers[0]
	p := &pod{T: t, container: c, environ: map[string]string{}, args: slices.Concat(c.words("command")[1:], c.words("args"))}
	config := all["ConfigMap/troupe"]
	if from := c.text("envFrom", 0, "configMapRef", "name"); from != config.text("metadata", "name") {
		t.Errorf("the settings are those of %s, and not of %s", from, config.text("metadata", "name"))
	}
	data, _ := config.at("data").(object)
	for name := range maps.Keys(data) {
		p.environ[name] = data.text(name)
	}
	for place, name := range []string{"TROUPE_PORT", "TROUPE_HTTP"} {
		if port := c.text("ports", place, "containerPort"); p.environ[name] != port {
			t.Errorf("%s is %s, the port is %s", name, p.environ[name], port)
		}
		p.environ[name] = freePort(t)
	}
	if p.environ["TROUPE_DIR"] != c.text("volumeMounts", 0, "mountPath") || c.text("volumeMounts", 0, "name") != "data" {
		t.Errorf("the server writes to %q, what survives is %v", p.environ["TROUPE_DIR"], c.at("volumeMounts", 0))
	}
	if where := c.text("volumeMounts", 1, "mountPath") + "/users.acl"; p.environ["TROUPE_ACLFILE"] != where {
		t.Errorf("users are read at %q, and lie at %q", p.environ["TROUPE_ACLFILE"], where)
	}
	p.environ["TROUPE_ACLFILE"] = filepath.Join(t.TempDir(), "users.acl")
	if err := os.WriteFile(p.environ["TROUPE_ACLFILE"], []byte(users), 0o600); err != nil {
		t.Fatal(err)
	}
	host := "127.0.0.1"
	if far := outside(); far != "" { // the kubelet and clients are not within the pod
		host = far
	}
	p.http, p.resp = net.JoinHostPort(host, p.environ["TROUPE_HTTP"]), net.JoinHostPort(host, p.environ["TROUPE_PORT"])
	return p
}

func (p *pod) variables() (all []string) {
	for name, value := range p.environ {
		all = append(all, name+"="+value)
	}
	return all
}

// ask asks as the kubelet does, and returns the status.
func (p *pod) ask(probe string) (status int, err error) {
	p.Helper()
	if port := p.container.text(probe, "httpGet", "port"); port != "http" {
		p.Fatalf("%s asks at %s", probe, port)
	}
	ctx, cancel := context.WithTimeout(p.Context(), patience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+p.http+p.container.text(probe, "httpGet", "path"), nil)
	if err != nil {
		return 0, err
	}
	request.Close = true
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err
	}
	_, err = io.Copy(io.Discard, answer.Body)
	answer.Body.Close()
	return answer.StatusCode, err
}

func (p *pod) wantProbe(probe string, want int) {
	p.Helper()
	if status, err := p.ask(probe); status != want {
		p.Errorf("%s is answered %d, want %d; %v", probe, status, want, err)
	}
}

func (p *pod) awaitProbe(probe string, want int) {
	p.Helper()
	eventually(p.T, func() error {
		if status, err := p.ask(probe); status != want {
			return fmt.Errorf("%s is answered %d, want %d; %v", probe, status, want, err)
		}
		return nil
	})
}

// converse is what clients and Prometheus do.
func (p *pod) converse() {
	p.Helper()
	wantPrefix(p.T, p.resp, "-NOAUTH", "PING")
	c := dial(p.T, p.resp)
	if got := c.ask("AUTH", "app", "secret") + c.ask("SET", "k", "value"); got != "+OK+OK" {
		p.Errorf("the application is answered %s", got)
	}
	request, err := http.NewRequestWithContext(p.Context(), http.MethodGet, "http://"+p.http+"/metrics", nil)
	if err != nil {
		p.Fatal(err)
	}
	request.SetBasicAuth("metrics", "numbers")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		p.Fatal(err)
	}
	defer answer.Body.Close()
	if text, err := io.ReadAll(answer.Body); err != nil || !strings.Contains(string(text), "\ntroupe_ready 1\n") {
		p.Errorf("Prometheus is answered %s %.300s", answer.Status, text)
	}
}

// unreadBy is a link of a user who does not read the much that he has asked for.
func unreadBy(s *started, user, password string) *client {
	s.t.Helper()
	c := s.dial()
	c.ask("AUTH", user, password)
	c.ask("SETRANGE", "big", "8000000", "x")
	for range 8 {
		c.send("GET", "big")
	}
	if _, err := c.in.Peek(1); err != nil { // the replies are under way
		s.t.Fatal(err)
	}
	return c
}
