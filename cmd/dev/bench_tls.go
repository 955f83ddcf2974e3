package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/troupedb/troupe/resp/tlstest"
)

// tlsCmd measures GET and SET over TLS, without and with a pipeline. Both servers
// have the same certificate, and redis-benchmark is the client of both.
type tlsCmd struct {
	contest
	Rounds  int     `help:"Rounds of a shape; a figure is their median." default:"5"`
	Seconds float64 `help:"Length of a round for each server." default:"2"`
	Links   int     `help:"Links." default:"50"`
}

// Run measures and prints.
func (c *tlsCmd) Run(ctx context.Context) error {
	if c.Rounds < 1 || c.Links < 1 || c.Seconds <= 0 {
		return errors.New("--rounds and --links take numbers from 1, --seconds a time")
	}
	troupe, redis, leave, err := c.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	files, forget, err := writeCertificates()
	if err != nil {
		return err
	}
	defer forget()
	for _, p := range []*program{&troupe, &redis} {
		p.args = append(append(p.args, files.Settings()...), "--tls-auth-clients", "no")
	}
	where := machine()
	var results []speedResult
	for _, command := range []string{"get", "set"} {
		for _, pipeline := range []int{1, 16} {
			s := shape{Command: command, Pipeline: pipeline, Links: c.Links, Size: 16, Keys: 100_000}
			fmt.Fprintf(os.Stderr, "%s: %d rounds\n", s, c.Rounds)
			ours, theirs, err := c.compare(ctx, s, []program{troupe, redis}, files)
			if err != nil {
				return fmt.Errorf("%s: %w", s, err)
			}
			r := newSpeedResult(s, ours, theirs)
			r.Bar = verdict(r.Throughput.Median >= 1)
			results = append(results, r)
		}
	}
	if c.JSON {
		return printJSON(os.Stdout, results)
	}
	return printSpeed(os.Stdout, where, results)
}

// writeCertificates writes them into a folder, which forget removes.
func writeCertificates() (files tlstest.Files, forget func(), err error) {
	dir, err := os.MkdirTemp("", "troupe-tls-")
	if err != nil {
		return files, nil, err
	}
	forget = func() { _ = os.RemoveAll(dir) }
	authority, err := tlstest.New()
	if err == nil {
		files, err = authority.Write(dir)
	}
	if err != nil {
		forget()
	}
	return files, forget, err
}

// compare is speedCmd.compare over TLS.
func (c *tlsCmd) compare(ctx context.Context, s shape, both []program, files tlstest.Files) (ours, theirs []measure, err error) {
	for round := range c.Rounds {
		order := slices.Clone(both)
		if round%2 == 1 {
			slices.Reverse(order)
		}
		for _, p := range order {
			m, err := c.measureFresh(ctx, s, p, files)
			if err != nil {
				return nil, nil, fmt.Errorf("%s: %w", p.name, err)
			}
			if p.name == both[0].name {
				ours = append(ours, m)
			} else {
				theirs = append(theirs, m)
			}
		}
	}
	return ours, theirs, nil
}

// measureFresh is one server's part of a round.
func (c *tlsCmd) measureFresh(ctx context.Context, s shape, p program, files tlstest.Files) (m measure, err error) {
	port, err := freePort()
	if err != nil {
		return m, err
	}
	p.args = append(slices.Clone(p.args), "--tls-port", strconv.Itoa(port))
	srv, err := start(ctx, p)
	if err != nil {
		return m, err
	}
	defer srv.stop()
	if fill := workloadOf(s.Command).fill; fill != nil { // or else GET finds nothing
		if err := preload(srv.port, fill(s)); err != nil {
			return m, err
		}
	}
	const warming = 20_000
	send := func(count int) (traffic, error) {
		return benchmark(ctx, []string{"-p", strconv.Itoa(port), "--tls", "--cacert", files.Authority}, s, count)
	}
	warm, err := send(wholeBatches(warming, s))
	if err != nil {
		return m, fmt.Errorf("%w; the server's last words:\n%s", err, srv.lastWords())
	}
	count := wholeBatches(warm.rate*c.Seconds, s)
	before, err := cpuTime(srv.pid)
	if err != nil {
		return m, err
	}
	seen, err := send(count)
	if err != nil {
		return m, err
	}
	after, err := cpuTime(srv.pid)
	if err != nil {
		return m, err
	}
	resident, err := residentBytes(srv.pid)
	return measure{
		rate: seen.rate, cpu: float64(after-before) / float64(time.Microsecond) / float64(count),
		p50: float64(seen.p50) / float64(time.Millisecond), p99: float64(seen.p99) / float64(time.Millisecond),
		resident: float64(resident), busy: seen.busy,
	}, err
}
