// Package web is the server's HTTP port: commands by POST, live queries by
// server-sent events and WebSocket, health, metrics and profiles.
//
// It owns its listeners, its tickets and the links inside the process that it
// opens, one for each request that has commands. Such a link is a session like
// any other, with the address of the HTTP client: who may do what, what is
// refused while data are loaded or memory is full, what CLIENT LIST and the ACL
// log show, and how a live query is told to somebody slow, is all decided where
// it is for RESP.
//
// It promises that a password or a ticket is never logged, that a page of another
// origin gets nothing unless it was allowed, and that no client makes it keep
// more than one reply or frame.
package web

import (
	"context"
	"net"
	"net/http"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/troupedb/troupe/actors"
	"github.com/troupedb/troupe/session/transport"
)

// Settings is the configuration in force; actors/config keeps it. Any
// goroutine may ask.
type Settings interface {
	// Text and Int are the value of a setting that the program knows.
	Text(name string) string
	Int(name string) int64
	// Bool is the value of one that is yes or no, Words that of one of several words.
	Bool(name string) bool
	Words(name string) []string
	// OnChange calls f with a setting's value, now and whenever it changes.
	OnChange(name string, f func(value string))
}

// Server is the HTTP port of one system.
type Server struct {
	settings Settings
	console  http.Handler // of what is no path of ours; nil: there is nothing
	system   *actors.System
	log      hclog.Logger
	pipes    *transport.Pipes
	http     *http.Server
	given    []net.Listener // open already
	gates    []*gate
	origins  atomic.Pointer[origins]
	bodyMax  atomic.Int64
	open     atomic.Int64 // connections, without the spares
	spares   spares
	tickets  tickets

	leaving  atomic.Bool
	entering sync.Mutex      // held by whoever joins the group, and by Leave
	life     context.Context // ends when all is to end at once
	end      context.CancelFunc
	group    sync.WaitGroup // what net/http does not wait for
}

// New makes the HTTP port that the settings ask for. The console, which may be nil,
// answers what is asked for outside of its own paths.
func New(settings Settings, console http.Handler) *Server {
	s := &Server{settings: settings, console: console}
	s.life, s.end = context.WithCancel(context.Background())
	settings.OnChange("http-allow-origin", func(string) { s.origins.Store(newOrigins(settings.Words("http-allow-origin"))) })
	settings.OnChange("http-max-body", func(string) { s.bodyMax.Store(settings.Int("http-max-body")) })
	return s
}

// Inherit has listeners served that are open already, in place of the port that the
// settings name. It is called before Join.
func (s *Server) Inherit(given []net.Listener) { s.given = given }

// Join has the port opened with a system that is about to be started, if the
// settings ask for one, or it is open already: before its data are loaded, so that health can be asked.
func (s *Server) Join(o *actors.Options) {
	if s.settings.Text("http") == "" && len(s.given) == 0 {
		return
	}
	before := o.Ready
	o.Ready = func(system *actors.System) error {
		if before != nil {
			if err := before(system); err != nil {
				return err
			}
		}
		return s.start(system)
	}
}

// The bounds of requests. What takes longer is a client that does not mean it.
const (
	headerPatience = 10 * time.Second // for TLS's handshake and a request's head
	bodyPatience   = 60 * time.Second // for a request's body
	idlePatience   = 2 * time.Minute  // between requests
	headerBytesMax = 128 << 10        // a query may have 64 KB of words
)

func (s *Server) start(system *actors.System) error {
	s.system, s.log = system, system.Server.Log.Named("http")
	s.pipes = transport.NewPipes(transport.Config{FirstLoop: system.Loops(), Loops: runtime.GOMAXPROCS(0)})
	s.http = &http.Server{
		Handler: s.handler(), ReadHeaderTimeout: headerPatience, IdleTimeout: idlePatience, MaxHeaderBytes: headerBytesMax,
		ConnContext: markSpare,
		ErrorLog:    s.log.StandardLogger(&hclog.StandardLoggerOptions{ForceLevel: hclog.Debug}),
	}
	if s.settings.Bool("http-tls") {
		s.http.TLSConfig = s.tlsConfig()
	}
	if err := s.listen(); err != nil {
		s.Close()
		return err
	}
	return nil
}

// Addresses are where the port listens: "host:port".
func (s *Server) Addresses() (all []string) {
	for _, g := range s.gates {
		all = append(all, g.Addr().String())
	}
	return all
}

// Leave says that the server is about to stop: it is not ready any more, and
// commands and new watches are refused. What goes on ends with the links, see
// actors.System.Drain.
func (s *Server) Leave() {
	s.entering.Lock()
	s.leaving.Store(true)
	s.entering.Unlock()
	if s.http != nil {
		s.http.SetKeepAlivesEnabled(false)
	}
}

// enter has Close wait for a socket, until it calls s.group.Done; not once the server
// is about to stop.
func (s *Server) enter() bool {
	s.entering.Lock()
	defer s.entering.Unlock()
	if s.leaving.Load() {
		return false
	}
	s.group.Add(1)
	return true
}

// lastWords is how long the answers of requests whose links have ended may take to
// leave.
const lastWords = time.Second

// Close ends all that is still there. It must be called before the system's Close,
// and may be if the port was never opened.
func (s *Server) Close() {
	s.Leave()
	if s.http != nil {
		ctx, cancel := context.WithTimeout(context.Background(), lastWords)
		defer cancel()
		s.pipes.Close()
		s.shutdown(ctx)
	}
	s.end()
	s.group.Wait()
}

// shutdown waits for requests and sockets until the context ends.
func (s *Server) shutdown(ctx context.Context) {
	done := make(chan struct{})
	go func() {
		s.group.Wait()
		close(done)
	}()
	if s.http.Shutdown(ctx) != nil {
		s.http.Close()
	}
	select {
	case <-done:
	case <-ctx.Done():
	}
}
