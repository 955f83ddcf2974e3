package main

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/troupedb/troupe/resp/transcript"
)

// diffCmd plays the transcripts of testdata to any server and prints what it answers otherwise: to see
// how another server, or another version of one, differs from Troupe.
type diffCmd struct {
	Addr       string        `arg:"" help:"The server: host:port, or the path of a unix socket. Its data is flushed before each transcript."`
	Files      []string      `arg:"" optional:"" help:"The transcripts to play; all of testdata if none is named."`
	Known      bool          `help:"Print the differences of testdata/differences.txt too."`
	AdvanceMax time.Duration `help:"Leave out transcripts that would wait longer at once." default:"1s"`
}

// Run plays and prints. It fails if there are differences.
func (c *diffCmd) Run() error {
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	dir := filepath.Join(root, "testdata")
	known, err := transcript.ReadKnown(filepath.Join(dir, "differences.txt"))
	if err != nil {
		return err
	}
	files := c.Files
	if len(files) == 0 {
		if files, err = transcriptFiles(dir); err != nil {
			return err
		}
	}
	hidden := map[string]bool{}
	for _, k := range known {
		hidden[k.Transcript+" "+k.Step] = !c.Known
	}
	found := 0
	for _, path := range files {
		full, err := filepath.Abs(path)
		if err != nil {
			return err
		}
		n, err := c.diff(full, relative(dir, full), hidden)
		if err != nil {
			return err
		}
		found += n
	}
	if found > 0 {
		return fmt.Errorf("%d differences", found)
	}
	return nil
}

func transcriptFiles(dir string) (files []string, err error) {
	err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && filepath.Dir(path) != dir && filepath.Ext(path) == ".txt" {
			files = append(files, path)
		}
		return err
	})
	return files, err
}

// diff plays one transcript in both protocols, unless it needs a server of its own kind.
func (c *diffCmd) diff(path, name string, hidden map[string]bool) (found int, err error) {
	script, err := transcript.ReadFile(path)
	if err != nil || c.isLeftOut(script) {
		return 0, err
	}
	protocols := []int{2, 3}
	if script.Has(transcript.Wire) {
		protocols = protocols[:1]
	}
	for _, proto := range protocols {
		player, err := newPlayer(c.Addr, proto)
		if err != nil {
			return found, err
		}
		result, err := player.Play(script)
		if err != nil {
			fmt.Println(err)
			found++
		}
		if result == nil {
			continue
		}
		for _, d := range result.Differences {
			if !hidden[name+" "+d.Step.String()] {
				fmt.Printf("%s:%d: %s (RESP%d)\n%s", name, d.Step.Line, d.Step, proto, d.Text)
				found++
			}
		}
	}
	return found, nil
}

func (c *diffCmd) isLeftOut(script *transcript.Transcript) bool {
	if script.Has(transcript.Own) || script.Has(transcript.Config) {
		return true
	}
	for _, step := range script.Steps {
		if step.Verb != transcript.Advance {
			continue
		}
		if d, err := time.ParseDuration(strings.TrimSpace(step.Text)); err != nil || d > c.AdvanceMax {
			return true
		}
	}
	return false
}
