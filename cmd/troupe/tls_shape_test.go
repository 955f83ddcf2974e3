package main

import (
	"crypto/tls"
	"net"
	"testing"

	"github.com/troupedb/troupe/actors"
	"github.com/troupedb/troupe/resp/dice/dicetest"
	"github.com/troupedb/troupe/resp/tlstest"
	"github.com/troupedb/troupe/resp/transcript"
)

// What is true in the clear is true over TLS.

// overTLS makes a server listen for TLS alone, and says how to come to it.
func overTLS(s *server) dialer {
	s.tb.Helper()
	authority, err := tlstest.New()
	if err != nil {
		s.tb.Fatal(err)
	}
	own, err := authority.Pair("server")
	if err != nil {
		s.tb.Fatal(err)
	}
	s.SetTLS(&tls.Config{Certificates: []tls.Certificate{own}})
	if err := s.Listen(actors.Endpoints{TLSBinds: []string{"127.0.0.1"}}); err != nil {
		s.tb.Fatal(err)
	}
	at, trust := s.TLSAddresses()[0], &tls.Config{RootCAs: authority.Pool(), ServerName: "localhost"}
	return func(string) (net.Conn, error) { return tls.Dial("tcp", at, trust) }
}

func TestTranscriptsOverTLS(t *testing.T) {
	t.Parallel()
	for _, script := range transcripts(t) {
		if script.Name == "server/clients.txt" {
			continue // who finds no place is told nothing over TLS, as in Redis
		}
		t.Run(script.Name, func(t *testing.T) {
			t.Parallel()
			protos := protocols(script)
			result, err := playing{script, overTLS}.play(t, shape{2, false}, &transcript.Player{Proto: protos[len(protos)-1]})
			if err != nil {
				t.Error(err)
			}
			for _, d := range result.Differences {
				t.Errorf("%s:%d: %s\n%s", script.Name, d.Step.Line, d.Step, d.Text)
			}
		})
	}
}

// DiceDB's protocols are spoken on the port for TLS too.
func TestDiceOverTLS(t *testing.T) {
	t.Parallel()
	for _, raw := range []bool{false, true} {
		s := startServer(t, shape{2, raw})
		plain := s.diceClient(raw)
		plain.ask("PING") // it is accepted, before the port closes
		dial := overTLS(s)
		conn, err := dial("")
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		secure := &diceClient{t, dicetest.Conn{Conn: conn, Raw: raw}}
		for _, words := range [][]string{{"PING"}, {"SET", "k", "v"}, {"GET", "k"}, {"GET"}, {"NOSUCH"}} {
			secure.want(plain.ask(words...), words...)
		}
	}
}
