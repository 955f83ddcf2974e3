package main

import (
	"strings"
	"testing"
)

func TestEmbedTable(t *testing.T) {
	t.Parallel()
	rounds := map[string][]embedFigures{}
	for i, store := range embedStores {
		rate := 4e6 / float64(i+1)
		f := embedFigures{Rate: rate, Nanos: 1e9 / rate, Bytes: 128, Allocs: 1, CPU: 300}
		rounds[store+"put"], rounds[store+"get"] = []embedFigures{f, f}, []embedFigures{f}
	}
	rounds["pebbleput"] = []embedFigures{{Rate: 5e6}}
	var out strings.Builder
	if err := printEmbed(&out, embedResults(rounds, 2)); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	f := func(line int, want string) {
		t.Helper()
		if got := strings.Join(strings.Fields(lines[line]), " "); got != want {
			t.Errorf("line %d is\n%s\nwant\n%s", line, got, want)
		}
	}
	f(1, "put 2 troupe 4000 (4000–4000) 250 300 128 1.00 miss badger≥1.00 pebble≥1.00!")
	f(5, "get 2 troupe 4000 (4000–4000) 250 300 128 1.00 ok badger≥1.00 pebble≥1.00")
	f(7, "get 2 badger 1333 (1333–1333) 750 300 128 1.00 –")
}
