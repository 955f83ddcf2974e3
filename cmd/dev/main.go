// Command dev is the one tool of Troupe's developers: a sub-command a task, one file a sub-command.
//
// It owns no part of the server and is never shipped. It promises that what it measures can be measured
// again by anybody with this tree and redis-server: servers are started fresh on free loopback ports in
// a directory of their own, are stopped at the end, and nothing is left behind.
package main

import (
	"context"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"
)

// commands is the command line: a field a sub-command.
type commands struct {
	Bench    benchCmd    `cmd:"" help:"Measure Troupe beside redis-server: speed (the default), memory, gc."`
	Tidy     tidyCmd     `cmd:"" help:"Say where the tree leaves its own style."`
	New      newCmd      `cmd:"" help:"Write the skeleton of a command: new ZADD zset."`
	Duel     duelCmd     `cmd:"" help:"Ask Troupe and redis-server the same at random, until they differ."`
	Abuse    abuseCmd    `cmd:"" help:"Run the tests of abuse at full size: 50,000 links, 1 GB of replies, transactions of a million commands."`
	Fuzz     fuzzCmd     `cmd:"" help:"Run every fuzz function for some minutes, and say what each has done and found."`
	Licenses licensesCmd `cmd:"" help:"Write deploy/licenses.txt: every module that the server is built of, with its licence."`
	Release  releaseCmd  `cmd:"" help:"Make archives, packages, bills of materials and checksums of a release."`
	Crash    crashCmd    `cmd:"" help:"Kill the server in the middle of everything, again and again, and compare what is left with what it promised."`
	Soak     soakCmd     `cmd:"" help:"Have the server serve for long, with everything checked, killed and started again."`
	Commands commandsCmd `cmd:"" help:"Write the parts of the README that follow from the code: commands, differences, what is missing."`
	Record   recordCmd   `cmd:"" help:"Take down a conversation with a server as a transcript."`
	Diff     diffCmd     `cmd:"" help:"Play the transcripts of testdata to a server and print what it answers otherwise."`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	parser := newParser(kong.BindTo(ctx, (*context.Context)(nil)))
	line, err := parser.Parse(orHelp(os.Args[1:]))
	parser.FatalIfErrorf(err)
	line.FatalIfErrorf(line.Run())
}

func newParser(options ...kong.Option) *kong.Kong {
	return kong.Must(&commands{}, append(options,
		kong.Name("dev"),
		kong.Description("The tasks of Troupe's developers."),
		kong.Vars{"speedCommands": strings.Join(append(workloadNames(), "all"), ",")})...)
}

// orHelp asks for help where no task is named.
func orHelp(args []string) []string {
	if len(args) == 0 {
		return []string{"--help"}
	}
	return args
}
