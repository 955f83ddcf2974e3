package main

import (
	"fmt"
	"runtime"
)

// version is set when a release is built.
var version = "0.1.0"

// versionCmd prints what this program is.
type versionCmd struct{}

// Run prints one line.
func (*versionCmd) Run(p process) error {
	_, err := fmt.Fprintf(p.out, "troupe %s %s/%s %s\n", version, runtime.GOOS, runtime.GOARCH, runtime.Version())
	return err
}
