package transport

import (
	"testing"
	"time"
)

func TestPlaceLinkJoinsLoopsAtWork(t *testing.T) {
	t.Parallel()
	f := func(spread bool, want int, loads ...loopLoad) {
		t.Helper()
		if got := placeLink(loads, spread); got != want {
			t.Fatalf("placeLink(%v, %v) = %d, want %d", loads, spread, got, want)
		}
	}
	f(false, 0, loopLoad{}, loopLoad{})
	f(false, 0, loopLoad{links: 50}, loopLoad{})
	f(true, 1, loopLoad{links: 50}, loopLoad{})
	f(false, 1, loopLoad{}, loopLoad{links: 3})
	f(false, 2, loopLoad{links: 5}, loopLoad{}, loopLoad{links: 4})
	// A saturated loop gets no more links while another that works has room.
	f(false, 1, loopLoad{links: 5, busy: 0.95}, loopLoad{links: 9, busy: 0.4})
	f(false, 0, loopLoad{links: 5, busy: 0.95}, loopLoad{})
}

// windows feeds the same loads until a move comes, and says after how many.
func windows(self, most int, loads ...loopLoad) (int, loopMove) {
	var balance loopBalance
	for i := range most {
		if move, ok := balance.decide(self, balanceWindow, loads); ok {
			return i + 1, move
		}
	}
	return 0, loopMove{}
}

func TestBalanceDecides(t *testing.T) {
	t.Parallel()
	const most = 100
	f := func(what string, self, after int, want loopMove, loads ...loopLoad) {
		t.Helper()
		n, move := windows(self, most, loads...)
		if n != after || move != want {
			t.Fatalf("%s: after %d windows %+v, want after %d %+v", what, n, move, after, want)
		}
	}
	quiet := int(quietMin / balanceWindow)
	full := loopLoad{busy: 0.99, links: 10, active: 8}
	f("saturated, another idle", 0, saturatedMin, loopMove{1, 4}, full, loopLoad{})
	f("the idlest is chosen", 0, saturatedMin, loopMove{2, 4}, full, loopLoad{busy: 0.3}, loopLoad{busy: 0.1})
	f("one link cannot be split", 0, 0, loopMove{}, loopLoad{busy: 1, links: 10, active: 1}, loopLoad{})
	f("nobody has time", 0, 0, loopMove{}, full, loopLoad{busy: 0.6, links: 4})
	f("busy but not saturated", 0, 0, loopMove{}, loopLoad{busy: 0.85, links: 10, active: 8}, loopLoad{})
	f("two fit one", 1, quiet, loopMove{0, 7}, loopLoad{busy: 0.2, links: 5}, loopLoad{busy: 0.2, links: 7})
	f("the lower of two stays", 0, 0, loopMove{}, loopLoad{busy: 0.2, links: 5}, loopLoad{busy: 0.2, links: 7})
	f("two do not fit one", 1, 0, loopMove{}, loopLoad{busy: 0.4, links: 5}, loopLoad{busy: 0.2, links: 7})
	f("an empty loop is not merged into", 1, 0, loopMove{}, loopLoad{}, loopLoad{busy: 0.2, links: 7})
	f("nothing to merge", 1, 0, loopMove{}, loopLoad{busy: 0.1, links: 1}, loopLoad{})
}

// A short lull neither merges nor forgets that it has to last.
func TestBalanceIsPatient(t *testing.T) {
	t.Parallel()
	var balance loopBalance
	calm := []loopLoad{{busy: 0.1, links: 5}, {busy: 0.1, links: 5}}
	busy := []loopLoad{{busy: 0.5, links: 5}, {busy: 0.5, links: 5}}
	half := int(quietMin/balanceWindow) - 1
	for round := range 3 {
		for range half {
			if move, ok := balance.decide(1, balanceWindow, calm); ok {
				t.Fatalf("round %d: merged too early: %+v", round, move)
			}
		}
		balance.decide(1, balanceWindow, busy)
	}
	// One long sleep is one long window.
	if _, ok := balance.decide(1, 10*time.Second, calm); !ok {
		t.Fatal("no merge after a long quiet window")
	}
	full := []loopLoad{{busy: 1, links: 5, active: 5}, {}}
	for range saturatedMin - 1 {
		balance.decide(0, balanceWindow, full)
	}
	balance.decide(0, balanceWindow, calm)
	if _, ok := balance.decide(0, balanceWindow, full); ok {
		t.Fatal("a lull in between did not count")
	}
}
