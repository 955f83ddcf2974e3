package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
)

// watchCmd measures live queries. redis-server has none: where something is compared, it is the same server
// without watches, or with watches that nobody writes to, or what comes nearest there (nearest).
type watchCmd struct {
	contest
	Parts    []string `arg:"" optional:"" enum:"fan,latency,aside,deaf,board,deltas,distinct,nearest" help:"What to measure: fan, latency, aside, deaf, board, deltas, distinct, nearest; none is all."`
	Links    int      `help:"Links that watch." default:"1000"`
	Queries  int      `help:"Distinct queries that each of them watches, all over one hot key." default:"10"`
	Size     int      `help:"Bytes of the hot key's value." default:"64"`
	Pipeline int      `help:"Writes sent at once." default:"16"`
	Rounds   int      `help:"Rounds; a figure is their median." default:"5"`
	Seconds  float64  `help:"Length of a round." default:"2"`
}

// watchFigure is a line of the table.
type watchFigure struct {
	Name string `json:"name"`
	Unit string `json:"unit"`
	spread
	Bar string `json:"bar"`
}

// watchParts are the measurements by name, in their order.
var watchParts = []struct {
	name    string
	measure func(*watchCmd, context.Context, program) ([]watchFigure, error)
}{
	{"fan", (*watchCmd).fan},
	{"latency", (*watchCmd).latency},
	{"aside", (*watchCmd).aside},
	{"deaf", (*watchCmd).deaf},
	{"board", (*watchCmd).board},
	{"deltas", (*watchCmd).deltas},
	{"distinct", (*watchCmd).distinct},
	{"nearest", (*watchCmd).nearest},
}

// Run measures and prints.
func (c *watchCmd) Run(ctx context.Context) error {
	if c.Links < 1 || c.Queries < 1 || c.Size < seqBytes || c.Pipeline < 1 || c.Rounds < 1 || c.Seconds <= 0 {
		return fmt.Errorf("--links, --queries, --pipeline and --rounds take numbers from 1, --size from %d, --seconds a time", seqBytes)
	}
	dir, err := os.MkdirTemp("", "troupe-build-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	p, err := troupeProgram(ctx, dir, c.Server, strings.Fields(c.ServerArgs))
	if err != nil {
		return err
	}
	where := machine()
	var figures []watchFigure
	var failed error
	for _, part := range watchParts {
		if len(c.Parts) > 0 && !slices.Contains(c.Parts, part.name) {
			continue
		}
		fmt.Fprintf(os.Stderr, "%s: %d rounds\n", part.name, c.Rounds)
		more, err := part.measure(c, ctx, p)
		figures = append(figures, more...)
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", part.name, err))
		}
	}
	if c.JSON {
		return errors.Join(printJSON(os.Stdout, figures), failed)
	}
	return errors.Join(c.print(where, figures), failed)
}

func (c *watchCmd) print(where string, figures []watchFigure) error {
	fmt.Printf("%s\n%d links, each watching the same %d queries over one key of %d bytes; %d writes at once; medians of %d rounds (least–most).\n\n",
		where, c.Links, c.Queries, c.Size, c.Pipeline, c.Rounds)
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	for _, f := range figures {
		fmt.Fprintf(table, "%s\t%s %s\t%s\n", f.Name, ranged(f.spread), f.Unit, f.Bar)
	}
	return table.Flush()
}

// figures are the medians of what rounds have given under each name.
type figures struct {
	rows  []watchFigure
	given map[string][]float64
}

// add notes a round's figure. A bar, if there is one, is what the median is held to.
func (f *figures) add(name, unit string, value float64, bars ...bar) {
	if f.given == nil {
		f.given = map[string][]float64{}
	}
	f.given[name] = append(f.given[name], value)
	row := watchFigure{Name: name, Unit: unit, spread: spreadOf(f.given[name])}
	row.Bar = judge(bars, func(string) float64 { return row.Median })
	at := slices.IndexFunc(f.rows, func(have watchFigure) bool { return have.Name == name })
	if at < 0 {
		f.rows = append(f.rows, row)
		return
	}
	f.rows[at] = row
}
