package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// A release of one tree is the same bytes, in whatever folder the tree lies. (Packages
// for Debian are left out: what makes them is fetched.)
func TestRelease(t *testing.T) {
	t.Parallel()
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, from := range []string{root, copyTree(t, root)} {
		r := &release{root: from, out: filepath.Join(t.TempDir(), "dist"), version: "1.2.3", commit: strings.Repeat("ab", 20), time: time.Unix(1_800_000_000, 0).UTC()}
		if err := r.make(t.Context(), []string{runtime.GOARCH}, false); err != nil {
			t.Fatal(err)
		}
		sums, err := os.ReadFile(filepath.Join(r.out, sumsFile))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(sums))
		if from == root {
			checkRelease(t, r)
		}
	}
	if all[0] != all[1] {
		t.Errorf("the tree makes\n%s, a copy of it\n%s", all[0], all[1])
	}
}

// copyTree copies what git knows, or would, of a tree.
func copyTree(t *testing.T, root string) (to string) {
	t.Helper()
	list := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	list.Dir = root
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	to = t.TempDir()
	for name := range strings.SplitSeq(strings.TrimRight(string(out), "\x00"), "\x00") {
		if strings.HasPrefix(name, "testdata/") {
			continue
		}
		info, err := os.Stat(filepath.Join(root, name))
		if errors.Is(err, os.ErrNotExist) { // taken away, and git was not told
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(root, name))
		if err == nil {
			err = os.MkdirAll(filepath.Dir(filepath.Join(to, name)), 0o700)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(to, name), text, info.Mode().Perm())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return to
}

// checkRelease looks at what is there.
func checkRelease(t *testing.T, r *release) {
	t.Helper()
	name := filepath.Join(r.out, "troupe-1.2.3-linux-"+runtime.GOARCH)
	check := exec.Command("sha256sum", "-c", sumsFile)
	check.Dir = r.out
	if out, err := check.CombinedOutput(); err != nil || strings.Count(string(out), ": OK") != 2 {
		t.Errorf("%v: %s", err, out)
	}
	text, err := os.ReadFile(name + ".cdx.json")
	if err != nil {
		t.Fatal(err)
	}
	var b bom
	if err := json.Unmarshal(text, &b); err != nil {
		t.Fatal(err)
	}
	if b.Format != "CycloneDX" || b.Metadata.Component.Version != "v1.2.3" || !slices.ContainsFunc(b.Components, func(c component) bool {
		return c.Name == "github.com/tidwall/redcon" && c.Version[0] == 'v' && len(c.Licenses) == 1 && c.Licenses[0].License.ID == "MIT"
	}) {
		t.Errorf("the bill of materials says %s", text)
	}
	packed, err := os.ReadFile(name + ".tar.gz")
	if err != nil {
		t.Fatal(err)
	}
	files := unpack(t, packed)
	for _, want := range []string{"LICENSE", "deploy/licenses.txt", "deploy/systemd/troupe.service", "deploy/kubernetes/base/statefulset.yaml", "deploy/helm/Chart.yaml"} {
		if files[filepath.Base(name)+"/"+want] == nil {
			t.Errorf("%s is missing in the archive", want)
		}
	}
	program := filepath.Join(t.TempDir(), "troupe")
	if err := os.WriteFile(program, files[filepath.Base(name)+"/troupe"], 0o700); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(program, "version").CombinedOutput(); err != nil || !strings.Contains(string(out), "troupe 1.2.3 linux/") || !strings.Contains(string(out), r.commit) {
		t.Errorf("the program says %s, %v", out, err)
	}
}

func unpack(t *testing.T, packed []byte) (files map[string][]byte) {
	t.Helper()
	zipped, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	files = map[string][]byte{}
	for reader := tar.NewReader(zipped); ; {
		head, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if files[head.Name], err = io.ReadAll(reader); err != nil {
			t.Fatal(err)
		}
	}
}
