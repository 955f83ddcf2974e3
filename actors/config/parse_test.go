package config

import (
	"testing"
)

// Values as CONFIG SET takes them. What redis-server says to the same is
// compared in TestSetAsRedis.
func TestValues(t *testing.T) {
	t.Parallel()
	f := func(name, text, want string) {
		t.Helper()
		row := must(name)
		value, err := row.read(row.split(text), row.Default)
		if err != nil {
			value = "! " + err.Error()
		}
		if value != want {
			t.Errorf("%s %q: %q, want %q", name, text, value, want)
		}
	}
	f("port", "7000", "7000")
	f("port", "07000", "! argument couldn't be parsed into an integer")
	f("port", "70000", "! argument must be between 0 and 65535 inclusive")
	f("maxmemory", "0", "0")
	f("proto-max-bulk-len", "1MB", "1048576")
	f("proto-max-bulk-len", "2m", "2000000")
	f("proto-max-bulk-len", "1gB", "1073741824")
	f("proto-max-bulk-len", "1k", "! argument must be between 1048576 and 9223372036854775807 inclusive")
	f("proto-max-bulk-len", "1.5gb", "! argument must be a memory value")
	f("proto-max-bulk-len", "mb", "! argument must be between 1048576 and 9223372036854775807 inclusive")
	f("proto-max-bulk-len", "tb", "! argument must be a memory value")
	f("maxmemory", "", "0")
	f("maxmemory", "kb", "0")
	f("maxmemory-clients", "", "0")
	f("maxmemory-clients", "%", "! argument must be a memory or percent value")
	f("proto-max-bulk-len", "-", "! argument must be a memory value")
	f("proto-max-bulk-len", "+5mb", "! argument must be a memory value")
	f("proto-max-bulk-len", "99999999999gb", "! argument must be a memory value")
	f("maxmemory-clients", "10%", "10%")
	f("maxmemory-clients", "200%", "! percentage argument must be less or equal to 100")
	f("maxmemory-clients", "x", "! argument must be a memory or percent value")
	f("unixsocketperm", "700", "700")
	f("unixsocketperm", "888", "! argument couldn't be parsed as an octal number")
	f("unixsocketperm", "7777", "! argument must be between 0 and 777 inclusive")
	f("protected-mode", "NO", "no")
	f("protected-mode", "off", "! argument must be 'yes' or 'no'")
	f("logformat", "JSON", "json")
	f("logformat", "xml", "! argument(s) must be one of the following: text, json")
	f("shutdown-on-sigterm", "force now", "now force")
	f("shutdown-on-sigterm", "default", "default")
	f("shutdown-on-sigterm", "save", "save")
	f("bind", "127.0.0.1  -::1", "127.0.0.1 -::1")
	f("bind", "", "")
	f("save", "3600 1 60 0", "3600 1 60 0")
	f("save", "0 1", "! Invalid save parameters")
	f("client-output-buffer-limit", "pubsub 1mb 2 3", "normal 0 0 0 slave 268435456 67108864 60 pubsub 1048576 2 3")
	f("client-output-buffer-limit", "master 1 2 3", "! Invalid client class specified in buffer limit configuration.")
	f("notify-keyspace-events", "nmdK", "dnKm")
	f("notify-keyspace-events", "g$lshzxetdEn", "AEn")
	f("hz", "1000", "500")
	f("replicaof", "no one", "")
	f("replicaof", "", "! wrong number of arguments")
	f("latency-tracking-info-percentiles", "1 2.50 100", "1 2.5 100")
	f("oom-score-adj-values", "1 2", "! wrong number of arguments")
	f("appendfilename", "a/b", "! appendfilename can't be a path, just a filename")
	f("cluster-announce-hostname", "a_b", "! Hostnames may only contain alphanumeric characters, hyphens or dots")
}

// A default that its own parser would not give could not be asked for.
func TestDefaultsAreValues(t *testing.T) {
	t.Parallel()
	for _, row := range Table {
		if row.Kind == Directive || row.Name == "replicaof" { // "" is no one
			continue
		}
		value, err := row.read(row.split(row.Default), row.Default)
		if err != nil || value != row.Default {
			t.Errorf("%s: %q becomes %q, %v", row.Name, row.Default, value, err)
		}
		if (row.Role == Ignored || row.Role == Reserved) != (row.Why != "") {
			t.Errorf("%s: a reason is missing, or one too many: %q", row.Name, row.Why)
		}
		if row.Role != Ignored && row.Help == "" || row.Group == "" {
			t.Errorf("%s: help or group is missing", row.Name)
		}
	}
}

// What a line says is what it is read back as.
func TestLines(t *testing.T) {
	t.Parallel()
	f := func(name, value string, want ...string) {
		t.Helper()
		lines := must(name).lines(value)
		if len(lines) != len(want) {
			t.Fatalf("%s %q: %q, want %q", name, value, lines, want)
		}
		for i := range lines {
			if lines[i] != want[i] {
				t.Errorf("%s %q: %q, want %q", name, value, lines[i], want[i])
			}
		}
	}
	f("port", "7000", "port 7000")
	f("proto-max-bulk-len", "536870912", "proto-max-bulk-len 512mb")
	f("proto-max-bulk-len", "1048577", "proto-max-bulk-len 1048577")
	f("logfile", "", `logfile ""`)
	f("requirepass", "a \"b\"\n", `requirepass "a \"b\"\n"`)
	f("bind", "* -::*", "bind * -::*")
	f("bind", "", `bind ""`)
	f("save", "", `save ""`)
	f("save", "3600 1 60 100", "save 3600 1", "save 60 100")
	f("client-output-buffer-limit", "normal 0 0 0 slave 1024 0 1", "client-output-buffer-limit normal 0 0 0", "client-output-buffer-limit slave 1kb 0 1")
}

func TestOpenFiles(t *testing.T) {
	t.Parallel()
	f := func(table string, want int64, wantKnown bool) {
		t.Helper()
		if n, known := openFiles(table); n != want || known != wantKnown {
			t.Errorf("%q: %d %v, want %d %v", table, n, known, want, wantKnown)
		}
	}
	const head = "Limit                     Soft Limit           Hard Limit           Units     \n"
	f(head+"Max open files            1024                 1048576              files     \n", 1024, true)
	f(head+"Max open files            unlimited            unlimited            files     \n", 0, false)
	f(head, 0, false)
	f("Max open files", 0, false)
}
