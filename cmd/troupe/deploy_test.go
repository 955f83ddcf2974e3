package main_test

import (
	"bytes"
	"fmt"
	"net"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gopkg.in/yaml.v3"
)

// The files of deploy are read as their programs read them, as far as that
// goes, and the server is driven with exactly what they say: arguments,
// variables, ports, probes, the way to stop. Only the port is another, at
// every place that names it, and the data folder.

// testVersion is the version of the program that the tests build.
const testVersion = "0.1.0-test"

const installed = "/usr/bin/troupe"

// deployed is what a file of deploy says about running the server.
type deployed struct {
	args    []string
	environ map[string]string
	port    string // that clients are sent to
	dir     string // where data survives
	probes  map[string]probe
	grace   time.Duration // from SIGTERM to the end
	notify  bool
}

type probe struct {
	args    []string
	timeout time.Duration
}

// run starts the server, looks whether it is where the file says, and stops
// it. In between, with the client of it, it is examined.
func (d *deployed) run(t *testing.T, examine func(s *started, port string)) {
	t.Helper()
	if port := d.environ["TROUPE_PORT"]; port != "" && port != d.port || port == "" && d.port != "7379" {
		t.Errorf("the server listens on %q, clients are sent to %q", port, d.port)
	}
	if d.environ["TROUPE_DIR"] != d.dir {
		t.Errorf("the server writes to %q, what survives is %q", d.environ["TROUPE_DIR"], d.dir)
	}
	port := freePort(t)
	d.environ["TROUPE_PORT"], d.environ["TROUPE_DIR"] = port, t.TempDir()
	d.probe(t, false)
	var systemd *supervisor
	if d.notify {
		systemd = listenNotify(t)
		d.environ["NOTIFY_SOCKET"] = systemd.path
	}
	s := startWith(t, exec.Command(program(t), d.args...), d.variables())
	if d.notify {
		systemd.await("READY=1")
	}
	if strings.Contains(s.logged(), "WARN") || strings.Contains(s.logged(), `"warn"`) {
		t.Errorf("it is warned about:\n%s", s.logged())
	}
	d.probe(t, true)
	examine(s, port)
	begun := time.Now()
	s.stop()
	if took := time.Since(begun); took > d.grace {
		t.Errorf("it took %v to stop, %v are given", took, d.grace)
	}
}

func (d *deployed) variables() (all []string) {
	for name, value := range d.environ {
		all = append(all, name+"="+value)
	}
	return all
}

// probe runs all probes, which must find the server well or not.
func (d *deployed) probe(t *testing.T, well bool) {
	t.Helper()
	for name, p := range d.probes {
		cmd := exec.Command(program(t), p.args...)
		cmd.Env = d.variables()
		begun := time.Now()
		out, err := cmd.CombinedOutput()
		if (err == nil) != well {
			t.Errorf("%s: %v, %s", name, err, out)
		}
		if took := time.Since(begun); took > p.timeout {
			t.Errorf("%s took %v, %v are given", name, took, p.timeout)
		}
	}
}

// wantPrefix asks at an address.
func wantPrefix(t *testing.T, address, want string, words ...string) {
	t.Helper()
	if got := dial(t, address).ask(words...); !strings.HasPrefix(got, want) {
		t.Errorf("%q at %s: %s, want %s", words, address, got, want)
	}
}

// outside is an address of this machine as strangers reach it, "" if there is
// none.
func outside() string {
	addresses, _ := net.InterfaceAddrs()
	for _, address := range addresses {
		if ip, ok := address.(*net.IPNet); ok && !ip.IP.IsLoopback() && ip.IP.To4() != nil {
			return ip.IP.String()
		}
	}
	return ""
}

func TestDockerfile(t *testing.T) {
	t.Parallel()
	image := readDockerfile(t, readFile(t, "Dockerfile"))
	d := &deployed{
		args: slices.Concat(image.entrypoint, image.cmd), environ: image.environ, port: image.expose, dir: image.volume,
		probes: map[string]probe{"HEALTHCHECK": image.healthcheck},
		grace:  10 * time.Second, // docker stop
	}
	if d.args[0] != installed {
		t.Errorf("%q is started", d.args)
	}
	d.args = d.args[1:]
	if id, err := strconv.Atoi(image.user[:max(0, strings.IndexByte(image.user, ':'))]); err != nil || id == 0 {
		t.Errorf("USER %s: want numbers, not root's", image.user)
	}
	if image.stopSignal != "SIGTERM" {
		t.Errorf("STOPSIGNAL %s", image.stopSignal)
	}
	d.run(t, func(_ *started, port string) {
		wantPrefix(t, "127.0.0.1:"+port, "+PONG", "PING")
		if host := outside(); host != "" { // there is no password yet
			if got, _ := dial(t, net.JoinHostPort(host, port)).in.ReadString('\n'); !strings.HasPrefix(got, "-DENIED") {
				t.Errorf("a stranger: %q", got)
			}
		}
	})
	d.environ["TROUPE_PORT"], d.environ["TROUPE_DIR"] = d.port, d.dir
	d.environ["TROUPE_REQUIREPASS"] = "secret"
	d.run(t, func(_ *started, port string) {
		wantPrefix(t, "127.0.0.1:"+port, "-NOAUTH", "PING")
		if host := outside(); host != "" {
			wantPrefix(t, net.JoinHostPort(host, port), "+OK", "AUTH", "secret")
		}
	})
}

