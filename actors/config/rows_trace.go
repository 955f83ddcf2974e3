package config

import (
	"errors"
	"net/url"
)

// traceRows are about OpenTelemetry: see actors/trace.
var traceRows = []Setting{
	{Name: "otlp-endpoint", Kind: Text, Group: groupTrace, parse: single(parseEndpoint),
		Help: "Collector of OpenTelemetry that is sent traces, by OTLP over HTTP: http://localhost:4318; empty is none."},
	{Name: "otlp-sample", Kind: Int, Default: "1000", Min: 1, Max: 1 << 40, Group: groupTrace,
		Help: "One of how many batches of commands is traced."},
}

func parseEndpoint(_ *Setting, word string) (string, error) {
	at, err := url.Parse(word)
	if word != "" && (err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https") {
		return "", errors.New("argument must be an address such as http://localhost:4318, or empty")
	}
	return word, nil
}
