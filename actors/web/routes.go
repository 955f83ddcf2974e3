package web

import (
	"net"
	"net/http"
	"net/netip"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/troupedb/troupe/resp"
)

// handler is all that the port answers.
func (s *Server) handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/command", only(http.MethodPost, s.command))
	mux.Handle("/watch", only(http.MethodGet, s.watch))
	mux.Handle("/ticket", only(http.MethodPost, s.ticket))
	mux.Handle("/livez", only(http.MethodGet, s.live))
	mux.Handle("/readyz", only(http.MethodGet, s.ready))
	mux.Handle("/metrics", s.allowed("INFO", s.metrics()))
	mux.Handle("/debug/pprof/", s.allowed("DEBUG", http.HandlerFunc(profiles)))
	console := s.console
	if console == nil {
		console = http.HandlerFunc(nothingHere)
	}
	mux.Handle("/", console)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer s.confess(r)
		if s.admits(w, r) {
			mux.ServeHTTP(w, r)
		}
	})
}

// confess logs the panic of a request, whose connection then ends. Other requests
// go on.
func (s *Server) confess(r *http.Request) {
	reason := recover()
	if reason == nil {
		return
	}
	if reason != http.ErrAbortHandler {
		s.log.Error("a request failed by a mistake of the program", "path", r.URL.Path, "reason", reason, "stack", string(debug.Stack()))
	}
	panic(http.ErrAbortHandler)
}

// only answers requests of one method.
func only(method string, answer http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == method {
			answer(w, r)
			return
		}
		w.Header().Set("Allow", method)
		fail(w, http.StatusMethodNotAllowed, "ERR this path is asked by "+method)
	})
}

func nothingHere(w http.ResponseWriter, _ *http.Request) {
	fail(w, http.StatusNotFound, "ERR there is nothing at this path")
}

// admits reports whether a request is let in, or answers it: those of pages of
// other origins, those that only look as if they came to this machine, all while the
// server stops, and those of connections beyond maxclients. Health may be asked always.
func (s *Server) admits(w http.ResponseWriter, r *http.Request) bool {
	header := w.Header()
	header.Set("X-Content-Type-Options", "nosniff")
	spare := isSpare(r)
	if spare {
		header.Set("Connection", "close")
	}
	if isHealth(r.URL.Path) {
		return true
	}
	switch {
	case spare:
		s.system.Server.Stats.Rejected.Add(1)
		fail(w, http.StatusServiceUnavailable, resp.ErrMaxClients.Str())
	case !s.origins.Load().allow(header, r):
		fail(w, http.StatusForbidden, "NOPERM pages of this origin are not let in, see http-allow-origin")
	case s.system.Server.Guarded() && !isThisMachine(r.Host):
		fail(w, http.StatusForbidden, "DENIED without a password this machine alone is served, and only by the name localhost or an address: see protected-mode")
	case s.leaving.Load():
		fail(w, http.StatusServiceUnavailable, errStopping)
	case r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "":
		w.WriteHeader(http.StatusNoContent)
	default:
		return true
	}
	return false
}

// isHealth tells the paths that anybody may ask at any time.
func isHealth(path string) bool { return path == "/livez" || path == "/readyz" }

// isThisMachine reports whether the host of a request is one that no stranger's
// name server can have made: a page of evil.example that is told that its own
// name now is 127.0.0.1 asks for the host evil.example.
func isThisMachine(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	_, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil || host == "localhost" || strings.HasSuffix(host, ".localhost")
}

// origins are the pages that may speak with the server besides its own.
type origins struct {
	all  bool
	some []string // "https://host:port"
}

func newOrigins(words []string) *origins {
	o := &origins{}
	for _, word := range words {
		o.all = o.all || word == "*"
		o.some = append(o.some, strings.ToLower(strings.TrimSuffix(word, "/")))
	}
	return o
}

// allow reports whether a request comes from a page that may ask, or from no page
// at all, and tells the browser so.
func (o *origins) allow(header http.Header, r *http.Request) bool {
	header.Add("Vary", "Origin")
	origin := strings.ToLower(r.Header.Get("Origin"))
	switch {
	case origin == "":
		return o.all || !isForeign(r.Header.Get("Sec-Fetch-Site"))
	case o.all, slices.Contains(o.some, origin):
		header.Set("Access-Control-Allow-Origin", r.Header.Get("Origin"))
		header.Set("Access-Control-Allow-Methods", "GET, POST")
		header.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, Last-Event-ID")
		header.Set("Access-Control-Max-Age", "600")
		return true
	}
	_, host, _ := strings.Cut(origin, "://")
	return host == strings.ToLower(r.Host)
}

// isForeign tells what a browser says of a request that another site's page has
// made, without an Origin, as for an image.
func isForeign(site string) bool { return site == "cross-site" || site == "same-site" }

// fail answers with an error, of Redis's form.
func fail(w http.ResponseWriter, status int, text string) {
	header := w.Header()
	header.Set("Content-Type", "application/json")
	header.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	w.Write(append(resp.AppendJSON(nil, resp.Error(text)), '\n')) // that it fails is the client's business
}

// refuse answers with the error that a command was answered with.
func refuse(w http.ResponseWriter, r *http.Request, text string) {
	status := statusOf(text)
	if status == http.StatusUnauthorized {
		challenge(w.Header(), r)
	}
	if status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "1")
	}
	fail(w, status, text)
}

// statusOf is the status that fits an error.
func statusOf(text string) int {
	code, _, _ := strings.Cut(text, " ")
	switch code {
	case "NOAUTH", "WRONGPASS":
		return http.StatusUnauthorized
	case "NOPERM", "DENIED", "READONLY":
		return http.StatusForbidden
	case "LOADING", "BUSY", "MISCONF", "OOM", "MASTERDOWN", "CLUSTERDOWN", "TRYAGAIN", "NOREPLICAS":
		return http.StatusServiceUnavailable
	}
	if text == resp.ErrMaxClients.Str() || text == errGone || text == errStopping {
		return http.StatusServiceUnavailable
	}
	return http.StatusBadRequest
}

// challenge says how to log in. A browser would ask its user for a password at
// once; that is for the pages that it shows, not for what their scripts ask.
func challenge(header http.Header, r *http.Request) {
	header.Add("WWW-Authenticate", `Bearer realm="troupe"`)
	if mode := r.Header.Get("Sec-Fetch-Mode"); mode == "" || mode == "navigate" {
		header.Add("WWW-Authenticate", `Basic realm="troupe", charset="UTF-8"`)
	}
}
