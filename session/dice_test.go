package session

import (
	"testing"

	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/resp/dice"
)

// When the arguments of a raw command are all, and when more may come.
func TestRawIsWhole(t *testing.T) {
	t.Parallel()
	catalogue := &Catalogue{byName: map[string]*Command{}}
	for name, arity := range map[string]int{"GET": 2, "SET": -3, "PING": -1, "HSET": -4} {
		catalogue.byName[name] = &Command{Meta: &command.Meta{Name: name, Arity: arity}}
	}
	d := &diceLink{session: &Session{catalogue: catalogue}}
	f := func(name string, args, size int, want bool) {
		t.Helper()
		if got := d.isWhole([]byte(name), args, size); got != want {
			t.Errorf("%s with %d arguments in %d bytes: %v", name, args, size, got)
		}
	}
	f("PING", 0, 6, true)
	f("GET", 0, 5, false)
	f("GET", 1, 8, true)
	f("GET", 2, 8, true) // too many: nothing would make that right
	f("get", 1, 8, true)
	f("SET", 1, 8, false)
	f("SET", 2, 8, true)
	f("SET", 2, 1<<20, true) // one long argument: a cut just behind it is unlikely
	f("HSET", 3, 20, true)
	f("HSET", 21, 200, true) // in one packet
	f("HSET", 21, 5000, false)
	f("NOPE", 0, 6, true)
}

// One id from two machines is two clients; all ways to this machine are one.
func TestDiceHosts(t *testing.T) {
	t.Parallel()
	f := func(address, want string) {
		t.Helper()
		if got := hostOf(&Public{address: address}); got != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
	}
	f("127.0.0.1:5000", "local")
	f("127.0.0.2:5000", "local")
	f("[::1]:5000", "local")
	f("192.0.2.1:5000", "192.0.2.1")
	f("[2001:db8::1]:5000", "2001:db8::1")
	if got := hostOf(&Public{address: "/run/troupe.sock:0", unix: true}); got != "local" {
		t.Error(got)
	}
}

// Clients are kept as long as they have a link.
func TestDiceClients(t *testing.T) {
	t.Parallel()
	var c diceClients
	here, there := diceKey{"default", "local", "id"}, diceKey{"default", "192.0.2.1", "id"}
	first := c.enter(here)
	if second := c.enter(here); second != first {
		t.Error("one key, two clients")
	}
	if other := c.enter(there); other == first {
		t.Error("two hosts, one client")
	}
	c.exit(first)
	if c.enter(here) != first {
		t.Error("a client is gone though it has a link")
	}
	c.exit(first)
	c.exit(first)
	if len(c.byKey) != 1 || c.enter(here) == first {
		t.Error("a client lives on without a link")
	}
}

// The front gives way to the protocol of the first bytes, once.
func TestGreeting(t *testing.T) {
	t.Parallel()
	f := func(first string, want front) {
		t.Helper()
		none := &Catalogue{}
		s := &Session{server: &Server{dice: &diceServer{catalogues: map[dice.Protocol]*Catalogue{dice.Raw: none, dice.Framed: none}}}}
		s.front = (*greeting)(s)
		for n := range len(first) + 1 {
			s.front.Next([]byte(first[:n]), nil, &DefaultLimits)
		}
		switch front := s.front.(type) {
		case *diceLink:
			if wanted, ok := want.(*diceLink); !ok || front.protocol != wanted.protocol {
				t.Errorf("%q speaks %d", first, front.protocol)
			}
		case *Reader:
			if _, ok := want.(*Reader); !ok {
				t.Errorf("%q speaks RESP", first)
			}
		default:
			t.Errorf("%q speaks nothing", first)
		}
	}
	f("PING\r\n", &Reader{})
	f("*1\r\n", &Reader{})
	f("\nPING\r\n", &Reader{})
	f("\x00\x00\x00\x10", &diceLink{protocol: dice.Framed})
	f("\n\x09HANDSHAKE", &diceLink{protocol: dice.Raw})
}
