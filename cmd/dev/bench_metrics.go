package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// metricsCmd measures what being looked at costs: /metrics, scraped.
type metricsCmd struct {
	contest
	Every   time.Duration `help:"How often the metrics are asked for." default:"1s"`
	Rounds  int           `help:"Rounds with and without; a figure is the median of their ratios." default:"7"`
	Seconds float64       `help:"Length of a round." default:"4"`
}

// metricsMost is what metrics may cost.
const metricsMost = 1.02

// Run measures and prints.
func (c *metricsCmd) Run(ctx context.Context) error {
	if c.Every <= 0 || c.Rounds < 1 || c.Seconds <= 0 {
		return errors.New("--every and --seconds take a time, --rounds a number from 1")
	}
	where := machine()
	troupe, _, leave, err := c.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	w := &watchCmd{Rounds: c.Rounds, Seconds: c.Seconds}
	port, err := freePort()
	if err != nil {
		return err
	}
	address := fmt.Sprintf("127.0.0.1:%d", port)
	looked := troupe
	looked.args = append(slices.Clone(troupe.args), "--http", address)
	r, err := w.compareWatches(ctx, looked, func(s *server, with bool) (map[string]float64, error) {
		if !with {
			return w.sideRound(ctx, s)
		}
		stop := scrape(ctx, address, c.Every)
		figures, err := w.sideRound(ctx, s)
		return figures, errors.Join(err, stop())
	})
	if err != nil {
		return err
	}
	var f figures
	f.ratio("CPU a SET, with ÷ without scrapes", "cpu", r, bar{"cpu", false, metricsMost})
	f.ratio("throughput", "rate", r, bar{"thr", true, 1 / metricsMost})
	if c.JSON {
		return printJSON(os.Stdout, f.rows)
	}
	fmt.Printf("%s\n/metrics asked for every %v beside SET, pipeline 16, 50 links; medians of %d rounds (least–most).\n\n", where, c.Every, c.Rounds)
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	for _, row := range f.rows {
		fmt.Fprintf(table, "%s\t%s %s\t%s\n", row.Name, ranged(row.spread), row.Unit, row.Bar)
	}
	return table.Flush()
}

// scrape asks for the metrics again and again, until what it returns is called.
func scrape(ctx context.Context, address string, every time.Duration) (stop func() error) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			if err := scrapeOnce(ctx, address); err != nil && ctx.Err() == nil {
				done <- err
				return
			}
			select {
			case <-tick.C:
			case <-ctx.Done():
				done <- nil
				return
			}
		}
	}()
	return func() error { cancel(); return <-done }
}

func scrapeOnce(ctx context.Context, address string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/metrics", nil)
	if err != nil {
		return err
	}
	reply, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	if err == nil && !strings.Contains(string(text), "troupe_ready 1") {
		err = fmt.Errorf("/metrics is answered %s", reply.Status)
	}
	return err
}
