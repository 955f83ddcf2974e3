package admin

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/session"
)

// What the commands tell, made from numbers that are given.

func TestSpikes(t *testing.T) {
	t.Parallel()
	var s spikes
	for i := range int64(spikesMax + 10) {
		s.note("command", moment{1000 + i, 10})
	}
	s.note("command", moment{1000 + spikesMax + 9, 7}) // the same second, not as bad
	s.note("command", moment{1000 + spikesMax + 9, 30})
	h := s.history("command")
	if n := len(h.moments); n != spikesMax || h.moments[0].when != 1010 || h.moments[n-1].took != 30 || h.worst != 30 {
		t.Errorf("%d moments from second %d, the worst of %d ms", n, h.moments[0].when, h.worst)
	}
	if s.reset([]string{"Command"}) != 0 || s.reset([]string{"command"}) != 1 || len(s.names()) != 0 {
		t.Error("reset does not forget what it is told to")
	}
	s.add(&command.Meta{Flags: command.Fast}, int64(3*time.Millisecond))
	if names := s.names(); len(names) != 1 || names[0] != "fast-command" {
		t.Errorf("the events are %v", names)
	}
}

func TestDrawSpikes(t *testing.T) {
	t.Parallel()
	h := spikeHistory{[]moment{{100, 1}, {3600, 12}, {7100, 7}, {7195, 1}}, 20}
	want := "command - high 12 ms, low 1 ms (all time high 20 ms)\n" + strings.Repeat("-", 80) + "\n" +
		" #  \n" + " #_ \n" + " ## \n" + "_##_\n" + "\n" + "1115\n" + "hhms\n"
	if got := drawSpikes("command", h, 7200); got != want {
		t.Errorf("drawn is\n%s, want\n%s", got, want)
	}
}

func TestAgeText(t *testing.T) {
	t.Parallel()
	f := func(seconds int64, want string) {
		t.Helper()
		if got := ageText(seconds); got != want {
			t.Errorf("%d s is %s, want %s", seconds, got, want)
		}
	}
	f(0, "0s")
	f(59, "59s")
	f(60, "1m")
	f(7199, "1h")
	f(200_000, "2d")
}

func TestPercentile(t *testing.T) {
	t.Parallel()
	var stats session.CommandStats
	f := func(percent, want float64) {
		t.Helper()
		if got := percentile(&stats, percent); got != want {
			t.Errorf("p%v is %v µs, want %v", percent, got, want)
		}
	}
	f(50, 0)
	stats.Took[0].Store(50) // under 1.024 µs
	stats.Took[3].Store(50) // from 4.096 to 8.192 µs
	f(50, 1.024)
	f(25, 0.512)
	f(75, 6.144)
	f(100, 8.192)
}

func TestPace(t *testing.T) {
	t.Parallel()
	var p pace
	f := func(seconds float64, commands int64, want float64) {
		t.Helper()
		if got := p.look(int64(seconds*1e9), totals{commands: commands}).commands; got != want {
			t.Errorf("after %v s it is %v a second, want %v", seconds, got, want)
		}
	}
	f(2, 100, 50)    // since the start
	f(2.5, 200, 80)  // the last look is too young
	f(4, 300, 100)   // since second 2
	f(4.5, 400, 120) // still
	f(10, 900, 100)  // since second 4
	f(11.5, 0, 0)    // counters were reset
	f(12.5, 50, 50)  // since then
	f(13, 150, 100)  // since second 11
}

func TestSlowLogBounds(t *testing.T) {
	t.Parallel()
	l := slowLog{}
	l.limit("3")
	for i := range 5 {
		l.put(slowEntry{argv: []string{fmt.Sprint(i)}})
	}
	f := func(want string) {
		t.Helper()
		var got []string
		for _, e := range l.newest(-1) {
			got = append(got, fmt.Sprintf("%d%v", e.id, e.argv))
		}
		if text := strings.Join(got, " "); text != want {
			t.Errorf("it holds %s, want %s", text, want)
		}
	}
	f("4[4] 3[3] 2[2]")
	l.limit("many")
	f("4[4] 3[3] 2[2]")
	l.limit("1")
	f("4[4]")
	l.limit("0")
	l.put(slowEntry{})
	f("")
	l.limit("2")
	l.put(slowEntry{argv: []string{"x"}})
	f("6[x]")
}

func TestDiagnose(t *testing.T) {
	t.Parallel()
	const much = 100 << 20
	sound := memoryUse{goMemory: goMemory{objects: 10 << 20}, slabUsed: much, slabHeld: much, slabResident: much, peak: much}
	f := func(change func(p *patient), want string) {
		t.Helper()
		p := patient{memoryUse: sound, links: 10, machine: 100 * much}
		change(&p)
		if got := p.diagnose(); !strings.Contains(got, want) {
			t.Errorf("the diagnosis is %q, want %q", got, want)
		}
	}
	f(func(p *patient) { *p = patient{} }, "next to nothing")
	f(func(p *patient) { p.process.resident = much }, "Nothing is odd")
	f(func(p *patient) { p.peak = 3 * much }, "Far more memory was in use before than is now: 300 MB")
	f(func(p *patient) { p.gaps = much / 2 }, "gaps of 50 MB: many keys or elements were deleted here and there. CONFIG SET activedefrag yes")
	f(func(p *patient) { p.gaps, p.compacts = much/2, true }, "will be compacted soon")
	f(func(p *patient) { p.gaps, p.compacts, p.compacting = much/2, true, true }, "They are being compacted")
	f(func(p *patient) { p.gaps = 16 << 20 }, "Nothing is odd")
	f(func(p *patient) { p.spare = much / 2 }, "50 MB of pages are empty")
	f(func(p *patient) { p.free = much }, "Go's heap keeps 100 MB")
	f(func(p *patient) { p.pending = 3 }, "3 large values")
	f(func(p *patient) { p.early = much }, "100 MB are kept for the snapshot")
	f(func(p *patient) { p.clients = much }, "10 clients take 100 MB")
	f(func(p *patient) { p.watches = 100_000 }, "There are 100000 watches")
	f(func(p *patient) { p.process.resident = 99 * much }, "nearly all of the machine's memory")
}

func TestHumanBytes(t *testing.T) {
	t.Parallel()
	f := func(n int64, want string) {
		t.Helper()
		if got := humanBytes(n); got != want {
			t.Errorf("%d is %s, want %s", n, got, want)
		}
	}
	f(0, "0B")
	f(1023, "1023B")
	f(1536, "1.50K")
	f(25276502016, "23.54G")
	f(1<<60, "1024.00P")
}

func BenchmarkReadProcess(b *testing.B) {
	for range b.N {
		readProcess()
	}
}
