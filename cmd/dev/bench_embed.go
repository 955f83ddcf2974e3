package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"text/tabwriter"
)

// embedCmd measures Troupe as a library beside the stores of testdata/embedbench, which is a module of
// its own. Each runs in a process of its own, its data in a fresh folder, fsync off.
type embedCmd struct {
	Keys       int   `help:"Keys of 16 bytes, each put and got once." default:"1000000"`
	Size       int   `help:"Bytes of a value." default:"128"`
	Goroutines []int `help:"Goroutines that put and get; 0 is one a CPU." default:"1,0"`
	Rounds     int   `help:"Rounds; a figure is their median." default:"3"`
	JSON       bool  `name:"json" help:"Print JSON instead of a table."`
}

// embedStores are what is measured; the first is held to the bars.
var embedStores = []string{"troupe", "troupe, memory", "badger", "pebble"}

// embedFigures is what one store has done in one phase, as embedbench prints it.
type embedFigures struct {
	Rate   float64 `json:"ops_per_second"`
	Nanos  float64 `json:"ns_per_op"`
	Bytes  float64 `json:"bytes_per_op"`
	Allocs float64 `json:"allocs_per_op"`
	CPU    float64 `json:"cpu_ns_per_op"`
}

// embedResult is the line of one store, phase and number of goroutines: medians.
type embedResult struct {
	Store      string  `json:"store"`
	Phase      string  `json:"phase"`
	Goroutines int     `json:"goroutines"`
	Rate       spread  `json:"ops_per_second"`
	Nanos      spread  `json:"ns_per_op"`
	CPU        spread  `json:"cpu_ns_per_op"`
	Bytes      float64 `json:"bytes_per_op"`
	Allocs     float64 `json:"allocs_per_op"`
	Bar        string  `json:"bar"`
}

// Run measures and prints.
func (c *embedCmd) Run(ctx context.Context) error {
	if c.Keys < 1 || c.Size < 1 || c.Rounds < 1 {
		return errors.New("--keys, --size and --rounds take numbers from 1")
	}
	where := fmt.Sprintf("%d CPUs, %s/%s, %s; load average at the start %s.",
		runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version(), loadAverage())
	dir, err := os.MkdirTemp("", "troupe-build-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	binary, err := buildModule(ctx, dir, "embedbench")
	if err != nil {
		return err
	}
	var results []embedResult
	for _, n := range c.Goroutines {
		if n == 0 {
			n = runtime.NumCPU()
		}
		part, err := c.measure(ctx, binary, n)
		if err != nil {
			return err
		}
		results = append(results, part...)
	}
	if c.JSON {
		return printJSON(os.Stdout, results)
	}
	fmt.Printf("%s\n%d keys of 16 bytes with values of %d, fsync off: each is put once, then got once, in random order.\n"+
		"\"troupe\" records every change in its journal. Medians of %d rounds (least–most); ns of one goroutine; B and allocs of all.\n\n",
		where, c.Keys, c.Size, c.Rounds)
	return printEmbed(os.Stdout, results)
}

// measure runs all stores, round by round, with so many goroutines.
func (c *embedCmd) measure(ctx context.Context, binary string, goroutines int) ([]embedResult, error) {
	rounds := map[string][]embedFigures{} // by store and phase
	for range c.Rounds {
		for _, store := range embedStores {
			fmt.Fprintf(os.Stderr, "%s, %d goroutines\n", store, goroutines)
			run := exec.CommandContext(ctx, binary, "-store", store, "-keys", strconv.Itoa(c.Keys),
				"-value", strconv.Itoa(c.Size), "-goroutines", strconv.Itoa(goroutines))
			run.Stderr = os.Stderr
			text, err := run.Output()
			if err != nil {
				return nil, fmt.Errorf("%s: %w", store, err)
			}
			var phases map[string]embedFigures
			if err := json.Unmarshal(text, &phases); err != nil {
				return nil, fmt.Errorf("%s: %w", store, err)
			}
			for phase, f := range phases {
				rounds[store+phase] = append(rounds[store+phase], f)
			}
		}
	}
	return embedResults(rounds, goroutines), nil
}

func embedResults(rounds map[string][]embedFigures, goroutines int) (results []embedResult) {
	for _, phase := range []string{"put", "get"} {
		median := func(store string) float64 { return embedResultOf(rounds[store+phase]).Rate.Median }
		for _, store := range embedStores {
			r := embedResultOf(rounds[store+phase])
			r.Store, r.Phase, r.Goroutines, r.Bar = store, phase, goroutines, "–"
			if store == embedStores[0] {
				r.Bar = judge([]bar{{"badger", true, 1}, {"pebble", true, 1}}, func(other string) float64 { return r.Rate.Median / median(other) })
			}
			results = append(results, r)
		}
	}
	return results
}

func embedResultOf(rounds []embedFigures) embedResult {
	of := func(figure func(embedFigures) float64) spread {
		values := make([]float64, len(rounds))
		for i, f := range rounds {
			values[i] = figure(f)
		}
		return spreadOf(values)
	}
	return embedResult{
		Rate: of(func(f embedFigures) float64 { return f.Rate }), Nanos: of(func(f embedFigures) float64 { return f.Nanos }),
		CPU:    of(func(f embedFigures) float64 { return f.CPU }),
		Bytes:  of(func(f embedFigures) float64 { return f.Bytes }).Median,
		Allocs: of(func(f embedFigures) float64 { return f.Allocs }).Median,
	}
}

func printEmbed(w io.Writer, results []embedResult) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "phase\tgoroutines\tstore\tk ops/s\tns/op\tCPU ns/op\tB/op\tallocs/op\tbar")
	for _, r := range results {
		fmt.Fprintf(table, "%s\t%d\t%s\t%.0f (%.0f–%.0f)\t%.0f\t%.0f\t%.0f\t%.2f\t%s\n", r.Phase, r.Goroutines, r.Store,
			r.Rate.Median/1e3, r.Rate.Min/1e3, r.Rate.Max/1e3, r.Nanos.Median, r.CPU.Median, r.Bytes, r.Allocs, r.Bar)
	}
	return table.Flush()
}
