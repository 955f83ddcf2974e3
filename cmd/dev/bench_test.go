package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/troupedb/troupe/resp"
)

func TestJudge(t *testing.T) {
	t.Parallel()
	f := func(bars []bar, thr, cpu float64, want string) {
		t.Helper()
		got := judge(bars, func(name string) float64 { return map[string]float64{"thr": thr, "cpu": cpu}[name] })
		if got != want {
			t.Errorf("judge(%v) of thr %v, cpu %v = %q, want %q", bars, thr, cpu, got, want)
		}
	}
	both := []bar{{"thr", true, 1.4}, {"cpu", false, 0.7}}
	f(nil, 1, 1, "–")
	f(both, 1.4, 0.7, "ok thr≥1.40 cpu≤0.70")
	f(both, 1.39, 0.5, "miss thr≥1.40! cpu≤0.70")
	f(both, 2, 0.71, "miss thr≥1.40 cpu≤0.70!")
}

func TestBarsNameRealShapes(t *testing.T) {
	t.Parallel()
	c := speedCmd{Commands: []string{"all"}, Pipeline: []int{1, 1, 16, 512}, Links: []int{1, 50, 50, 8}, Size: []int{16}}
	found := 0
	for _, s := range c.shapes() {
		if len(barsOf(s)) > 0 {
			found++
		}
	}
	declared := 0
	for _, w := range workloads {
		declared += len(w.bars)
	}
	if found != declared {
		t.Errorf("the default shapes meet %d of %d bars", found, declared)
	}
}

func TestSpeedTable(t *testing.T) {
	t.Parallel()
	s := shape{Command: "get", Pipeline: 16, Links: 50, Size: 16}
	ours := []measure{{rate: 1500e3, cpu: 0.6, p50: 0.4, p99: 0.9, resident: 30e6, busy: 0.8}, {rate: 1600e3, cpu: 0.5, p50: 0.4, p99: 0.9, resident: 30e6, busy: 0.8}}
	theirs := []measure{{rate: 1000e3, cpu: 1, p50: 0.8, p99: 0.9, resident: 20e6, busy: 0.6}, {rate: 1000e3, cpu: 1, p50: 0.8, p99: 0.9, resident: 20e6, busy: 0.6}}
	var out strings.Builder
	if err := printSpeed(&out, "here", []speedResult{newSpeedResult(s, ours, theirs)}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	last := strings.Join(strings.Fields(lines[len(lines)-1]), " ")
	const want = "GET P=16 c=50 16B 1.55 (1.50–1.60) 0.55 (0.50–0.60) 0.50 1.00 1550 : 1000 0.55 : 1.00 " +
		"0.400 : 0.800 0.900 : 0.900 30 : 20 80 : 60 ok thr≥1.40 cpu≤0.70"
	if last != want {
		t.Errorf("the line is\n%s\nwant\n%s", last, want)
	}
}

func TestGrowthSizes(t *testing.T) {
	t.Parallel()
	sizes := growthSizes(1_000_000, 2_200_000)
	if !slices.IsSorted(sizes) || len(slices.Compact(slices.Clone(sizes))) != len(sizes) {
		t.Errorf("sizes neither rise nor are distinct: %v", sizes)
	}
	for _, must := range []int{100_000, 133_693, 267_386, 534_773, 1_000_000, 1_050_000, 1_069_547, 1_310_000, 2_100_000, 2_139_095, 2_200_000} {
		if !slices.Contains(sizes, must) {
			t.Errorf("%d is not among the sizes", must)
		}
	}
	if sizes := growthSizes(123, 250_000); sizes[0] != 123 || sizes[len(sizes)-1] != 250_000 {
		t.Errorf("sizes from 123 to 250000 are %v", sizes)
	}
}

func TestWorstPoint(t *testing.T) {
	t.Parallel()
	var f memoryFigures
	for _, p := range []memoryPoint{{100_000, 99}, {250_000, 60}, {500_000, 70}, {1_000_000, 58}} {
		f.add(p, 1_000_000)
	}
	if want := (memoryPoint{500_000, 70}); f.Worst != want || f.AtKeys != 58 || len(f.Growth) != 4 {
		t.Errorf("worst %v, main %v, %d points; want %v, 58, 4", f.Worst, f.AtKeys, len(f.Growth), want)
	}
}

func TestLoadedKeys(t *testing.T) {
	t.Parallel()
	f := func(i int, want string) {
		t.Helper()
		if got := string(appendSet(nil, i, original(i), "EX", "9")); got != want {
			t.Errorf("the load of key %d is %q, want %q", i, got, want)
		}
	}
	f(7, "*5\r\n$3\r\nSET\r\n$11\r\nkey:0000007\r\n$16\r\nvalue:0000000007\r\n$2\r\nEX\r\n$1\r\n9\r\n")
	f(12345678, "*5\r\n$3\r\nSET\r\n$12\r\nkey:12345678\r\n$16\r\nvalue:0012345678\r\n$2\r\nEX\r\n$1\r\n9\r\n")
}

func TestReplyLines(t *testing.T) {
	t.Parallel()
	f := func(reply resp.Reply, want ...string) {
		t.Helper()
		if got := replyLines(reply); !slices.Equal(got, want) {
			t.Errorf("replyLines(%v) = %q, want %q", reply, got, want)
		}
	}
	f(resp.BulkString("one\r\ntwo\r\n"), "one", "two")
	f(resp.Array(resp.BulkString("<1ms"), resp.Int(5), resp.BulkString("<2ms"), resp.Int(1)), "<1ms  5", "<2ms  1")
	f(resp.Map(resp.BulkString("longest"), resp.Int(7)), "longest  7")
	f(resp.Array(resp.BulkString("odd")), "odd")
	f(resp.Int(9), "9")
	f(resp.OK, "OK")
}
