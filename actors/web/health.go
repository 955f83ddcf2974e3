package web

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/troupedb/troupe/resp"
)

// live answers /livez: the process lives, whatever its load. Anybody may ask.
func (s *Server) live(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "ok\n") }

// ready answers /readyz: {"ready":true}, or 503 and why clients are better sent
// elsewhere for now. Anybody may ask.
func (s *Server) ready(w http.ResponseWriter, _ *http.Request) {
	reasons := s.unready()
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	if len(reasons) > 0 {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	json.NewEncoder(w).Encode(struct { // that it fails is the client's business
		Ready   bool     `json:"ready"`
		Reasons []string `json:"reasons,omitempty"`
	}{len(reasons) == 0, reasons})
}

// unready is why the server can't do all it is there for.
func (s *Server) unready() (reasons []string) {
	if s.leaving.Load() {
		reasons = append(reasons, "the server is stopping")
	}
	condition := s.system.Server.Condition()
	if condition.Loading.Kind() != resp.None {
		reasons = append(reasons, "data are being loaded"+s.progress())
	}
	if condition.Writes.Kind() != resp.None {
		reasons = append(reasons, "writes are refused: "+condition.Writes.Str())
	}
	if s.system.Store != nil {
		if trouble := s.system.Store.Status().Trouble; trouble != nil {
			reasons = append(reasons, "the disk fails: "+trouble.Error())
		}
	}
	return reasons
}

// progress is how far loading has come.
func (s *Server) progress() string {
	if s.system.Store == nil {
		return ""
	}
	p := s.system.Store.Loading()
	if p == nil || p.Total == 0 {
		return ""
	}
	return fmt.Sprintf(", %d %% of %d bytes so far", 100*p.Done/p.Total, p.Total)
}