// image is what a Dockerfile's last stage says.
type image struct {
	entrypoint, cmd            []string
	environ                    map[string]string
	expose, volume             string
	user, stopSignal           string
	healthcheck                probe
	stages, copiedFromBuilding int
}

func readDockerfile(t *testing.T, text string) *image {
	t.Helper()
	i := &image{}
	for line := range strings.Lines(strings.ReplaceAll(text, "\\\n", " ")) {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch name {
		case "FROM":
			*i = image{environ: map[string]string{}, stages: i.stages + 1}
		case "ENV":
			for name, value := range assignments(rest) {
				i.environ[name] = value
			}
		case "COPY":
			i.copiedFromBuilding += strings.Count(rest, "--from=build")
		case "EXPOSE":
			i.expose = rest
		case "VOLUME":
			i.volume = rest
		case "USER":
			i.user = rest
		case "STOPSIGNAL":
			i.stopSignal = rest
		case "ENTRYPOINT":
			i.entrypoint = jsonWords(t, rest)
		case "CMD":
			i.cmd = jsonWords(t, rest)
		case "HEALTHCHECK":
			i.healthcheck = readHealthcheck(t, rest)
		}
	}
	if i.stages < 2 || i.copiedFromBuilding == 0 {
		t.Errorf("%d stages, %d copied from the first", i.stages, i.copiedFromBuilding)
	}
	return i
}

// readHealthcheck reads the options and the command.
func readHealthcheck(t *testing.T, text string) probe {
	t.Helper()
	options, command, found := strings.Cut(text, "CMD ")
	words := jsonWords(t, command)
	if !found || words[0] != installed {
		t.Fatalf("HEALTHCHECK %s", text)
	}
	p := probe{args: words[1:], timeout: 30 * time.Second}
	for _, option := range strings.Fields(options) {
		if value, ok := strings.CutPrefix(option, "--timeout="); ok {
			timeout, err := time.ParseDuration(value)
			if err != nil {
				t.Fatal(err)
			}
			p.timeout = timeout
		}
	}
	return p
}

// jsonWords reads ["a", "b"], which is YAML as well.
func jsonWords(t *testing.T, text string) (words []string) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(text), &words); err != nil || len(words) == 0 {
		t.Fatalf("%q is no list of words: %v", text, err)
	}
	return words
}

// assignments reads name=value name="a value".
func assignments(text string) map[string]string {
	values := map[string]string{}
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimSpace(text) {
		name, rest, _ := strings.Cut(text, "=")
		value := rest
		if strings.HasPrefix(rest, `"`) {
			value, text, _ = strings.Cut(rest[1:], `"`)
		} else {
			value, text, _ = strings.Cut(rest, " ")
		}
		values[name] = value
	}
	return values
}

// object is a part of a Kubernetes manifest. What is decoded into one has
// objects inside.
type object map[string]any

// at is the part at a path of names and numbers.
func (o object) at(path ...any) any {
	var part any = o
	for _, step := range path {
		switch step := step.(type) {
		case string:
			inside, _ := part.(object)
			part = inside[step]
		case int:
			l, _ := part.([]any)
			if step >= len(l) {
				return nil
			}
			part = l[step]
		}
	}
	return part
}

func (o object) list(path ...any) (all []object) {
	l, _ := o.at(path...).([]any)
	for _, item := range l {
		inside, _ := item.(object)
		all = append(all, inside)
	}
	return all
}

func (o object) text(path ...any) string { return fmt.Sprint(o.at(path...)) }

func (o object) words(path ...any) (all []string) {
	l, _ := o.at(path...).([]any)
	for _, item := range l {
		all = append(all, fmt.Sprint(item))
	}
	return all
}

func (o object) seconds(t *testing.T, path ...any) time.Duration {
	t.Helper()
	n, ok := o.at(path...).(int)
	if !ok {
		t.Fatalf("%v is no number", path)
	}
	return time.Duration(n) * time.Second
}

func manifests(t *testing.T, text string) map[string]object {
	t.Helper()
	all := map[string]object{}
	for decoder := yaml.NewDecoder(bytes.NewReader([]byte(text))); ; {
		var o object
		if err := decoder.Decode(&o); err != nil {
			return all
		}
		all[o.text("kind")+"/"+o.text("metadata", "name")] = o
	}
}

