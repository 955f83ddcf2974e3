package session

import (
	"fmt"
	"strings"
	"time"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/subscription/watch"
)

// Observe is OBSERVE: options, and a command with its arguments.
func (s *Session) Observe(argv [][]byte) resp.Reply {
	o, query, refusal := watchOptions(argv)
	switch {
	case refusal.IsError():
		return refusal
	case len(query) == 0:
		return resp.ErrArity("observe")
	}
	row, refusal := s.observable(query)
	if row == nil {
		return refusal
	}
	return s.watch(row, query[row.Words():], watchedBy{as: asObserve, options: o})
}

// watchOptions reads the options of a live query, which stand before the command,
// as its own words may look like anything. The rest is the command.
func watchOptions(argv [][]byte) (o watch.Options, query [][]byte, refusal resp.Reply) {
	for len(argv) > 0 && !refusal.IsError() {
		word, value := strings.ToUpper(string(argv[0])), []byte(nil)
		if len(argv) > 1 {
			value = argv[1]
		}
		switch word {
		case "EVERY":
			o.Every = true
			argv = argv[1:]
			continue
		case "DELTA":
			o.Delta = true
			argv = argv[1:]
			continue
		case "RESUME":
			o.Resume = string(value)
		case "MAXRATE":
			o.Rate, refusal = interval(word, value, watch.IntervalMin)
		case "PROGRESS":
			o.Progress, refusal = interval(word, value, watch.ProgressMin)
		default:
			return o, argv, resp.Nothing
		}
		argv = argv[min(2, len(argv)):]
	}
	return o, argv, refusal
}

// interval reads an option's number of milliseconds.
func interval(name string, text []byte, least time.Duration) (d time.Duration, refusal resp.Reply) {
	n, ok := command.ParseInt(text)
	if most := watch.IntervalMax.Milliseconds(); !ok || n < least.Milliseconds() || n > most {
		return 0, resp.Error(fmt.Sprintf("ERR %s must be between %d and %d milliseconds", name, least.Milliseconds(), most))
	}
	return time.Duration(n) * time.Millisecond, resp.Nothing
}
