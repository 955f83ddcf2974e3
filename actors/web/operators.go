package web

import (
	"io"
	"net/http"
	"net/http/pprof"
	"os"
	"strings"

	"github.com/troupedb/troupe/session/acl"
)

// allowed lets those ask who may run a command: what it is for is shown here in
// another form.
func (s *Server) allowed(command string, answer http.Handler) http.Handler {
	return only(http.MethodGet, func(w http.ResponseWriter, r *http.Request) {
		l := s.login(w, r)
		if l == nil {
			return
		}
		row := s.system.Server.Catalogue.Named(command)
		if row == nil {
			l.close()
			fail(w, http.StatusForbidden, "NOPERM the command "+command+" has been taken away")
			return
		}
		d := l.session.Denial(row, [][]byte{[]byte(command)})
		if d.Denies() {
			l.session.NoteDenial(&d, acl.TopLevel, row.Meta)
		}
		l.close()
		if d.Denies() {
			refuse(w, r, d.Refusal().Str())
			return
		}
		answer.ServeHTTP(w, r)
	})
}

// profiles answers /debug/pprof/.
func profiles(w http.ResponseWriter, r *http.Request) {
	switch strings.TrimPrefix(r.URL.Path, "/debug/pprof/") {
	case "cmdline":
		_, _ = io.WriteString(w, os.Args[0]) // flags may be passwords
	case "profile":
		pprof.Profile(w, r)
	case "symbol":
		pprof.Symbol(w, r)
	case "trace":
		pprof.Trace(w, r)
	default:
		pprof.Index(w, r)
	}
}
