package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/troupedb/troupe/actors"
	"github.com/troupedb/troupe/keyspace/aof"
	"github.com/troupedb/troupe/keyspace/journal"
	"github.com/troupedb/troupe/keyspace/persist"
)

// importCmd reads files of redis-server into a data directory.
type importCmd struct {
	Files     []string `arg:"" name:"file" help:"RDB files, append-only files, append-only directories or data directories of redis-server, in the order of their age."`
	Dir       string   `required:"" help:"The data directory; it is made if it is missing."`
	Merge     bool     `help:"Keep what the directory holds; keys of the files take the place of those of the same names."`
	Databases int      `default:"16" help:"How many databases there may be."`
	Whole     bool     `help:"Refuse an append-only file whose end was not written whole. Without this, what is whole of it is read."`
}

// Help is shown below the summary.
func (*importCmd) Help() string {
	return "RDB files of versions 1 to 12, append-only files of any version. Of several files later ones win, key by key. " +
		"What is past its deadline is left out. If a file can't be read to its end, the directory stays as it was. " +
		"No server may use the directory meanwhile. Exit code: 0 imported, 1 not, 2 asked for what can't be done."
}

// Run imports.
func (c *importCmd) Run(p process) error {
	if c.Databases < 1 {
		return usage(errors.New("--databases takes a number from 1"))
	}
	var files []persist.Foreign
	for _, path := range c.Files {
		file, err := foreignAt(path)
		if err != nil {
			return usage(err)
		}
		files = append(files, file)
	}
	system, err := openOffline(c.Dir, c.Databases, actors.Storage{
		Import: files, Merge: c.Merge, Redis: persist.RedisFiles{Whole: c.Whole},
	}, p.log)
	if errors.Is(err, persist.ErrNotNew) {
		return fmt.Errorf("%w: to import into it: --merge", err)
	}
	if err != nil {
		return fmt.Errorf("nothing was imported: %w", err)
	}
	defer system.Close()
	return c.report(p, system)
}

// report says what was imported.
func (c *importCmd) report(p process, system *actors.System) error {
	sum := system.Store.Loaded()
	fmt.Fprintf(p.out, "files      %s\n", strings.Join(sum.Files, " "))
	fmt.Fprintf(p.out, "read       %d keys of snapshots, %d commands\n", sum.Keys, sum.Commands)
	if sum.Refused > 0 {
		fmt.Fprintf(p.out, "refused    %d commands, the first one: %s\n", sum.Refused, sum.Refusal)
	}
	fmt.Fprintf(p.out, "left out   %d keys past their deadline\n", sum.Ended)
	_, err := fmt.Fprintf(p.out, "in %s  %d keys\n", c.Dir, keysOf(system))
	return err
}

// foreignAt is what is to be read at a path. Of a data directory of redis-server
// that is its append-only file, or if it has none its RDB file.
func foreignAt(path string) (persist.Foreign, error) {
	info, err := os.Stat(path)
	if err != nil {
		return persist.Foreign{}, err
	}
	if !info.IsDir() {
		dir := filepath.Dir(path)
		return persist.Foreign{Disk: os.DirFS(dir), Name: filepath.Base(path), Dir: dir}, nil
	}
	f := persist.Foreign{Disk: os.DirFS(path), Name: ".", Dir: path}
	source, err := aof.Open(f.Disk, ".")
	if err == nil {
		source.Close()
		return f, nil
	}
	if !errors.Is(err, aof.ErrNoSource) {
		return f, fmt.Errorf("%s: %w", path, err)
	}
	for _, f.Name = range []string{"appendonly.aof", "dump.rdb"} {
		if _, missing := fs.Stat(f.Disk, f.Name); missing == nil {
			return f, nil
		}
	}
	if _, missing := fs.Stat(f.Disk, journal.ManifestName); missing == nil {
		return f, fmt.Errorf("%s is a directory of Troupe's own: troupe export writes it as a file that can be imported", path)
	}
	return f, fmt.Errorf("%s: %w", path, aof.ErrNoSource)
}
