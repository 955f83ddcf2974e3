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
	return "The package for Debian brings it. Else: " +
		"bash: source <(troupe completion bash), in ~/.bashrc. " +
		"zsh: source <(troupe completion zsh), in ~/.zshrc after compinit; or as the file _troupe in a folder of $fpath. " +
		"fish: troupe completion fish > ~/.config/fish/completions/troupe.fish"
}

// Run prints it.
func (c *completionCmd) Run(p process, parser *kong.Kong) error {
	nodes, err := subCommands(parser, p)
	if err != nil {
		return err
	}
	complete := map[string]func(io.Writer, []*kong.Node) error{"bash": completeBash, "zsh": completeZsh, "fish": completeFish}
	return complete[c.Shell](p.out, nodes)
}

// shownFlags are the flags that --help shows.
func shownFlags(node *kong.Node) []*kong.Flag {
	return slices.DeleteFunc(slices.Clone(node.Flags), func(f *kong.Flag) bool { return f.Hidden })
}

// fewWords are the words that a value may be, if they are few.
func fewWords(v *kong.Value, placeholder string) []string {
	if v.Enum != "" {
		return strings.Split(v.Enum, ",")
	}
	words := strings.Split(placeholder, "|")
	if len(words) < 2 || strings.ContainsAny(placeholder, " '.[]<>") {
		return nil
	}
	return words
}

// valued is what stands before a word that is one of a few: a command and a flag of
// it, or the command alone. Commands may have flags of one name with other words.
type valued struct {
	before string
	words  []string
}

func valuedOf(node *kong.Node) (all []valued) {
	for _, argument := range node.Positional {
		if words := fewWords(argument, ""); words != nil {
			all = append(all, valued{node.Name + " " + node.Name, words})
		}
	}
	for _, flag := range shownFlags(node) {
		if words := fewWords(flag.Value, flag.PlaceHolder); words != nil {
			all = append(all, valued{node.Name + " --" + flag.Name, words})
		}
	}
	return all
}

// completeBash writes a function for bash's complete -F. Without a command the flags
// are the server's. After a flag that has a few words, it is these; after any other
// that has a value, files.
func completeBash(out io.Writer, nodes []*kong.Node) error {
	var names, values, flags strings.Builder
	for _, node := range nodes {
		names.WriteString(" " + node.Name)
		for _, v := range valuedOf(node) {
			fmt.Fprintf(&values, "    '%s') COMPREPLY=($(compgen -W '%s' -- \"$word\")); return ;;\n", v.before, strings.Join(v.words, " "))
		}
		fmt.Fprintf(&flags, "    %s) flags='", node.Name)
		for _, flag := range shownFlags(node) {
			flags.WriteString(" --" + flag.Name)
		}
		flags.WriteString("' ;;\n")
	}
	// Bash takes --flag=word for three words.
	_, err := fmt.Fprintf(out, `_troupe() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=server flags=
  local names='%s'
  COMPREPLY=()
  if [ "$COMP_CWORD" -gt 1 ]; then
    case "$names " in *" ${COMP_WORDS[1]} "*) command=${COMP_WORDS[1]} ;; esac
    if [ "$before" = = ]; then before=${COMP_WORDS[COMP_CWORD-2]}; fi
    if [ "$word" = = ]; then word=; fi
  fi
  case "$command $before" in
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

// completeZsh writes a function of zsh's own completion, as a file that compinit
// loads, or that is read by source.
func completeZsh(out io.Writer, nodes []*kong.Node) error {
	var names, values, flags strings.Builder
	described := func(name, help string) string {
		return " " + quoted(name+":"+strings.ReplaceAll(help, `\`, `\\`), `'\''`)
	}
	for _, node := range nodes {
		names.WriteString(described(node.Name, node.Help))
		for _, v := range valuedOf(node) {
			fmt.Fprintf(&values, "    '%s') compadd -- %s; return ;;\n", v.before, strings.Join(v.words, " "))
		}
		fmt.Fprintf(&flags, "    %s) flags=(", node.Name)
		for _, flag := range shownFlags(node) {
			flags.WriteString(described("--"+flag.Name, flag.Help))
		}
		flags.WriteString(" ) ;;\n")
	}
	_, err := fmt.Fprintf(out, `#compdef troupe
_troupe() {
  local command=server before=${words[CURRENT-1]}
  local -a names flags
  names=(%s )
  if (( CURRENT > 2 && ${names[(I)${words[2]}:*]} )); then command=${words[2]}; fi
  if compset -P '--*='; then before=${IPREFIX%%=}; fi
  case "$command $before" in
%s  esac
  case $command in
%s  esac
  if [[ $PREFIX = -* ]]; then
    _describe -o flag flags
    return
  fi
  if (( CURRENT == 2 )); then _describe command names; fi
  _files
}
if [[ $funcstack[1] = _troupe ]]; then _troupe "$@"; else compdef _troupe troupe; fi
`, names.String(), values.String(), flags.String())
	return err
}

// completeFish writes a line for each command and flag.
func completeFish(out io.Writer, nodes []*kong.Node) error {
	var b, all strings.Builder
	quote := func(text string) string { return quoted(strings.ReplaceAll(text, `\`, `\\`), `\'`) }
	for _, node := range nodes {
		all.WriteString(" " + node.Name)
	}
	for _, node := range nodes {
		fmt.Fprintf(&b, "complete -c troupe -n __fish_use_subcommand -a %s -d %s\n", node.Name, quote(node.Help))
		when := "__fish_seen_subcommand_from " + node.Name
		if node.Name == "server" {
			when = "not __fish_seen_subcommand_from" + strings.Replace(all.String(), " server", "", 1)
		}
		for _, argument := range node.Positional {
			if words := fewWords(argument, ""); words != nil {
				fmt.Fprintf(&b, "complete -c troupe -n '%s' -f -a '%s'\n", when, strings.Join(words, " "))
			}
		}
		for _, flag := range shownFlags(node) {
			fmt.Fprintf(&b, "complete -c troupe -n '%s' -l %s -d %s", when, flag.Name, quote(flag.Help))
			if words := fewWords(flag.Value, flag.PlaceHolder); words != nil {
				fmt.Fprintf(&b, " -x -a '%s'", strings.Join(words, " "))
			} else if !flag.IsBool() {
				b.WriteString(" -r")
			}
			b.WriteString("\n")
		}
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// quoted puts a text in single quotes; quote stands for one in it.
func quoted(text, quote string) string { return "'" + strings.ReplaceAll(text, "'", quote) + "'" }
