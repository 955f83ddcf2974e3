package main

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestParseBenchmark(t *testing.T) {
	t.Parallel()
	const head = `"test","rps","avg_latency_ms","min_latency_ms","p50_latency_ms","p95_latency_ms","p99_latency_ms","max_latency_ms"` + "\n"
	f := func(text string, want traffic, ok bool) {
		t.Helper()
		got, err := parseBenchmark(text)
		if (err == nil) != ok || ok && got != want {
			t.Errorf("parseBenchmark(%q) = %v, %v; want %v, success %v", text, got, err, want, ok)
		}
	}
	us := func(n int) time.Duration { return time.Duration(n) * time.Microsecond }
	f(head+`"GET","1250000.00","0.578","0.232","0.559","0.775","0.863","0.959"`+"\n",
		traffic{rate: 1250000, p50: us(559), p99: us(863)}, true)
	f(head+`"LPUSH (needed to benchmark LRANGE)","1.00","1","1","1","1","1","1"`+"\n"+
		`"LRANGE_100 (first 100 elements)","2.00","1","1","0.5","1","4","9"`+"\n",
		traffic{rate: 2, p50: us(500), p99: us(4000)}, true)
	f("p99_latency_ms,p50_latency_ms,rps\n3,2,1\n", traffic{rate: 1, p50: us(2000), p99: us(3000)}, true)
	f("", traffic{}, false)
	f(head, traffic{}, false)
	f("test,rps\nGET,5\n", traffic{}, false)
	f("rps,p50_latency_ms,p99_latency_ms\nfast,1,1\n", traffic{}, false)
	f("a,b\n1\n", traffic{}, false)
}

func TestSampleMatchesItsName(t *testing.T) {
	t.Parallel()
	for _, name := range workloadNames() {
		args := workloadOf(name).sample(shape{Command: name, Keys: 10, Size: 1}, 3)
		if base, _, _ := strings.Cut(name, "_"); args[0] != strings.ToUpper(base) {
			t.Errorf("the sample of %s is %q", name, args)
		}
	}
	f := func(name string, i int, want ...string) {
		t.Helper()
		if got := workloadOf(name).sample(shape{Command: name, Keys: 100, Size: 1}, i); !slices.Equal(got, want) {
			t.Errorf("sample(%s, %d) = %q, want %q", name, i, got, want)
		}
	}
	f("get", 0, "GET", "key:000000000000")
	f("set", 1, "SET", "key:000000000019", "x")
	f("ping", 5, "PING")
	if args := workloadOf("mset").sample(shape{Command: "mset", Keys: 1, Size: 1}, 0); len(args) != 21 {
		t.Errorf("MSET of ten keys has %d arguments, want 21", len(args))
	}
}

func TestWholeBatches(t *testing.T) {
	t.Parallel()
	f := func(count float64, pipeline, links, want int) {
		t.Helper()
		if got := wholeBatches(count, shape{Pipeline: pipeline, Links: links}); got != want {
			t.Errorf("wholeBatches(%v, P=%d c=%d) = %d, want %d", count, pipeline, links, got, want)
		}
	}
	f(0, 1, 1, 1)
	f(100.7, 1, 1, 101)
	f(1000, 16, 50, 1600)
	f(4095, 512, 8, 4096)
}

func TestShapes(t *testing.T) {
	t.Parallel()
	c := speedCmd{Commands: []string{"get", "set"}, Pipeline: []int{1, 16, 512}, Links: []int{50, 8}, Size: []int{16, 256}, Keys: 7}
	var got []string
	for _, s := range c.shapes() {
		got = append(got, s.String())
	}
	want := []string{
		"GET P=1 c=50 16B", "GET P=1 c=50 256B", "GET P=16 c=8 16B", "GET P=16 c=8 256B", "GET P=512 c=8 16B", "GET P=512 c=8 256B",
		"SET P=1 c=50 16B", "SET P=1 c=50 256B", "SET P=16 c=8 16B", "SET P=16 c=8 256B", "SET P=512 c=8 16B", "SET P=512 c=8 256B",
	}
	if !slices.Equal(got, want) {
		t.Errorf("shapes are %q, want %q", got, want)
	}
	c.Commands = []string{"all"}
	quick := 0
	for _, w := range workloads {
		if !w.slow {
			quick++
		}
	}
	if got := len(c.shapes()); got != 6*quick {
		t.Errorf("all gives %d shapes, want %d", got, 6*quick)
	}
}
