package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/alecthomas/kong"
	"github.com/coreos/go-systemd/v22/daemon"
	"github.com/hashicorp/go-hclog"
	"github.com/troupedb/troupe/actors"
	"github.com/troupedb/troupe/actors/admin"
	"github.com/troupedb/troupe/actors/config"
	"github.com/troupedb/troupe/actors/trace"
	"github.com/troupedb/troupe/actors/web"
	"github.com/troupedb/troupe/actors/web/console"
	"github.com/troupedb/troupe/keyspace/journal"
	"github.com/troupedb/troupe/keyspace/persist"
	"github.com/troupedb/troupe/session"
)

// serverCmd serves until it is told to stop.
type serverCmd struct {
	Capacity string `short:"c" placeholder:"BYTES" help:"Be a cache of so much memory: maxmemory, and allkeys-lru unless a policy is given."`
	File     string `arg:"" optional:"" help:"File of settings in the form of redis.conf; - reads standard input."`
	kong.Plugins
}

// Help is shown below the summary.
func (*serverCmd) Help() string {
	return "Each setting is a flag, an environment variable and a line of the file; flags go before the environment, " +
		"that before the file. All settings of redis-server 7 are accepted as flags: `troupe settings` lists those " +
		"that have no effect here too."
}

// Run serves, here or in the background.
func (c *serverCmd) Run(p process) error {
	parent := theParent(p)
	err := c.run(p, parent)
	if code := exitCode(0); err != nil && !errors.As(err, &code) {
		parent.tell(err.Error())
	}
	return err
}

func (c *serverCmd) run(p process, parent *parent) error {
	sockets, err := takeSockets()
	if err != nil {
		return err
	}
	var read bytes.Buffer
	settings, err := config.Load(config.Sources{
		File: c.File, Stdin: io.TeeReader(p.in, &read), Environ: p.environ, Flags: given(c.Plugins[0]), Capacity: c.Capacity, Sockets: sockets.kinds(),
	})
	if err != nil {
		return err
	}
	stays := ""
	if settings.Bool("daemonize") && parent == nil {
		if stays = staysHere(settings, p, sockets); stays == "" {
			return background(p, settings, read.Bytes())
		}
	}
	logged, err := openLog(settings, p)
	if err != nil {
		return err
	}
	defer logged.close()
	r := &running{settings: settings, sockets: sockets, parent: parent, log: logged.Logger, notifier: newNotifier(p.environ, logged.Logger)}
	if stays != "" {
		r.log.Info("not in the background", "reason", stays)
	}
	if logged.isShown() {
		printBanner(p.out)
	}
	return r.serve()
}

// running is the process while it serves.
type running struct {
	settings *config.Config
	sockets  *sockets
	parent   *parent // nil: nobody waits for the server to serve
	log      hclog.Logger
	notifier notifier
	system   *actors.System
	early    atomic.Pointer[actors.System] // the system while it still loads
	guard    *watchdog                     // nil: nobody asked for one
	web      *web.Server
	traces   *trace.Exporter
	signals  chan os.Signal
	hangups  chan os.Signal // ask to read files again
}

func (r *running) serve() error {
	r.signals, r.hangups = make(chan os.Signal, 2), make(chan os.Signal, 1)
	signal.Notify(r.signals, syscall.SIGINT, syscall.SIGTERM)
	// The end of who reads the log is not ours; nor is that of the terminal, which
	// has files read again as anybody's SIGHUP does.
	signal.Ignore(syscall.SIGPIPE)
	signal.Notify(r.hangups, syscall.SIGHUP)
	for _, warning := range r.settings.Warnings() {
		r.log.Warn(warning)
	}
	switch err := r.start(); {
	case errors.Is(err, persist.ErrHalted):
		r.log.Info("stopped while loading")
		return nil
	case err != nil:
		return r.failed(err)
	}
	removePID := writePID(r.settings.Text("pidfile"), r.log)
	defer removePID()
	r.log.Info("started", "version", session.Version, "pid", os.Getpid(), "cores", r.system.Cores(),
		"threads", r.system.Loops(), "shards", r.system.Node.Len(), "commands", len(r.system.Server.Catalogue.List()),
		"capacity", r.capacity(), "file", r.settings.File(), "dir", r.settings.Text("dir"), "appendonly", r.settings.Text("appendonly"))
	r.suggestLimit()
	spareProcessor(r.system.Loops())
	if err := r.hasEndpoint(); err != nil {
		return r.failed(err)
	}
	r.log.Info("ready to accept connections", "addresses", strings.Join(r.system.Addresses(), " "),
		"tls", strings.Join(r.system.TLSAddresses(), " "), "http", strings.Join(r.web.Addresses(), " "))
	r.notifier.tell(r.readyStates()...)
	r.parent.tell(parentReady)
	r.guard = r.startWatchdog()
	defer r.guard.end()
	return r.wait()
}

