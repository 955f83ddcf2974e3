//go:build !linux

package session

// NewTransport returns the transport that suits this system and config.
func NewTransport(config TransportConfig) (Transport, error) {
	return NewGoroutines(config), nil
}
