package main

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"
)

// speedResult is one line of the table: medians of the rounds, and of their ratios.
type speedResult struct {
	shape
	Rounds     int    `json:"rounds"`
	Throughput spread `json:"throughput_ratio"`
	CPU        spread `json:"cpu_ratio"`
	P50        spread `json:"p50_ratio"`
	P99        spread `json:"p99_ratio"`
	Troupe     totals `json:"troupe"`
	Redis      totals `json:"redis"`
	Bar        string `json:"bar"`
}

// totals are one server's figures over the rounds.
type totals struct {
	Rate     spread `json:"ops_per_second"`
	CPU      spread `json:"cpu_us_per_op"`
	P50      spread `json:"p50_ms"`
	P99      spread `json:"p99_ms"`
	Resident spread `json:"rss_bytes"`
	Busy     spread `json:"generator_busy"`
}

func newSpeedResult(s shape, ours, theirs []measure) speedResult {
	compare := func(of func(measure) float64) spread { return spreadOf(ratios(each(ours, of), each(theirs, of))) }
	r := speedResult{
		shape:      s,
		Rounds:     len(ours),
		Throughput: compare(func(m measure) float64 { return m.rate }),
		CPU:        compare(func(m measure) float64 { return m.cpu }),
		P50:        compare(func(m measure) float64 { return m.p50 }),
		P99:        compare(func(m measure) float64 { return m.p99 }),
		Troupe:     totalsOf(ours),
		Redis:      totalsOf(theirs),
	}
	r.Bar = judge(barsOf(s), r.figure)
	return r
}

// figure gives the median ratio a bar speaks of.
func (r speedResult) figure(name string) float64 {
	return map[string]float64{"thr": r.Throughput.Median, "cpu": r.CPU.Median, "p50": r.P50.Median}[name]
}

func totalsOf(rounds []measure) totals {
	sum := func(of func(measure) float64) spread { return spreadOf(each(rounds, of)) }
	return totals{
		Rate:     sum(func(m measure) float64 { return m.rate }),
		CPU:      sum(func(m measure) float64 { return m.cpu }),
		P50:      sum(func(m measure) float64 { return m.p50 }),
		P99:      sum(func(m measure) float64 { return m.p99 }),
		Resident: sum(func(m measure) float64 { return m.resident }),
		Busy:     sum(func(m measure) float64 { return m.busy }),
	}
}

func each(rounds []measure, of func(measure) float64) []float64 {
	out := make([]float64, 0, len(rounds))
	for _, m := range rounds {
		out = append(out, of(m))
	}
	return out
}

func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

const speedLegend = `Ratios are troupe ÷ redis of the same round, medians (least–most); after them the medians themselves, troupe : redis.
P commands sent at once on each of c links. cpu: the server's CPU an operation. load: the share of one core that the
load generator used; near 100% the throughput is the generator's own. A bar marked ! is missed.

`

// printSpeed prints where the figures come from, and a line a shape.
func printSpeed(w io.Writer, where string, results []speedResult) error {
	fmt.Fprintf(w, "%s\n%s", where, speedLegend)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "case\tthroughput\tcpu\tp50\tp99\tk ops/s\tµs cpu/op\tp50 ms\tp99 ms\tRSS MB\tload %\tbar")
	for _, r := range results {
		fmt.Fprintf(table, "%s\t%s\t%s\t%.2f\t%.2f\t", r.shape, ranged(r.Throughput), ranged(r.CPU), r.P50.Median, r.P99.Median)
		fmt.Fprintf(table, "%s\t%s\t", pair("%.0f", r.Troupe.Rate, r.Redis.Rate, 1e-3), pair("%.2f", r.Troupe.CPU, r.Redis.CPU, 1))
		fmt.Fprintf(table, "%s\t%s\t", pair("%.3f", r.Troupe.P50, r.Redis.P50, 1), pair("%.3f", r.Troupe.P99, r.Redis.P99, 1))
		fmt.Fprintf(table, "%s\t", pair("%.0f", r.Troupe.Resident, r.Redis.Resident, 1e-6))
		fmt.Fprintf(table, "%s\t%s\n", pair("%.0f", r.Troupe.Busy, r.Redis.Busy, 100), r.Bar)
	}
	return table.Flush()
}

func ranged(s spread) string { return fmt.Sprintf("%.2f (%.2f–%.2f)", s.Median, s.Min, s.Max) }

// pair words two medians in one unit.
func pair(format string, ours, theirs spread, unit float64) string {
	return fmt.Sprintf(format+" : "+format, ours.Median*unit, theirs.Median*unit)
}
