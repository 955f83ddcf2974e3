//go:build !linux

package transport

import "github.com/troupedb/troupe/session"

// New returns the transport that suits this system and config.
func New(config Config) (session.Transport, error) {
	return NewGoroutines(config), nil
}
