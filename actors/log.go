package actors

import (
	"context"
	"log/slog"

	"github.com/hashicorp/go-hclog"
)

// hclogHandler writes what protoactor logs by slog to our logger. Messages of
// actors may hold clients' data, so of them only the type is written.
type hclogHandler struct {
	log hclog.Logger
}

// Enabled is part of slog.Handler: protoactor's own chatter below a warning
// is of no use to an operator.
func (h hclogHandler) Enabled(_ context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn
}

// Handle is part of slog.Handler.
func (h hclogHandler) Handle(_ context.Context, r slog.Record) error {
	var pairs []any
	r.Attrs(func(a slog.Attr) bool {
		pairs = append(pairs, a.Key, printable(a))
		return true
	})
	level := hclog.Warn
	if r.Level >= slog.LevelError {
		level = hclog.Error
	}
	h.log.Log(level, r.Message, pairs...)
	return nil
}

// printable is an attribute's value, or its type where it may be a message.
func printable(a slog.Attr) any {
	switch a.Key {
	case "message", "msg", "sender":
		return typeName(a.Value.Any())
	}
	return a.Value.Any()
}

// WithAttrs and WithGroup are part of slog.Handler.
func (h hclogHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	var pairs []any
	for _, a := range attrs {
		pairs = append(pairs, a.Key, printable(a))
	}
	return hclogHandler{h.log.With(pairs...)}
}

// WithGroup is part of slog.Handler.
func (h hclogHandler) WithGroup(name string) slog.Handler {
	return hclogHandler{h.log.Named(name)}
}
