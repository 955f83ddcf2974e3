package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
)

// abuseCmd runs the tests of abuse at the sizes that their comments name.
type abuseCmd struct {
	Tests string `name:"run" help:"Those whose names match, as go test takes it." default:"TestAbuse|TestSecrets" placeholder:"PATTERN"`
}

// Run runs them one after the other; each tells how the neighbour fared, and what
// memory it took.
func (c *abuseCmd) Run(ctx context.Context) error {
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	line := exec.CommandContext(ctx, "go", "test", "./cmd/troupe", "-run", c.Tests, "-count=1", "-parallel=1", "-v", "-timeout=30m")
	line.Dir, line.Stdout, line.Stderr = root, os.Stdout, os.Stderr
	line.Env = append(os.Environ(), "TROUPE_ABUSE=whole")
	if err := line.Run(); err != nil {
		return fmt.Errorf("tests of abuse: %w", err)
	}
	return nil
}
