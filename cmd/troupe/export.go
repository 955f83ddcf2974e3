package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/troupedb/troupe/actors"
	"github.com/troupedb/troupe/keyspace/persist"
)

// exportCmd writes a data directory as a file for redis-server.
type exportCmd struct {
	Dir       string `required:"" help:"The data directory, which stays as it is."`
	RDB       string `name:"rdb" xor:"file" placeholder:"FILE" help:"Write an RDB file."`
	AOF       string `name:"aof" xor:"file" placeholder:"FILE" help:"Write an append-only file of commands."`
	For       string `enum:"redis-7.0,redis-7.4" default:"redis-7.4" help:"The release that is to read it (redis-7.0 or redis-7.4, the default): for redis-7.0 the times to live of hashes' fields are left out."`
	Databases int    `default:"16" help:"How many databases there may be."`
}

// Help is shown below the summary.
func (*exportCmd) Help() string {
	return "redis-server 7.0 reads any RDB file that has no times to live of fields. No server may use the directory meanwhile. " +
		"Exit code: 0 written, 1 not, 2 asked for what can't be done."
}

// Run exports.
func (c *exportCmd) Run(p process) error {
	path, form := c.RDB, persist.Form{Commands: c.AOF != "", Untimed: c.For == "redis-7.0"}
	if form.Commands {
		path = c.AOF
	}
	switch _, err := os.Stat(c.Dir); {
	case path == "":
		return usage(errors.New("either --rdb FILE or --aof FILE is needed"))
	case c.Databases < 1:
		return usage(errors.New("--databases takes a number from 1"))
	case err != nil:
		return usage(err)
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	system, err := openOffline(c.Dir, c.Databases, actors.Storage{ReadOnly: true, Redis: redisFiles}, p.log)
	if err != nil {
		return err
	}
	defer system.Close()
	done, err := system.Store.Export(path, form)
	if err != nil {
		return err
	}
	return c.report(p, path, done)
}

// redisFiles are the names that redis-server's files have by default.
var redisFiles = persist.RedisFiles{AppendDir: "appendonlydir", AppendFile: "appendonly.aof"}

// report says what was written.
func (c *exportCmd) report(p process, path string, done persist.Exported) error {
	fmt.Fprintf(p.out, "%s: %d keys, %d bytes\n", path, done.Keys, done.Bytes)
	if done.Left > 0 {
		fmt.Fprintf(p.out, "left out: the times to live of %d fields of hashes, which redis-server 7.0 does not have\n", done.Left)
	}
	if done.Version > 10 {
		fmt.Fprintf(p.out, "the file is of version %d, which redis-server reads from 7.4 on, as fields of hashes have times to live; for an older one: --for redis-7.0\n", done.Version)
	}
	return nil
}
