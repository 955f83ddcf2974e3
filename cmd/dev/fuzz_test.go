package main

import (
	"slices"
	"testing"
)

// All fuzz functions are found, by the folders of their packages.
func TestFuzzTargets(t *testing.T) {
	t.Parallel()
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	all, err := fuzzTargets(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []fuzzTarget{{"resp", "FuzzDecode"}, {"session", "FuzzReader"}, {"keyspace/rdb", "FuzzFile"}} {
		if !slices.Contains(all, want) {
			t.Errorf("%s is not among %v", want, all)
		}
	}
	if !slices.IsSortedFunc(all, func(a, b fuzzTarget) int {
		if a.String() < b.String() {
			return -1
		}
		return 1
	}) {
		t.Errorf("not in order: %v", all)
	}
}

// What Go's fuzzer says last is what it has done.
func TestLastProgress(t *testing.T) {
	t.Parallel()
	f := func(out, want string) {
		t.Helper()
		if got := lastProgress([]byte(out)); got != want {
			t.Errorf("%q: %q, want %q", out, got, want)
		}
	}
	f("", "nothing")
	f("fuzz: elapsed: 3s, execs: 10 (3/sec), new interesting: 1 (total: 5)\nfuzz: elapsed: 6s, execs: 325017 (33452/sec), new interesting: 2 (total: 6)\n",
		"325017 executions, 6 inputs of interest, 2 of them new")
}
