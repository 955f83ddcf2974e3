package main

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/hashicorp/go-hclog"
	"github.com/troupedb/troupe/actors"
	"github.com/troupedb/troupe/keyspace"
)

// The tools for data directories that no server uses. They start the server's
// keyspace in this process, which listens nowhere.

// offline are the names of these tools.
var offline = []string{"check", "import", "export"}

// usage is the end of a tool that was asked for what it can't do.
func usage(err error) error {
	fmt.Fprintln(os.Stderr, "troupe:", err)
	return exitCode(exitUsage)
}

// openOffline starts a system that listens nowhere on a data directory. A signal
// while it reads has that given up.
func openOffline(dir string, databases int, storage actors.Storage, log io.Writer) (*actors.System, error) {
	signals, halt, started := make(chan os.Signal, 1), make(chan struct{}), make(chan struct{})
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	defer signal.Stop(signals)
	go func() {
		select {
		case <-signals:
			close(halt)
		case <-started:
		}
	}()
	defer close(started)
	storage.Journal, storage.FS = true, disk
	return actors.Start(actors.Options{
		Dir: dir, Databases: databases, Storage: storage, Halt: halt, Goroutines: true,
		Log: hclog.New(&hclog.LoggerOptions{Name: "troupe", Output: log, Level: hclog.Info}),
	})
}

// keysOf counts the keys of a system.
func keysOf(s *actors.System) (keys int) {
	s.Node.VisitEach(func(tx *keyspace.Tx) {
		tx.EachShard(func(sh *keyspace.Shard) {
			for db := range s.Node.Databases() {
				keys += sh.Keys(db)
			}
		})
	})
	return keys
}
