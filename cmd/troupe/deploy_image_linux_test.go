package main_test

import (
	"debug/elf"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gopkg.in/yaml.v3"
)

// The image is what the Dockerfile says, though nothing here builds one: the program
// is built by its line, and run with its variables, its user's rights and its probe.

// TestImageIsSmall: the image is the program and the licences, on nothing.
func TestImageIsSmall(t *testing.T) {
	t.Parallel()
	const most = 30_000_000
	size := int64(0)
	for _, name := range []string{program(t), filepath.Join("..", "..", "deploy", "licenses.txt")} {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		size += info.Size()
	}
	t.Logf("%d bytes", size)
	if size >= most {
		t.Errorf("the image has %d bytes, %d are the most", size, most)
	}
	file, err := elf.Open(program(t))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for _, part := range file.Progs {
		if part.Type == elf.PT_INTERP || part.Type == elf.PT_DYNAMIC {
			t.Errorf("the program needs libraries that the image does not have: %v", part.Type)
		}
	}
}

// TestVersion: the program says what it is, and what it was built from.
func TestVersion(t *testing.T) {
	t.Parallel()
	out, err := exec.Command(program(t), "version").CombinedOutput()
	if got := string(out); err != nil || !strings.HasPrefix(got, "troupe "+testVersion+" linux/") || !strings.HasSuffix(got, " (commit "+testCommit+")\n") {
		t.Errorf("%s %v", out, err)
	}
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
