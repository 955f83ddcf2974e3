package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// licensesFile is what licensesCmd writes; the image carries it.
const licensesFile = "deploy/licenses.txt"

// licensesCmd writes the licences of what the server is built of.
type licensesCmd struct{}

// Run writes the file.
func (c *licensesCmd) Run(ctx context.Context) error {
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	text, err := licenses(ctx, root)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(root, licensesFile), text, 0o644)
}

// linked is a module whose code is in the server.
type linked struct{ Path, Version, Dir string }

// architectures are the processors that releases are made for, as Go calls them.
var architectures = []string{"amd64", "arm64"}

// linkedModules are those of the packages that ./cmd/troupe imports on any of some
// architectures, by path.
func linkedModules(ctx context.Context, root string, arches []string) ([]linked, error) {
	byPath := map[string]linked{}
	for _, arch := range arches {
		list := exec.CommandContext(ctx, "go", "list", "-deps", "-json=Module", "./cmd/troupe")
		list.Dir, list.Stderr = root, os.Stderr
		list.Env = append(os.Environ(), "GOOS=linux", "GOARCH="+arch, "CGO_ENABLED=0") // as a release is
		out, err := list.Output()
		if err != nil {
			return nil, fmt.Errorf("listing the modules for %s: %w", arch, err)
		}
		if err := addModules(byPath, out); err != nil {
			return nil, fmt.Errorf("reading the list of modules for %s: %w", arch, err)
		}
	}
	all := slices.Collect(maps.Values(byPath))
	slices.SortFunc(all, func(a, b linked) int { return strings.Compare(a.Path, b.Path) })
	return all, nil
}

// addModules adds the modules, but for the main one, of what go list has printed.
func addModules(byPath map[string]linked, list []byte) error {
	for decoder := json.NewDecoder(bytes.NewReader(list)); ; {
		var one struct {
			Module *struct {
				linked
				Main    bool
				Replace *linked
			}
		}
		if err := decoder.Decode(&one); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if m := one.Module; m != nil && !m.Main {
			if m.Replace != nil {
				m.Dir = m.Replace.Dir
			}
			byPath[m.Path] = m.linked
		}
	}
}

// kindsOfLicense tells licences by words of theirs; the first that fits is it.
var kindsOfLicense = []struct{ name, words string }{
	{"Apache-2.0", "Apache License"},
	{"MPL-2.0", "Mozilla Public License Version 2.0"},
	{"MIT", "Permission is hereby granted, free of charge"},
	{"BSD-3-Clause", "Neither the name"},
	{"BSD-3-Clause", "names of its contributors may"},
	{"BSD-2-Clause", "Redistribution and use in source and binary forms"},
	{"ISC", "Permission to use, copy, modify, and"},
	{"CC0-1.0", "CC0 1.0 Universal"},
	{"Unlicense", "This is free and unencumbered software"},
}

// licenses is the file: a table of the modules, then their texts, and Go's own.
func licenses(ctx context.Context, root string) ([]byte, error) {
	modules, err := linkedModules(ctx, root, architectures)
	if err != nil {
		return nil, err
	}
	goRoot, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("finding Go: %w", err)
	}
	modules = append([]linked{{Path: "Go's standard library and runtime", Dir: strings.TrimSpace(string(goRoot))}}, modules...)
	var table, texts bytes.Buffer
	fmt.Fprint(&table, "What the troupe binary is built of, beside Troupe itself, and under which licences.\nWritten by go run ./cmd/dev licenses.\n\n")
	for _, m := range modules {
		text, err := licenseText(m.Dir)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.Path, err)
		}
		kind := kindOfLicense(text)
		if kind == "" {
			return nil, fmt.Errorf("%s: its licence is not one of those that are known", m.Path)
		}
		title := strings.TrimSpace(m.Path + " " + m.Version)
		fmt.Fprintf(&table, "%-12s  %s\n", kind, title)
		fmt.Fprintf(&texts, "\n%s\n%s\n\n%s\n", strings.Repeat("=", 80), title, strings.TrimSpace(text))
	}
	return append(table.Bytes(), texts.Bytes()...), nil
}

// licensesOf are the licences of the modules of the program, by path; those of all
// architectures, which licensesFile has the texts of.
func licensesOf(ctx context.Context, root string) (map[string]string, error) {
	modules, err := linkedModules(ctx, root, architectures)
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

func kindOfLicense(text string) string {
	words := strings.Join(strings.Fields(text), " ")
	for _, kind := range kindsOfLicense {
		if strings.Contains(words, kind.words) {
			return kind.name
		}
	}
	return ""
}

// licenseText is the licence in a module's folder, with its notices.
func licenseText(dir string) (string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	text := ""
	for _, entry := range entries {
		name := strings.ToUpper(entry.Name())
		if entry.IsDir() || !(strings.HasPrefix(name, "LICENSE") || strings.HasPrefix(name, "LICENCE") || strings.HasPrefix(name, "COPYING") || strings.HasPrefix(name, "NOTICE")) {
			continue
		}
		part, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			return "", err
		}
		text += string(part) + "\n"
	}
	if text == "" {
		return "", errors.New("no licence in " + dir)
	}
	return strings.ReplaceAll(text, "\r\n", "\n"), nil
}
