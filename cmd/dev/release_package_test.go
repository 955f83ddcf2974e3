package main

import (
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/troupedb/troupe/resp/redistest"
)

// A release bears its commit's name, so a tree that is another one is refused, but for
// the folder that releases are made in.
func TestReleaseOfCommit(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	git := func(words ...string) string {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=n", "-c", "user.email=n@example.com", "-c", "commit.gpgsign=false"}, words...)...)
		cmd.Dir = root
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %q: %v: %s", words, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r := &release{root: root, out: filepath.Join(root, "dist")}
	f := func(refused string) {
		t.Helper()
		err := r.readCommit(t.Context())
		switch {
		case refused == "" && (err != nil || r.commit != git("rev-parse", "HEAD")):
			t.Errorf("%q, %v", r.commit, err)
		case refused != "" && (err == nil || !strings.Contains(err.Error(), "not what its commit says") || !strings.Contains(err.Error(), refused)):
			t.Errorf("%v, want %q", err, refused)
		}
	}
	git("init", "-q")
	write("main.go", "package main\n")
	git("add", ".")
	git("commit", "-q", "-m", "first")
	f("")
	write("dist/SHA256SUMS", "of the release before\n")
	f("")
	write("more/new.go", "package more\n")
	f("?? more/new.go")
	git("add", "more")
	f("A  more/new.go")
	git("commit", "-q", "-m", "second")
	f("")
	write("main.go", "package other\n")
	f(" M main.go")
}

// debFiles are the files of the package, where Debian looks for what they are.
var debFiles = map[string]fs.FileMode{
	"etc/default/troupe":                              0o640, // it may hold a password
	"usr/bin/troupe":                                  0o755,
	"usr/lib/systemd/system/troupe.service":           0o644,
	"usr/lib/systemd/system/troupe.socket":            0o644,
	"usr/lib/sysusers.d/troupe.conf":                  0o644,
	"usr/lib/tmpfiles.d/troupe.conf":                  0o644,
	"usr/share/bash-completion/completions/troupe":    0o644,
	"usr/share/doc/troupe/copyright":                  0o644,
	"usr/share/doc/troupe/licenses.txt":               0o644,
	"usr/share/doc/troupe/sysctl.conf":                0o644,
	"usr/share/fish/vendor_completions.d/troupe.fish": 0o644,
	"usr/share/man/man1/troupe.1.gz":                  0o644,
	"usr/share/zsh/vendor-completions/_troupe":        0o644,
}

// The package for Debian, as Debian's own tools read it.
func TestPackage(t *testing.T) {
	t.Parallel()
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	ask := func(name string, words ...string) string {
		t.Helper()
		out, err := exec.Command(redistest.Program(t, name), words...).CombinedOutput()
		if err != nil {
			t.Fatalf("%s %q: %v\n%s", name, words, err, out)
		}
		return string(out)
	}
	if out, err := exec.Command("go", "run", nfpm, "--version").CombinedOutput(); err != nil {
		redistest.Lack(t, "nfpm cannot be had: %s", out)
	}
	r := &release{root: root, out: t.TempDir(), version: "1.2.3", commit: strings.Repeat("ab", 20), time: time.Unix(1_800_000_000, 0).UTC()}
	stage, arch := t.TempDir(), runtime.GOARCH
	if err := r.build(t.Context(), arch, built(stage, arch)); err != nil {
		t.Fatal(err)
	}
	if err := r.makeDeb(t.Context(), arch, stage); err != nil {
		t.Fatal(err)
	}
	deb, files, control := filepath.Join(r.out, fmt.Sprintf("troupe_1.2.3_%s.deb", arch)), t.TempDir(), t.TempDir()
	if got, want := ask("dpkg-deb", "--field", deb, "Package", "Version", "Architecture", "Depends"), "Package: troupe\nVersion: 1.2.3\nArchitecture: "+arch+"\nDepends: systemd\n"; got != want {
		t.Errorf("it says %s, want %s", got, want)
	}
	ask("dpkg-deb", "--extract", deb, files)
	ask("dpkg-deb", "--control", deb, control)
	checkDebFiles(t, files)
	checkDebControl(t, control)
	if out := ask(filepath.Join(files, "usr/bin/troupe"), "version"); !strings.HasPrefix(out, "troupe 1.2.3 linux/"+arch) {
		t.Errorf("the program says %s", out)
	}
}

func checkDebFiles(t *testing.T, root string) {
	t.Helper()
	found := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		name, mode := relative(root, path), info.Mode().Perm()
		want, known := debFiles[name]
		switch {
		case entry.IsDir() && mode != 0o755:
			t.Errorf("the folder %s has mode %o", name, mode)
		case !entry.IsDir() && !known:
			t.Errorf("nobody expects %s", name)
		case !entry.IsDir() && mode != want:
			t.Errorf("%s has mode %o, want %o", name, mode, want)
		}
		found[name] = true
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range debFiles {
		if !found[name] {
			t.Errorf("%s is missing", name)
		}
	}
	page, err := os.Open(filepath.Join(root, "usr/share/man/man1/troupe.1.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer page.Close()
	zipped, err := gzip.NewReader(page)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(zipped); err != nil || !strings.HasPrefix(string(text), ".TH TROUPE 1 ") || !zipped.ModTime.IsZero() {
		t.Errorf("the manual of %v begins %.40q, %v", zipped.ModTime, text, err)
	}
}

// checkDebControl looks at what dpkg itself does: it keeps settings, and runs scripts.
func checkDebControl(t *testing.T, dir string) {
	t.Helper()
	if text, err := os.ReadFile(filepath.Join(dir, "conffiles")); err != nil || string(text) != "/etc/default/troupe\n" {
		t.Errorf("settings that are kept: %q, %v", text, err)
	}
	for _, script := range []string{"postinst", "prerm", "postrm"} {
		if out, err := exec.Command("/bin/sh", "-n", filepath.Join(dir, script)).CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", script, err, out)
		}
	}
	// In a root that is not this machine's, nothing is asked of its systemd.
	tools := t.TempDir()
	for _, tool := range []string{"systemd-sysusers", "systemd-tmpfiles", "systemctl"} {
		if err := os.WriteFile(filepath.Join(tools, tool), []byte("#!/bin/sh\necho ${0##*/} $*\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	said := ""
	for _, call := range [][]string{{"postinst", "configure"}, {"prerm", "remove"}, {"postrm", "remove"}} {
		cmd := exec.Command("/bin/sh", filepath.Join(dir, call[0]), call[1])
		cmd.Env = []string{"PATH=" + tools, "DPKG_ROOT=/elsewhere"}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%q: %v: %s", call, err, out)
		}
		said += string(out)
	}
	if want := "systemd-sysusers --root=/elsewhere troupe.conf\nsystemd-tmpfiles --root=/elsewhere --create troupe.conf\n"; said != want {
		t.Errorf("the scripts call %s, want %s", said, want)
	}
}
