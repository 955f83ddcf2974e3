package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// releaseCmd makes what a release is made of. The same tree makes the same bytes,
// wherever it lies.
type releaseCmd struct {
	Version string   `arg:"" help:"What the release is called: 0.1.0."`
	Out     string   `default:"dist" help:"Folder for the files; it must not be there yet."`
	Arch    []string `default:"amd64,arm64" enum:"amd64,arm64" help:"Processors, as Go calls them: amd64, arm64."`
	Deb     bool     `default:"true" negatable:"" help:"Make packages for Debian, by nfpm, which is fetched."`
}

// Run makes the files.
func (c *releaseCmd) Run(ctx context.Context) error {
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	r := &release{root: root, out: c.Out, version: c.Version}
	if err := r.readCommit(ctx); err != nil {
		return err
	}
	return r.make(ctx, c.Arch, c.Deb)
}

// release is one that is being made.
type release struct {
	root, out       string
	version, commit string
	time            time.Time // of the commit: that of all files
}

// readCommit takes what is released from git. A tree that is not that of its commit
// is refused: what is built bears the commit's name.
func (r *release) readCommit(ctx context.Context) error {
	status := []string{"status", "--porcelain", "--untracked-files=all", "--"}
	changes, err := r.git(ctx, append(status, r.tree()...)...)
	if err != nil {
		return err
	}
	if changes != "" {
		return fmt.Errorf("this tree is not what its commit says, and a release is called after that; commit or put away:\n%s", changes)
	}
	line, err := r.git(ctx, "log", "-1", "--format=%H %ct")
	if err != nil {
		return err
	}
	hash, seconds, _ := strings.Cut(line, " ")
	at, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return fmt.Errorf("reading the commit: %w", err)
	}
	r.commit, r.time = hash, time.Unix(at, 0).UTC()
	return nil
}

// tree is the tree for git, without the folder that releases are made in.
func (r *release) tree() []string {
	out, err := filepath.Abs(r.out)
	if err != nil || !strings.HasPrefix(out, r.root+string(filepath.Separator)) {
		return []string{"."}
	}
	return []string{".", ":(exclude)" + relative(r.root, out)}
}

func (r *release) git(ctx context.Context, words ...string) (string, error) {
	git := exec.CommandContext(ctx, "git", words...)
	git.Dir, git.Stderr = r.root, os.Stderr
	out, err := git.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w", words[0], err)
	}
	return strings.TrimRight(string(out), "\n"), nil
}

func (r *release) make(ctx context.Context, arches []string, deb bool) error {
	if err := os.Mkdir(r.out, 0o755); err != nil {
		return fmt.Errorf("making the folder of the release: %w", err)
	}
	stage, err := os.MkdirTemp("", "troupe-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(stage)
	building := arches
	if deb && !slices.Contains(arches, runtime.GOARCH) {
		building = append(slices.Clone(arches), runtime.GOARCH) // it prints the manual and the completions of all
	}
	for _, arch := range building {
		if err := r.build(ctx, arch, built(stage, arch)); err != nil {
			return fmt.Errorf("building for %s: %w", arch, err)
		}
	}
	for _, arch := range arches {
		if err := r.makeFor(ctx, arch, stage, deb); err != nil {
			return fmt.Errorf("%s: %w", arch, err)
		}
	}
	return writeSums(r.out)
}

// built is where the program for a kind of processor is built.
func built(stage, arch string) string { return filepath.Join(stage, arch, "troupe") }

// makeFor makes the files for one kind of processor.
func (r *release) makeFor(ctx context.Context, arch, stage string, deb bool) error {
	program := built(stage, arch)
	name := filepath.Join(r.out, fmt.Sprintf("troupe-%s-linux-%s", r.version, arch))
	if err := r.pack(name+".tar.gz", program); err != nil {
		return err
	}
	if err := r.writeSBOM(ctx, name+".cdx.json", program); err != nil {
		return err
	}
	if !deb {
		return nil
	}
	return r.makeDeb(ctx, arch, stage)
}

// build builds the program by the line of the Dockerfile, so that the image and the
// archives hold the same.
func (r *release) build(ctx context.Context, arch, program string) error {
	text, err := os.ReadFile(filepath.Join(r.root, "deploy", "Dockerfile"))
	if err != nil {
		return err
	}
	words, err := buildWords(string(text), map[string]string{"${VERSION}": r.version, "${COMMIT}": r.commit, "/out/troupe": program})
	if err != nil {
		return err
	}
	at := slices.Index(words, "go")
	build := exec.CommandContext(ctx, "go", words[at+1:]...)
	build.Dir, build.Stderr = r.root, os.Stderr
	build.Env = slices.Concat(os.Environ(), []string{"GOFLAGS=", "GOOS=linux", "GOARCH=" + arch}, words[:at])
	return build.Run()
}

// buildWords are the words of the line of a Dockerfile that calls go build, those in
// quotes as one.
func buildWords(dockerfile string, replace map[string]string) (words []string, err error) {
	for line := range strings.Lines(dockerfile) {
		command, found := strings.CutPrefix(strings.TrimSpace(line), "RUN ")
		if !found || !strings.Contains(command, " go build ") {
			continue
		}
		for from, to := range replace {
			command = strings.ReplaceAll(command, from, to)
		}
		for i, part := range strings.Split(command, `"`) {
			if i%2 == 1 {
				words = append(words, part)
			} else {
				words = append(words, strings.Fields(part)...)
			}
		}
		return words, nil
	}
	return nil, fmt.Errorf("the Dockerfile has no line with go build")
}

// nfpm makes packages for Debian.
const nfpm = "github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.43.4"

// makeDeb makes the package, of what the installation script puts in its places.
func (r *release) makeDeb(ctx context.Context, arch, stage string) error {
	tree := filepath.Join(stage, arch, "root")
	out, err := filepath.Abs(r.out)
	if err == nil {
		err = os.Mkdir(tree, 0o755)
	}
	if err != nil {
		return err
	}
	install := exec.CommandContext(ctx, filepath.Join(r.root, "deploy", "systemd", "install"), built(stage, arch), built(stage, runtime.GOARCH))
	install.Env = append(os.Environ(), "DESTDIR="+tree)
	pack := exec.CommandContext(ctx, "go", "run", nfpm, "package", "--config", "deploy/debian/nfpm.yaml", "--packager", "deb", "--target", out)
	pack.Dir = r.root
	pack.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "VERSION="+r.version, "ARCH="+arch, "STAGE="+tree,
		"SOURCE_DATE_EPOCH="+strconv.FormatInt(r.time.Unix(), 10))
	for _, command := range []*exec.Cmd{install, pack} {
		command.Stderr = os.Stderr
		if err := command.Run(); err != nil {
			return fmt.Errorf("%s: %w", command.Args, err)
		}
	}
	return nil
}
