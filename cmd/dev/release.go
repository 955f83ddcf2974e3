package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
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
	Arch    []string `default:"amd64,arm64" help:"Processors, as Go calls them."`
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

// readCommit takes what is released from git.
func (r *release) readCommit(ctx context.Context) error {
	git := exec.CommandContext(ctx, "git", "log", "-1", "--format=%H %ct")
	git.Dir, git.Stderr = r.root, os.Stderr
	out, err := git.Output()
	if err != nil {
		return fmt.Errorf("reading the commit: %w", err)
	}
	hash, seconds, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	at, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return fmt.Errorf("reading the commit: %w", err)
	}
	r.commit, r.time = hash, time.Unix(at, 0).UTC()
	return nil
}

func (r *release) make(ctx context.Context, arches []string, deb bool) error {
	if err := os.Mkdir(r.out, 0o755); err != nil {
		return fmt.Errorf("making the folder of the release: %w", err)
	}
	for _, arch := range arches {
		if err := r.makeFor(ctx, arch, deb); err != nil {
			return fmt.Errorf("%s: %w", arch, err)
		}
	}
	return writeSums(r.out)
}

// makeFor makes the files for one kind of processor.
func (r *release) makeFor(ctx context.Context, arch string, deb bool) error {
	stage, err := os.MkdirTemp("", "troupe-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(stage)
	program := filepath.Join(stage, "troupe")
	if err := r.build(ctx, arch, program); err != nil {
		return err
	}
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
	return r.makeDeb(ctx, arch, program)
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
func (r *release) makeDeb(ctx context.Context, arch, program string) error {
	stage, err := os.MkdirTemp("", "troupe-deb-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(stage)
	out, err := filepath.Abs(r.out)
	if err == nil {
		err = os.Chmod(stage, 0o755) // it stands for the root
	}
	if err != nil {
		return err
	}
	install := exec.CommandContext(ctx, filepath.Join(r.root, "deploy", "systemd", "install"), program)
	install.Env = append(os.Environ(), "DESTDIR="+stage)
	pack := exec.CommandContext(ctx, "go", "run", nfpm, "package", "--config", "deploy/debian/nfpm.yaml", "--packager", "deb", "--target", out)
	pack.Dir = r.root
	pack.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "VERSION="+r.version, "ARCH="+arch, "STAGE="+stage,
		"SOURCE_DATE_EPOCH="+strconv.FormatInt(r.time.Unix(), 10))
	for _, command := range []*exec.Cmd{install, pack} {
		command.Stderr = os.Stderr
		if err := command.Run(); err != nil {
			return fmt.Errorf("%s: %w", command.Args, err)
		}
	}
	return nil
}

// licensesOf are the licences of the modules of the program, by path.
func licensesOf(ctx context.Context, root string) (map[string]string, error) {
	modules, err := linkedModules(ctx, root)
	if err != nil {
		return nil, err
	}
	kinds := map[string]string{}
	for _, m := range modules {
		text, err := licenseText(m.Dir)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.Path, err)
		}
		kinds[m.Path] = cmp.Or(kindOfLicense(text), "NOASSERTION")
	}
	return kinds, nil
}
