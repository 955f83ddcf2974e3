package main

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

// The list of licences is of the modules that the server is built of now, and each
// has one that is known.
func TestLicenses(t *testing.T) {
	t.Parallel()
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	want, err := licenses(context.Background(), root)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(root, licensesFile))
	if err != nil || string(got) != string(want) {
		t.Errorf("%s is not fresh (go run ./cmd/dev licenses): %v", licensesFile, err)
	}
}

// What any of the architectures is built of is in the list.
func TestLicensesOfArchitectures(t *testing.T) {
	t.Parallel()
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	kinds, err := licensesOf(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	of := map[string]bool{}
	for _, arch := range architectures {
		modules, err := linkedModules(t.Context(), root, []string{arch})
		if err != nil || len(modules) == 0 {
			t.Fatalf("%s: %d modules, %v", arch, len(modules), err)
		}
		for _, m := range modules {
			of[m.Path] = true
			if kinds[m.Path] == "" {
				t.Errorf("%s, of %s, is not in the list", m.Path, arch)
			}
		}
	}
	if len(kinds) != len(of) {
		t.Errorf("the list has %d modules, %d are linked", len(kinds), len(of))
	}
}
