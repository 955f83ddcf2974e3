package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// fuzzCmd runs the tree's fuzz functions for long, one after the other.
type fuzzCmd struct {
	Minutes float64 `help:"How long each of them runs." default:"10"`
	Only    string  `name:"run" help:"Those alone of which \"package Name\" matches." default:"." placeholder:"PATTERN"`
}

// fuzzTarget is a fuzz function: the folder of its package, and its name.
type fuzzTarget struct{ Package, Name string }

// String is "package Name".
func (t fuzzTarget) String() string { return t.Package + " " + t.Name }

// Run runs them and prints what each has done. It fails if one has found something.
func (c *fuzzCmd) Run(ctx context.Context) error {
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	only, err := regexp.Compile(c.Only)
	if err != nil || c.Minutes <= 0 {
		return errors.Join(err, errors.New("--minutes takes a number above 0, --run a pattern"))
	}
	targets, err := fuzzTargets(root)
	if err != nil {
		return err
	}
	var failed []string
	for _, t := range targets {
		if !only.MatchString(t.String()) {
			continue
		}
		done, finds, err := fuzzOne(ctx, root, t, time.Duration(c.Minutes*float64(time.Minute)))
		if err != nil {
			return fmt.Errorf("%s: %w", t, err)
		}
		fmt.Printf("%-40s %s\n", t, done)
		if finds != "" {
			fmt.Println(finds)
			failed = append(failed, t.String())
		}
	}
	if len(failed) > 0 {
		return fmt.Errorf("%d fuzz functions have found something: %s", len(failed), strings.Join(failed, ", "))
	}
	return nil
}

var fuzzLine = regexp.MustCompile(`(?m)^func (Fuzz\w+)\(`)

// fuzzTargets finds the fuzz functions of a tree, by package.
func fuzzTargets(root string) (all []fuzzTarget, err error) {
	err = filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		dir, err := filepath.Rel(root, filepath.Dir(path))
		for _, m := range fuzzLine.FindAllSubmatch(text, -1) {
			all = append(all, fuzzTarget{dir, string(m[1])})
		}
		return err
	})
	slices.SortFunc(all, func(a, b fuzzTarget) int { return strings.Compare(a.String(), b.String()) })
	return all, err
}

// fuzzOne runs one, and tells how much it has done, and what it has found, if
// anything. What Go's fuzzer calls a failure, that its time was over, is none.
func fuzzOne(ctx context.Context, root string, t fuzzTarget, long time.Duration) (done, finds string, err error) {
	line := exec.CommandContext(ctx, "go", "test", "-run=^$", "-fuzz=^"+t.Name+"$", "-fuzztime="+long.String(), "-timeout=0", "./"+t.Package)
	line.Dir = root
	var out bytes.Buffer
	line.Stdout, line.Stderr = &out, &out
	err = line.Run()
	if ctx.Err() != nil {
		return "", "", ctx.Err()
	}
	done = lastProgress(out.Bytes())
	switch {
	case err == nil:
		return done, "", nil
	case bytes.Contains(out.Bytes(), []byte("Failing input")):
		return done, out.String(), nil
	case bytes.Contains(out.Bytes(), []byte("context deadline exceeded")):
		return done, "", nil
	}
	return done, "", fmt.Errorf("%w\n%s", err, out.Bytes())
}

var fuzzProgress = regexp.MustCompile(`execs: (\d+) .*new interesting: (\d+) \(total: (\d+)\)`)

// lastProgress is how much a fuzz function has done, by what it said last.
func lastProgress(out []byte) string {
	all := fuzzProgress.FindAllSubmatch(out, -1)
	if len(all) == 0 {
		return "nothing"
	}
	last := all[len(all)-1]
	return fmt.Sprintf("%s executions, %s inputs of interest, %s of them new", last[1], last[3], last[2])
}
