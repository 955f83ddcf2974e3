package main

import (
	"github.com/alecthomas/kong"

	"github.com/troupedb/troupe/cmd/troupe/cli"
)

// cliCmd is the client. Its options are read by a parser of their own, for they
// have the letters of redis-cli, where -h is the host.
type cliCmd struct {
	Words []string `arg:"" optional:"" name:"options and command" help:"See troupe cli --help."`
}

// cliLine is its command line.
type cliLine struct {
	cli.Options
	Help bool `help:"Show this."`
}

// Run converses with a server.
func (c *cliCmd) Run(p process) error {
	line := &cliLine{}
	parser, err := kong.New(line, kong.Name("troupe cli"), kong.NoDefaultHelp(), kong.Description(line.Options.Help()),
		kong.Writers(p.out, p.log), kong.WithHyphenPrefixedParameters(true))
	if err != nil {
		return err
	}
	ctx, err := parser.Parse(c.Words)
	if err != nil {
		return usage(err)
	}
	if line.Help {
		return ctx.PrintUsage(false)
	}
	if code := cli.Run(&line.Options, cli.Process()); code != 0 {
		return exitCode(code)
	}
	return nil
}
