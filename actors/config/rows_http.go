package config

import (
	"errors"
	"net"
	"net/url"
	"strconv"
)

// httpRows are about the HTTP port: see actors/web.
var httpRows = []Setting{
	{Name: "http", Kind: Text, When: AtStart, Group: groupHTTP, parse: single(parseHTTP),
		Help: "Port of HTTP, at the addresses of bind, or an address with a port; empty is none."},
	{Name: "http-tls", Kind: Bool, Default: "no", When: AtStart, Group: groupHTTP,
		Help: "Whether HTTP is spoken over TLS, with the certificates of the settings tls-…."},
	{Name: "http-allow-origin", Kind: Words, Group: groupHTTP, parse: parseOrigins,
		Help: "Web pages that may speak with the server besides its own: their origins, such as https://app.example, or *."},
	{Name: "http-max-body", Kind: Memory, Default: "16mb", Min: 1 << 10, Max: 1 << 30, Group: groupHTTP,
		Help: "The longest body of a request, and the longest message of a WebSocket."},
}

// parseHTTP reads where HTTP is spoken.
func parseHTTP(_ *Setting, word string) (string, error) {
	port := word
	switch word {
	case "", "0", "no", "off":
		return "", nil
	}
	if _, after, err := net.SplitHostPort(word); err == nil {
		port = after
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil {
		return "", errors.New("a port, or an address with a port")
	} else if n == 0 && port == word {
		return "", nil
	}
	return word, nil
}

// parseOrigins reads origins as browsers send them.
func parseOrigins(_ *Setting, words []string, _ string) (string, error) {
	for _, word := range words {
		at, err := url.Parse(word)
		isOne := err == nil && at.Scheme != "" && at.Host != "" && (at.Path == "" || at.Path == "/") && at.RawQuery == ""
		if word != "*" && !isOne {
			return "", errors.New("an origin is a scheme and a host, such as https://app.example, or *")
		}
	}
	return parseWords(nil, words, "")
}
