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
