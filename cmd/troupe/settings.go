package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/troupedb/troupe/actors/config"
)

// settingsCmd prints the table of settings.
type settingsCmd struct{}

// Run prints a line a setting.
func (*settingsCmd) Run(p process) error {
	table := tabwriter.NewWriter(p.out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(table, "SETTING\tDEFAULT\tCHANGED\tVARIABLE\tWHAT IT DOES")
	for _, s := range config.Table {
		fmt.Fprintf(table, "%s\t%q\t%s\t%s\t%s\n", s.Name, s.Written(s.Default), changedWhen(s), s.Variable(), doesWhat(s))
	}
	return table.Flush()
}

func changedWhen(s *config.Setting) string {
	switch s.When {
	case config.AtStart:
		return "at start"
	case config.Protected:
		return "protected"
	}
	return "any time"
}

func doesWhat(s *config.Setting) string {
	switch s.Role {
	case config.Ignored:
		return "Nothing: " + s.Why + "."
	case config.Reserved:
		return s.Help + " Not supported yet: " + s.Why + "."
	}
	return s.Help
}
