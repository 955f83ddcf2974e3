// Package console owns the page that a browser gets from the HTTP port: the
// server seen live, any query watched, and a leaderboard that is one.
//
// It is files that are part of the program, without a build step, and works
// without any other network than the way to the server. What it shows and may do
// is what its user may, by the port's other paths.
package console

import (
	"embed"
	"net/http"
)

//go:embed index.html console.css *.js
var files embed.FS

// policy lets the page load and ask nothing but this server.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
	"base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// Handler answers with the page and its files.
func Handler() http.Handler {
	server := http.FileServerFS(files)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Content-Security-Policy", policy)
		header.Set("Referrer-Policy", "no-referrer")
		header.Set("Cache-Control", "no-cache") // a newer server has newer files
		server.ServeHTTP(w, r)
	})
}
