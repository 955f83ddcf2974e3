package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// completionCmd prints what makes a shell complete troupe's commands and flags.
type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Help says how it is used.
func (*completionCmd) Help() string {
	return "bash: source <(troupe completion bash), in ~/.bashrc. " +
		"zsh: source <(troupe completion zsh), in ~/.zshrc after compinit. " +
		"fish: troupe completion fish > ~/.config/fish/completions/troupe.fish"
}

// Run prints it.
func (c *completionCmd) Run(p process, parser *kong.Kong) error {
	nodes := parser.Model.Leaves(true)
	switch c.Shell {
	case "fish":
		return completeFish(p.out, nodes)
	case "zsh":
		if _, err := fmt.Fprintln(p.out, "autoload -Uz bashcompinit && bashcompinit"); err != nil {
			return err
		}
	}
	return completeBash(p.out, nodes)
}

// shownFlags are the flags that --help shows.
func shownFlags(node *kong.Node) []*kong.Flag {
	return slices.DeleteFunc(slices.Clone(node.Flags), func(f *kong.Flag) bool { return f.Hidden })
}

// completeBash writes a function for bash's complete -F. Without a command the flags
// are the server's. After a flag that has a few words, it is these; after any other
// that has a value, files.
func completeBash(out io.Writer, nodes []*kong.Node) error {
	var names, values, flags strings.Builder
	for _, node := range nodes {
		names.WriteString(" " + node.Name)
		fmt.Fprintf(&flags, "    %s) flags='", node.Name)
		for _, flag := range shownFlags(node) {
			flags.WriteString(" --" + flag.Name)
			if words := flagWords(flag); words != "" {
				fmt.Fprintf(&values, "    --%s) COMPREPLY=($(compgen -W '%s' -- \"$word\")); return ;;\n", flag.Name, words)
			}
		}
		flags.WriteString("' ;;\n")
	}
	_, err := fmt.Fprintf(out, `_troupe() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=server flags=
  local names='%s'
  COMPREPLY=()
  if [ "$COMP_CWORD" -gt 1 ]; then
    case "$names " in *" ${COMP_WORDS[1]} "*) command=${COMP_WORDS[1]} ;; esac
  fi
  case $before in
%s  esac
  case $command in
%s  esac
  case $word in
    -*) COMPREPLY=($(compgen -W "$flags" -- "$word")) ;;
    *)
      if [ "$COMP_CWORD" = 1 ]; then COMPREPLY=($(compgen -W "$names" -- "$word")); fi
      COMPREPLY+=($(compgen -f -- "$word"))
      ;;
  esac
}
complete -o filenames -F _troupe troupe
`, names.String(), values.String(), flags.String())
	return err
}

// flagWords are the words that a flag may have, if they are few.
func flagWords(flag *kong.Flag) string {
	words := strings.Split(flag.PlaceHolder, "|")
	if len(words) < 2 || strings.ContainsAny(flag.PlaceHolder, " '.[]<>") {
		return ""
	}
	return strings.Join(words, " ")
}

// completeFish writes a line for each command and flag.
func completeFish(out io.Writer, nodes []*kong.Node) error {
	var b, all strings.Builder
	for _, node := range nodes {
		all.WriteString(" " + node.Name)
	}
	for _, node := range nodes {
		fmt.Fprintf(&b, "complete -c troupe -n __fish_use_subcommand -a %s -d %s\n", node.Name, fishQuote(node.Help))
		when := "__fish_seen_subcommand_from " + node.Name
		if node.Name == "server" {
			when = "not __fish_seen_subcommand_from" + strings.Replace(all.String(), " server", "", 1)
		}
		for _, flag := range shownFlags(node) {
			fmt.Fprintf(&b, "complete -c troupe -n '%s' -l %s -d %s", when, flag.Name, fishQuote(flag.Help))
			if words := flagWords(flag); words != "" {
				fmt.Fprintf(&b, " -x -a '%s'", words)
			}
			b.WriteString("\n")
		}
	}
	_, err := io.WriteString(out, b.String())
	return err
}

func fishQuote(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(text) + "'"
}
