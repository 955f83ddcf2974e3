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

func cliParser(line *cliLine, p process) (*kong.Kong, error) {
	return kong.New(line, kong.Name("troupe cli"), kong.NoDefaultHelp(), kong.Description(line.Options.Help()),
		kong.Writers(p.out, p.log), kong.WithHyphenPrefixedParameters(true))
}

// subCommands are all sub-commands, the client with the flags that its own parser
// reads.
func subCommands(parser *kong.Kong, p process) ([]*kong.Node, error) {
	client, err := cliParser(&cliLine{}, p)
	if err != nil {
		return nil, err
	}
	nodes := parser.Model.Leaves(true)
	for _, node := range nodes {
		if node.Name == "cli" {
			node.Flags, node.Detail = client.Model.Flags, client.Model.Help
		}
	}
	return nodes, nil
}

// Run converses with a server.
func (c *cliCmd) Run(p process) error {
	line := &cliLine{}
	parser, err := cliParser(line, p)
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
