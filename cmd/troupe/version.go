package main

import (
	"cmp"
	"fmt"
	"runtime"

	"github.com/troupedb/troupe/session"
)

// versionCmd prints what this program is.
type versionCmd struct{}

// Run prints one line.
func (*versionCmd) Run(p process) error {
	commit, modified := session.Revision()
	commit = cmp.Or(commit, "unknown")
	if modified {
		commit += ", modified"
	}
	_, err := fmt.Fprintf(p.out, "troupe %s %s/%s %s (commit %s)\n", session.Version, runtime.GOOS, runtime.GOARCH, runtime.Version(), commit)
	return err
}
