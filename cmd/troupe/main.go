// Command troupe is the server, and the tools that go with it.
package main

import (
	"flag"
	"net/http"
	_ "net/http/pprof"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"github.com/hashicorp/go-hclog"
	"github.com/troupedb/troupe/actors"
)

func main() {
	port := flag.Int("port", 7379, "")
	loops := flag.Int("loops", 0, "")
	shards := flag.Int("shards", runtime.GOMAXPROCS(0), "")
	pprof := flag.String("pprof", "", "")
	flag.String("save", "", "")
	flag.String("appendonly", "", "")
	flag.String("dir", "", "")
	flag.Parse()
	log := hclog.New(&hclog.LoggerOptions{Name: "troupe"})
	if *pprof != "" {
		go http.ListenAndServe(*pprof, nil)
	}
	s, err := actors.Start(actors.Options{Binds: []string{"127.0.0.1"}, Port: *port, Loops: *loops, Shards: *shards, Databases: 16, Clients: 10000, Log: log})
	if err != nil {
		log.Error("start", "error", err)
		os.Exit(1)
	}
	log.Info("ready", "port", *port)
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGTERM, syscall.SIGINT)
	select {
	case <-c:
	case b := <-s.Broken:
		log.Error("broken", "command", b.Command, "reason", b.Reason, "stack", string(b.Stack))
		os.Exit(70)
	}
	s.Close()
}
