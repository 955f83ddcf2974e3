package web

import (
	"errors"
	"net/url"
)

// ParseWish makes the commands of a request to watch, for tests.
func ParseWish(query, last string) (commands [][][]byte, err error) {
	values, err := url.ParseQuery(query)
	if err != nil {
		return nil, errors.New("ERR " + err.Error())
	}
	w, err := parseWish(values, last)
	if err != nil {
		return nil, err
	}
	if len(w.queries) == 0 {
		return nil, errNoQuery
	}
	for i, q := range w.queries {
		commands = append(commands, observe(w.options, w.resume[i], q))
	}
	return commands, nil
}
