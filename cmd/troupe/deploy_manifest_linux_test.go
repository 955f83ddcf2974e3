package main_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"gopkg.in/yaml.v3"
)

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

var manifestTool struct {
	once sync.Once
	path string
	out  []byte
	err  error
}

// manifestProgram is the program that builds folders of deploy/kubernetes and charts.
func manifestProgram(t *testing.T) (path string) {
	t.Helper()
	m := &manifestTool
	m.once.Do(func() {
		program(t) // makes the folder for what is built
		m.path = filepath.Join(built.dir, "manifests")
		build := exec.Command("go", "build", "-o", m.path, ".")
		build.Dir = filepath.Join("..", "..", "testdata", "kubernetes")
		build.Env = append(os.Environ(), "GOFLAGS=-mod=mod -buildvcs=false", "GOWORK=off")
		m.out, m.err = build.CombinedOutput()
	})
	switch {
	case m.err == nil:
	case os.Getenv("TROUPE_CI") == "1":
		t.Fatalf("%v\n%s", m.err, m.out)
	default:
		t.Skipf("the types of Kubernetes cannot be built; are their modules to be had? %v\n%s", m.err, m.out)
	}
	return m.path
}

// manifests builds folders of deploy/kubernetes, or charts, and returns what is there as
// "Kind/name", less what is generated at the end of a ConfigMap's name.
func manifests(t *testing.T, folders ...string) map[string]object {
	t.Helper()
	out, err := exec.Command(manifestProgram(t), folders...).Output()
	if failed, ok := err.(*exec.ExitError); ok {
		t.Fatalf("%v: %s", folders, failed.Stderr)
	}
	var list []object
	if err == nil {
		err = yaml.Unmarshal(out, &list)
	}
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]object{}
	for _, o := range list {
		name := o.text("metadata", "name")
		if o.text("kind") == "ConfigMap" {
			name, _, _ = strings.Cut(name, "-")
		}
		all[o.text("kind")+"/"+name] = o
	}
	return all
}

// overlay is a folder of deploy/kubernetes.
func overlay(name string) string { return filepath.Join("..", "..", "deploy", "kubernetes", name) }
