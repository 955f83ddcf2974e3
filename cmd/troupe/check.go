package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/aof"
	"github.com/troupedb/troupe/keyspace/journal"
	"github.com/troupedb/troupe/keyspace/rdb"
)

// checkCmd verifies a data directory.
type checkCmd struct {
	Dir    string `arg:"" help:"The data directory."`
	Repair bool   `help:"Keep all that is certainly sound, and move the rest aside, into files whose names end in .aside. Nothing is removed."`
}

// Help is shown below the summary.
func (*checkCmd) Help() string {
	return "Reads the manifest, every record of the journal and every value of the snapshots, and says what is wrong at which offset. " +
		"Exit code: 0 all is well, or was made well; 1 there is damage; 2 it could not be looked at."
}

// Run checks, and repairs.
func (c *checkCmd) Run(p process) error {
	look := journal.Check
	if c.Repair {
		look = journal.Repair
	}
	found, err := look(journal.Disk, c.Dir)
	if err != nil && len(found.List) == 0 {
		return usage(fmt.Errorf("%s: %w", c.Dir, err))
	}
	e := &examination{out: p.out, dir: c.Dir, repaired: c.Repair && err == nil}
	e.journal(found)
	if err != nil {
		e.damage(c.Dir, err)
	}
	e.files(found.Manifest)
	if e.damaged {
		return exitCode(exitFailure)
	}
	fmt.Fprintln(p.out, "all is well")
	return nil
}

// examination says what is found in a directory.
type examination struct {
	out      io.Writer
	dir      string
	repaired bool
	damaged  bool
}

func (e *examination) damage(path string, what error) {
	e.damaged = true
	fmt.Fprintf(e.out, "damage: %s: %v\n", path, what)
}

// journal says what the journal's own files are.
func (e *examination) journal(found journal.Findings) {
	for _, f := range found.List {
		word := "damage"
		if f.Harmless {
			word = "harmless"
		}
		fmt.Fprintf(e.out, "%s: %s\n", word, filepath.Join(e.dir, f.String()))
	}
	var bytes, records int64
	for _, m := range found.Moved {
		fmt.Fprintf(e.out, "moved aside: %s: %d bytes, %d records\n", filepath.Join(e.dir, m.Name), m.Bytes, m.Records)
		bytes, records = bytes+m.Bytes, records+m.Records
	}
	if m := found.Manifest; m.Identity != (journal.Identity{}) {
		fmt.Fprintf(e.out, "journal: %d records in %d segments, up to version %d\n", found.Records, len(m.Segments), found.Last)
	}
	switch {
	case found.OK():
	case e.repaired:
		fmt.Fprintf(e.out, "repaired: a server starts with what is left; %d records in %d bytes were given up\n", records, bytes)
	default:
		e.damaged = true
		fmt.Fprintf(e.out, "to keep what is sound and move the rest aside: troupe check %s --repair\n", e.dir)
	}
}

// files reads what the files hold that have an inner form of their own: the base
// of the journal, or without a journal what a server would begin with; and the
// RDB file that SAVE has written.
func (e *examination) files(m journal.Manifest) {
	names := []string{"dump.rdb"}
	if m.Identity == (journal.Identity{}) {
		names = append(names, redisFiles.AppendDir+"/"+redisFiles.AppendFile+aof.ManifestSuffix, redisFiles.AppendFile)
	}
	if m.Snapshot.Name != "" {
		names = append(names, m.Snapshot.Name)
	}
	for _, name := range names {
		path := filepath.Join(e.dir, name)
		switch keys, commands, err := readThrough(os.DirFS(e.dir), name); {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			e.damage(path, err)
		default:
			fmt.Fprintf(e.out, "%s: %d keys, %d commands\n", path, keys, commands)
		}
	}
}

// readThrough reads files of Redis's formats to their end, and every value in
// them.
func readThrough(disk fs.FS, name string) (keys, commands int64, err error) {
	if _, err := fs.Stat(disk, name); err != nil {
		return 0, 0, err
	}
	source, err := aof.Open(disk, name)
	if err != nil {
		return 0, 0, err
	}
	defer source.Close()
	for {
		u, err := source.Next()
		switch {
		case errors.Is(err, io.EOF):
			return keys, commands, nil
		case err != nil:
			return keys, commands, err
		case u.Item.Kind == rdb.KeyItem:
			keys++
			err = readValue(&u.Item)
		}
		commands += int64(len(u.Commands))
		if err == nil {
			err = source.Err()
		}
		if err != nil {
			return keys, commands, err
		}
	}
}

// readValue decodes a value.
func readValue(item *rdb.Item) error {
	var d rdb.Decoder
	d.Reset(item.Raw)
	switch {
	case item.Elements != nil:
		for range item.Elements {
		}
	case item.Form.Type() == keyspace.Stream:
		if parts := d.Stream(item.Form); d.Err() == nil {
			for range parts.Entries {
			}
		}
	default:
		for range d.Elements(item.Form) {
		}
	}
	if err := d.Err(); err != nil && !errors.Is(err, rdb.ErrEmpty) {
		return item.Error(err)
	}
	return nil
}
