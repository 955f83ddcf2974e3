//go:build !linux

package transport

import "github.com/troupedb/troupe/session"

// New returns the transport that suits this system.
func New(config Config) (session.Transport, error) {
	return NewGoroutines(config), nil
}