// failed says why the server does not serve.
func (r *running) failed(why error) error {
	r.log.Error("not started", "error", why)
	r.parent.tell(why.Error())
	return exitCode(exitFailure)
}

// capacity is how much memory there is, as people write it, and what goes first
// when that is used up.
func (r *running) capacity() string {
	limit := r.settings.Text("maxmemory")
	if limit == "0" {
		return "unlimited"
	}
	return config.Named("maxmemory").Written(limit) + " " + r.settings.Text("maxmemory-policy")
}

// suggestLimit says what may be done where a container ends the server before it
// comes to its own limit.
func (r *running) suggestLimit() {
	container, limit := actors.ContainerMemory(), r.settings.Int("maxmemory")
	if container == 0 {
		return
	}
	if limit > container-container/20 { // resident memory may be a twentieth above the limit
		r.log.Warn("maxmemory is more than the container has room for: the server will be ended when that is used up; "+
			"try maxmemory 80%", "maxmemory", limit, "container", container)
	}
	if limit > 0 {
		return
	}
	r.log.Warn("the container's memory is limited and the server's is not: it will be ended when that is used up; "+
		"try maxmemory 80%, which refuses writes instead, with a maxmemory-policy for a cache", "container", container)
}

// start starts the system, which reads what is on disk. A signal meanwhile has that
// given up.
func (r *running) start() error {
	options, halt := assemble(r.settings, r.log), make(chan struct{})
	options.Supervisor = r.notifier.supervisor()
	r.web = web.New(r.settings, console.Handler())
	r.web.Inherit(r.sockets.web)
	r.web.Join(&options)
	r.traces = trace.New(r.settings)
	r.traces.Join(&options)
	options.Halt, options.Inherited = halt, r.sockets.links
	r.hearOf(&options)
	defer r.narrate(r.loading)()
	started := make(chan error, 1)
	go func() {
		var err error
		r.system, err = actors.Start(options)
		started <- err
	}()
	select {
	case err := <-started:
		return err
	case s := <-r.signals:
		r.log.Info("signal received while starting", "signal", s)
		defer func() { // it may have started by now
			select {
			case r.signals <- s:
			default: // others have come
			}
		}()
	}
	close(halt)
	select {
	case err := <-started:
		return err
	case <-time.After(haltPatience):
		r.log.Warn("the disk does not answer, it is not waited for")
	}
	return persist.ErrHalted
}

// hearOf has early set before the system loads.
func (r *running) hearOf(options *actors.Options) {
	ready := options.Ready
	options.Ready = func(system *actors.System) error {
		r.early.Store(system)
		return ready(system)
	}
}

// haltPatience is how long loading may take to be given up: as long as the disk
// takes for one call.
const haltPatience = 2 * time.Second

// spareProcessor lets one goroutine more run than there are event loops: a
// loop keeps its processor through the short sleeps of a busy server, and what
// is not done on a loop must not wait for it.
func spareProcessor(loops int) {
	if runtime.GOMAXPROCS(0) <= loops {
		runtime.GOMAXPROCS(loops + 1)
	}
}

// disk is where the data directory lies; nil is the machine's. Only a build for
// tests puts another one in its place: see failpoint.go.
var disk journal.FS

// assemble puts together what a server is made of.
func assemble(settings *config.Config, log hclog.Logger) actors.Options {
	options := settings.Options(log)
	options.Storage.FS = disk
	options.Process = true
	admin.New(settings).Join(&options)
	return options
}

