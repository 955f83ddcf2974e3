package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/troupedb/troupe/actors/config"
)

// Words after a flag are taken as redis-server takes them.
func TestFlags(t *testing.T) {
	t.Parallel()
	f := func(want string, args ...string) {
		t.Helper()
		line := &commandLine{}
		line.Server.Plugins = kong.Plugins{settingFlags()}
		parser, err := kong.New(line, kong.Name("troupe"))
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if _, err := parser.Parse(args); err != nil {
			got = "! " + err.Error()
		} else {
			for _, flag := range given(line.Server.Plugins[0]) {
				got += fmt.Sprintf("%s%q ", flag.Name, flag.Words)
			}
			got += line.Server.File
		}
		if got != want {
			t.Errorf("%q: %s, want %s", args, got, want)
		}
	}
	f("")
	f(`port["7000"] `, "--port", "7000")
	f(`port["7000"] `, "--port=7000")
	f(`port["7000"] `, "-p", "7000")
	f(`port["7000"] `, "-p7000")
	f(`port["7000"] port["7001"] `, "--port", "7000", "--port", "7001")
	f(`appendonly["no"] save[""] `, "--save", "", "--appendonly", "no")
	f(`bind["127.0.0.1" "-::1"] port["1"] `, "--bind", "127.0.0.1", "-::1", "--port", "1")
	f(`bind["* -::*"] `, "--bind=* -::*")
	f(`save["3600" "1"] save["60" "2"] `, "--save", "3600", "1", "--save", "60", "2")
	f(`single-threaded["yes"] `, "--single-threaded")
	f(`protected-mode["no"] single-threaded["yes"] `, "--protected-mode", "no", "--single-threaded")
	f(`protected-mode["off"] `, "--protected-mode=off")
	f(`slowlog-log-slower-than["-1"] `, "--slowlog-log-slower-than", "-1")
	f(`requirepass["--odd"] `, "--requirepass=--odd")
	f(`hash-max-ziplist-entries["5"] `, "--hash-max-ziplist-entries", "5")
	f(`single-threaded["yes"] my.conf`, "--single-threaded", "my.conf")
	f(`port["1"] my.conf`, "server", "my.conf", "--port", "1")
	f("-", "-")
	f("! --port: a value is missing", "--port")
}

// Help shows each setting that works, with its default and variable.
func TestHelp(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	line := &commandLine{}
	line.Server.Plugins = kong.Plugins{settingFlags()}
	parser, err := kong.New(line, kong.Name("troupe"), kong.Writers(&out, &out), kong.Exit(func(int) {}))
	if err != nil {
		t.Fatal(err)
	}
	_, _ = parser.Parse([]string{"server", "--help"}) // Exit returns, so it goes on to an error
	text := strings.Join(strings.Fields(out.String()), " ")
	for _, setting := range config.Table {
		shown := strings.Contains(text, "--"+setting.Name+"=")
		if want := setting.Role != config.Ignored && !setting.Hidden; shown != want {
			t.Errorf("%s: shown %v, want %v", setting.Name, shown, want)
		}
		if variable := setting.Variable(); shown && variable != "" && !strings.Contains(text, "$"+variable) {
			t.Errorf("%s: %s is not shown", setting.Name, variable)
		}
	}
	for _, want := range []string{"(default 7379, $TROUPE_PORT)", "(default 512mb, $TROUPE_PROTO_MAX_BULK_LEN)", "-p, --port=N"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing", want)
		}
	}
}

// The table is printed in full.
func TestSettingsTable(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := run(process{args: []string{"settings"}, out: &out}); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(out.String(), "\n"); lines != len(config.Table)+1 {
		t.Errorf("%d lines for %d settings", lines, len(config.Table))
	}
	for _, want := range []string{"TROUPE_PORT", "Nothing: the journal and its files are made in another way.", "Not supported yet: there is no cluster."} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing", want)
		}
	}
}