func TestKubernetes(t *testing.T) {
	t.Parallel()
	all := manifests(t, readFile(t, "kubernetes/troupe.yaml"))
	set := all["StatefulSet/troupe"]
	pod, _ := set.at("spec", "template", "spec").(object)
	containers := pod.list("containers")
	if len(containers) != 1 || containers[0].text("command", 0) != installed {
		t.Fatalf("containers: %v", containers)
	}
	c := containers[0]
	d := &deployed{
		args: slices.Concat(c.words("command")[1:], c.words("args")), environ: map[string]string{},
		port: c.text("ports", 0, "containerPort"), dir: c.text("volumeMounts", 0, "mountPath"),
		probes: map[string]probe{}, grace: pod.seconds(t, "terminationGracePeriodSeconds"),
	}
	for _, variable := range c.list("env") {
		value := variable.text("value")
		if variable.at("valueFrom", "secretKeyRef") != nil {
			value = "secret of " + variable.text("valueFrom", "secretKeyRef", "name")
		}
		d.environ[variable.text("name")] = value
	}
	for _, name := range []string{"startupProbe", "readinessProbe", "livenessProbe"} {
		words := c.words(name, "exec", "command")
		if len(words) == 0 || words[0] != installed {
			t.Fatalf("%s runs %q", name, words)
		}
		d.probes[name] = probe{words[1:], c.seconds(t, name, "timeoutSeconds")}
	}
	checkServices(t, all, set)
	checkSecurity(t, pod, c)
	d.run(t, func(_ *started, port string) {
		link := dial(t, "127.0.0.1:"+port)
		if got := link.ask("PING"); !strings.HasPrefix(got, "-NOAUTH") {
			t.Errorf("without a password: %s", got)
		}
		if got := link.ask("AUTH", "secret of troupe") + link.ask("PING"); got != "+OK+PONG" {
			t.Errorf("with the password: %s", got)
		}
		if host := outside(); host != "" {
			wantPrefix(t, net.JoinHostPort(host, port), "+OK", "AUTH", "secret of troupe")
		}
	})
}

// checkServices follows the names by which the parts refer to each other.
func checkServices(t *testing.T, all map[string]object, set object) {
	t.Helper()
	labels := set.text("spec", "template", "metadata", "labels")
	if set.text("spec", "selector", "matchLabels") != labels {
		t.Errorf("the set selects %s, its pods are %s", set.text("spec", "selector", "matchLabels"), labels)
	}
	container := set.list("spec", "template", "spec", "containers")[0]
	for _, name := range []string{"troupe", set.text("spec", "serviceName")} {
		service := all["Service/"+name]
		port := service.list("spec", "ports")[0]
		if service.text("spec", "selector") != labels || port.text("targetPort") != container.text("ports", 0, "name") ||
			port.text("port") != container.text("ports", 0, "containerPort") {
			t.Errorf("service %s leads to %s of %s", name, port, service.text("spec", "selector"))
		}
	}
	if all["Service/"+set.text("spec", "serviceName")].text("spec", "clusterIP") != "None" {
		t.Errorf("the service of the set has an address of its own")
	}
	if claim := set.text("spec", "volumeClaimTemplates", 0, "metadata", "name"); claim != container.text("volumeMounts", 0, "name") {
		t.Errorf("the claim %s is not mounted", claim)
	}
}

func checkSecurity(t *testing.T, pod, container object) {
	t.Helper()
	f := func(o object, want string, path ...any) {
		t.Helper()
		if got := o.text(path...); got != want {
			t.Errorf("%v is %s, want %s", path, got, want)
		}
	}
	f(pod, "false", "enableServiceLinks")
	f(pod, "true", "securityContext", "runAsNonRoot")
	f(container, "false", "securityContext", "allowPrivilegeEscalation")
	f(container, "true", "securityContext", "readOnlyRootFilesystem")
	f(container, "ALL", "securityContext", "capabilities", "drop", 0)
	if container.at("resources", "limits", "memory") == nil || container.at("resources", "requests", "cpu") == nil {
		t.Error("resources are missing")
	}
}

// buildLine takes from a Dockerfile how it builds the program, with out as the
// place of the result: the variables and arguments of go.
func buildLine(dockerfile, out string) (variables, args []string, err error) {
	for line := range strings.Lines(dockerfile) {
		command, found := strings.CutPrefix(strings.TrimSpace(line), "RUN ")
		if !found || !strings.Contains(command, " go build ") {
			continue
		}
		command = strings.NewReplacer("${VERSION}", testVersion, "/out/troupe", out).Replace(command)
		before, after, _ := strings.Cut(command, " go ")
		return strings.Fields(before), shellWords(after), nil
	}
	return nil, nil, fmt.Errorf("the Dockerfile has no line with go build")
}

// shellWords splits at blanks outside of double quotes.
func shellWords(text string) []string {
	var words []string
	for i, part := range strings.Split(text, `"`) {
		if i%2 == 1 {
			words = append(words, part)
		} else {
			words = append(words, strings.Fields(part)...)
		}
	}
	return words
}