// hasEndpoint fails if all addresses were such as may be missing.
func (r *running) hasEndpoint() error {
	if len(r.system.Addresses())+len(r.system.TLSAddresses()) > 0 {
		return nil
	}
	return errors.New("none of the addresses to listen on exists here")
}

// wait serves until there is a reason to stop.
func (r *running) wait() error {
	for {
		var how actors.Stop
		select {
		case s := <-r.signals:
			r.log.Info("signal received", "signal", s)
			how = r.stopBy(s)
		case <-r.hangups:
			r.reload()
			continue
		case how = <-r.system.Asked:
			r.log.Info("stop asked for by a client")
		case b := <-r.system.Broken:
			r.log.Error("a command failed by a mistake of the program, the server cannot go on",
				"command", b.Command, "reason", b.Reason, "stack", string(b.Stack))
			r.system.Drain(lastWords)
			return exitCode(exitBroken)
		}
		if r.mayStop(how) {
			return r.stop(how)
		}
	}
}

// reload reads certificates, users and the log level again.
func (r *running) reload() {
	r.notifier.tell(daemon.SdNotifyReloading, strings.TrimSpace(daemon.SdNotifyMonotonicUsec()))
	defer func() { r.notifier.tell(r.readyStates()...) }()
	if err := r.settings.Reload(); err != nil {
		r.log.Warn("not all files could be read again", "error", err)
		return
	}
	r.log.Info("files read again: certificates, users, the log level")
}

// mayStop writes the RDB file, if the stop does that: if it can't be written, the
// server goes on, as what it holds would be lost.
func (r *running) mayStop(how actors.Stop) bool {
	err := r.system.SaveAtEnd(how)
	if err == nil || how.Force {
		return true
	}
	r.log.Error("not stopped, as the RDB file could not be written (SHUTDOWN NOSAVE stops without it)", "error", err)
	if how.Refused != nil {
		how.Refused()
	}
	return false
}

// lastWords is how long replies may take to leave a server that is broken.
const lastWords = 100 * time.Millisecond

// stopBy is how the settings say that a signal stops the server.
func (r *running) stopBy(s os.Signal) (how actors.Stop) {
	name := "shutdown-on-sigterm"
	if s == syscall.SIGINT {
		name = "shutdown-on-sigint"
	}
	for _, word := range r.settings.Words(name) {
		how.Now = how.Now || word == "now"
		how.Save = how.Save || word == "save"
		how.NoSave = how.NoSave || word == "nosave"
	}
	return how
}

// stop ends the server in good order. Another SIGINT, from somebody at a
// terminal who insists, ends it at once; another SIGTERM, which a supervisor may
// send to be sure, does not.
func (r *running) stop(how actors.Stop) (err error) {
	go func() {
		for s := range r.signals {
			if s == syscall.SIGINT {
				r.log.Warn("stopped at once by a second signal", "signal", s)
				os.Exit(exitInterrupted)
			}
		}
	}()
	patience := time.Duration(r.settings.Int("shutdown-timeout")) * time.Second
	if how.Now {
		patience = 0
	}
	r.notifier.tell(daemon.SdNotifyStopping, status("stopping"), extend(patience+extension))
	defer r.narrate(func() (string, int64) { return leaving(r.system) })()
	r.web.Leave()
	drained := r.system.Drain(patience)
	r.web.Close()
	if !drained && !how.Now {
		r.log.Warn("links were cut off", "links", r.system.Server.Connected(), "after", patience)
	}
	if failed := r.system.SaveAtEnd(how); failed != nil {
		r.log.Error("not saved at the end", "error", failed)
		err = exitCode(exitFailure)
	}
	r.guard.end()
	if drained {
		r.system.Close()
	} else {
		r.system.CloseStore()
	}
	r.traces.Close()
	if r.system.Unwritten() {
		err = exitCode(exitFailure)
	}
	r.log.Info("stopped")
	return err
}

// writePID writes the process's number to the file, if one is named. Without
// it the server serves as well, so a failure is a warning.
func writePID(path string, log hclog.Logger) (remove func()) {
	if path == "" {
		return func() {}
	}
	if err := os.WriteFile(path, fmt.Appendf(nil, "%d\n", os.Getpid()), 0o644); err != nil {
		log.Warn("pidfile not written", "error", err)
		return func() {}
	}
	return func() { os.Remove(path) }
}
