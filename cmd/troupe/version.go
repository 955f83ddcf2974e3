package main

import (
	"fmt"
	"runtime"

	"github.com/troupedb/troupe/session"
)

// versionCmd prints what this program is.
type versionCmd struct{}

// Run prints one line.
func (*versionCmd) Run(p process) error {
	_, err := fmt.Fprintf(p.out, "troupe %s %s/%s %s\n", session.Version, runtime.GOOS, runtime.GOARCH, runtime.Version())
	return err
}
