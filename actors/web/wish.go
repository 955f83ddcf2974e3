package web

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/session"
)

// wish is what a request to watch asks for: queries, and how to be told of them.
type wish struct {
	queries [][][]byte
	options [][]byte // words of OBSERVE
	resume  []string // a token for each query, "" for none
	visitor *session.Visitor
}

// queriesMax bounds the queries of one stream, as each of its events says where all
// of them stand.
const queriesMax = 64

// The parameters of GET /watch:
//
//	q         a query, words quoted as on redis-cli's command line; may be repeated
//	arg       a word of the one query, as it is; repeated
//	db        the database
//	every, delta, maxrate, progress   as the options of OBSERVE
//	resume    the last id that was seen, as in the header Last-Event-ID
//	ticket    who is asking, see POST /ticket
var wishParameters = map[string]bool{
	"q": true, "arg": true, "db": true, "every": true, "delta": true, "maxrate": true, "progress": true, "resume": true, "ticket": true,
}

// readWish reads a request to watch.
func (s *Server) readWish(r *http.Request) (*wish, error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, errors.New("ERR the parameters can't be read")
	}
	w, err := parseWish(values, r.Header.Get("Last-Event-ID"))
	if err != nil {
		return nil, err
	}
	db, err := s.database(values)
	if err != nil {
		return nil, err
	}
	if w.visitor, err = s.watcher(r, values); err != nil {
		return nil, err
	}
	w.visitor.Database = db
	return w, nil
}

func parseWish(values url.Values, last string) (*wish, error) {
	for name := range values {
		if !wishParameters[name] {
			return nil, errors.New("ERR there is no parameter " + name)
		}
	}
	w := &wish{}
	if err := w.readQueries(values); err != nil {
		return nil, err
	}
	if err := w.readOptions(values); err != nil {
		return nil, err
	}
	if last == "" {
		last = values.Get("resume")
	}
	w.resume = make([]string, len(w.queries))
	if last == "" {
		return w, nil
	}
	tokens := strings.Split(last, tokenMark)
	if len(tokens) != len(w.queries) {
		return nil, errors.New("ERR the id to resume from is not of these queries")
	}
	copy(w.resume, tokens)
	return w, nil
}

// tokenMark stands between the tokens of several queries in an id.
const tokenMark = ","

func (w *wish) readQueries(values url.Values) error {
	for _, line := range values["q"] {
		words, err := splitQuery(line)
		if err != nil {
			return err
		}
		w.queries = append(w.queries, words)
	}
	if args := values["arg"]; len(args) > 0 {
		var words [][]byte
		for _, arg := range args {
			words = append(words, []byte(arg))
		}
		w.queries = append(w.queries, words)
	}
	if len(w.queries) > queriesMax {
		return errors.New("ERR too many queries for one stream")
	}
	return nil
}

var errNoQuery = errors.New("ERR what is to be watched? Say it by q=GET%20key")

// splitQuery reads a query that is written as on a command line.
func splitQuery(line string) ([][]byte, error) {
	words, ok := resp.SplitLine([]byte(line))
	switch {
	case strings.IndexByte(line, 0) >= 0: // where SplitLine ends, as C does
		return nil, errors.New(`ERR a zero byte in a query: it is written "\x00", in quotes`)
	case !ok:
		return nil, errors.New("ERR unbalanced quotes in a query")
	case len(words) == 0:
		return nil, errors.New("ERR a query is empty")
	}
	return words, nil
}

func (w *wish) readOptions(values url.Values) error {
	for _, name := range []string{"every", "delta"} {
		switch is, err := flag(values, name); {
		case err != nil:
			return err
		case is:
			w.options = append(w.options, []byte(strings.ToUpper(name)))
		}
	}
	for _, name := range []string{"maxrate", "progress"} {
		if values.Has(name) {
			w.options = append(w.options, []byte(strings.ToUpper(name)), []byte(values.Get(name)))
		}
	}
	return nil
}

// observe is the command that watches a query.
func observe(options [][]byte, resume string, query [][]byte) [][]byte {
	argv := append([][]byte{[]byte("OBSERVE")}, options...)
	if resume != "" {
		argv = append(argv, []byte("RESUME"), []byte(resume))
	}
	return append(argv, query...)
}
