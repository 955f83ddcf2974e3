// Command troupe is the server, and the tools that go with it: a sub-command a
// file. Without one it is the server.
//
// It owns the process: the command line, the log, signals and the exit code
// (0 after an orderly end, 1 after a failure, 2 for a tool that was asked for what
// it can't do, 70 when a mistake of the program has ended it, 130 when a second
// interrupt has).
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/alecthomas/kong"
)

// The exit codes.
const (
	exitFailure     = 1
	exitUsage       = 2   // of the tools for data directories
	exitBroken      = 70  // EX_SOFTWARE of sysexits.h
	exitInterrupted = 130 // as shells call the end by SIGINT
)

// commandLine is a field a sub-command.
type commandLine struct {
	Server      serverCmd      `cmd:"" default:"withargs" help:"Serve. This is what happens without a command."`
	Cli         cliCmd         `cmd:"" passthrough:"" help:"Converse with a server: run commands, watch queries. troupe cli --help lists its options."`
	Check       checkCmd       `cmd:"" help:"Verify a data directory, and repair it if asked to."`
	Import      importCmd      `cmd:"" help:"Read files of redis-server into a data directory."`
	Export      exportCmd      `cmd:"" help:"Write a data directory as a file for redis-server."`
	Healthcheck healthcheckCmd `cmd:"" help:"Ask a server whether it is well: the exit code tells."`
	Completion  completionCmd  `cmd:"" help:"Print what makes a shell complete commands and flags."`
	Man         manCmd         `cmd:"" help:"Print the manual page: troupe man | man -l -"`
	Settings    settingsCmd    `cmd:"" help:"List every setting, what it does here, and its environment variable."`
	Version     versionCmd     `cmd:"" help:"Print the version."`
}

// process is what a sub-command has of the process.
type process struct {
	args    []string
	environ []string
	in      io.Reader
	out     io.Writer
	log     io.Writer // what the tools for data directories say beside their answer
}

func main() {
	err := run(process{os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr})
	if code := exitCode(0); errors.As(err, &code) {
		os.Exit(int(code))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "troupe:", err)
		os.Exit(exitFailure)
	}
}

// exitCode is an end of the process about which all has been said.
type exitCode int

func (c exitCode) Error() string { return fmt.Sprintf("exit code %d", int(c)) }

func run(p process) error {
	line := &commandLine{}
	line.Server.Plugins = kong.Plugins{settingFlags()}
	parser, err := kong.New(line,
		kong.Name("troupe"),
		kong.Description("A reactive in-memory data-structure server for Redis and DiceDB clients."),
		kong.Bind(p),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true}))
	if err != nil {
		return err
	}
	ctx, err := parser.Parse(p.args)
	if err != nil && len(p.args) > 0 && slices.Contains(offline, p.args[0]) {
		return usage(err)
	}
	if err != nil {
		return err
	}
	return ctx.Run()
}
