package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"time"
)

// diceCmd measures Troupe beside redis-server as DiceDB's documentation and its membench compare: through
// DiceDB's own library for Go, redis-server through go-redis. The loops are the same, one command at a time
// a client; the libraries are not, and their cost is in the throughput. So the same is measured again with
// both through go-redis.
type diceCmd struct {
	contest
	Commands []string `arg:"" optional:"" enum:"get,set" help:"Commands: get, set; none is both."`
	Clients  []int    `help:"Clients at once; one shape a number." default:"1,2,4,8"`
	Size     int      `help:"Bytes of a value." default:"64"`
	Keys     int      `help:"Keys the commands are spread over." default:"1000"`
	Rounds   int      `help:"Rounds of a shape; a figure is their median." default:"5"`
	Seconds  float64  `help:"Length of a round for each server." default:"2"`
}

// Run measures and prints.
func (c *diceCmd) Run(ctx context.Context) error {
	if slices.Min(c.Clients) < 1 || c.Size < 1 || c.Keys < 1 || c.Rounds < 1 || c.Seconds <= 0 {
		return errors.New("--clients, --size, --keys and --rounds take numbers from 1, --seconds a time")
	}
	if len(c.Commands) == 0 {
		c.Commands = []string{"get", "set"}
	}
	troupe, redis, leave, err := c.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	generator, err := buildGenerator(ctx, filepath.Dir(troupe.path))
	if err != nil {
		return err
	}
	where := machine()
	own, err := c.measureAll(ctx, generator, contender{troupe, "dice"}, contender{redis, "redis"})
	if err != nil {
		return err
	}
	same, err := c.measureAll(ctx, generator, contender{troupe, "redis"}, contender{redis, "redis"})
	if err != nil {
		return err
	}
	for i := range same {
		same[i].Bar = judge(sameClientBars, same[i].figure)
	}
	if c.JSON {
		return printJSON(os.Stdout, append(own, same...))
	}
	fmt.Println("Troupe through dicedb-go 1.0.3, redis-server through go-redis.")
	err = printSpeed(os.Stdout, where, own)
	fmt.Println("\nBoth through go-redis.")
	return errors.Join(err, printSpeed(os.Stdout, where, same))
}

// sameClientBars are what is expected with both servers behind the same library.
var sameClientBars = []bar{{"thr", true, 1.0}}

// contender is a server and the library that it is spoken to with.
type contender struct {
	program
	library string
}

// measureAll gives the results of all shapes, without bars: those of bench speed are for another load
// generator.
func (c *diceCmd) measureAll(ctx context.Context, generator string, troupe, redis contender) (results []speedResult, err error) {
	for _, s := range c.shapes() {
		fmt.Fprintf(os.Stderr, "%s through %s: %d rounds\n", s, troupe.library, c.Rounds)
		ours, theirs, err := c.compare(ctx, s, generator, [2]contender{troupe, redis})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s, err)
		}
		r := newSpeedResult(s, ours, theirs)
		r.Bar = judge(nil, nil)
		results = append(results, r)
	}
	return results, nil
}

// shapes is every command with every number of clients.
func (c *diceCmd) shapes() (out []shape) {
	for _, command := range c.Commands {
		for _, clients := range c.Clients {
			out = append(out, shape{Command: command, Pipeline: 1, Links: clients, Size: c.Size, Keys: c.Keys})
		}
	}
	return out
}

// buildGenerator builds the load generator, a module of its own, into a folder that exists.
func buildGenerator(ctx context.Context, dir string) (path string, err error) {
	root, err := moduleRoot()
	if err != nil {
		return "", err
	}
	path = filepath.Join(dir, "dicebench")
	build := exec.CommandContext(ctx, "go", "build", "-o", path, ".")
	build.Dir, build.Stderr = filepath.Join(root, "testdata", "dicebench"), os.Stderr
	build.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	if err := build.Run(); err != nil {
		return "", fmt.Errorf("building the load generator: %w", err)
	}
	return path, nil
}

// compare runs the rounds, one server at a time; who goes first alternates.
func (c *diceCmd) compare(ctx context.Context, s shape, generator string, both [2]contender) (ours, theirs []measure, err error) {
	for round := range c.Rounds {
		order := []int{0, 1}
		if round%2 == 1 {
			slices.Reverse(order)
		}
		for _, i := range order {
			m, err := c.measure(ctx, s, generator, both[i])
			if err != nil {
				return nil, nil, fmt.Errorf("%s: %w", both[i].name, err)
			}
			if i == 0 {
				ours = append(ours, m)
			} else {
				theirs = append(theirs, m)
			}
		}
	}
	return ours, theirs, nil
}

// measure is one server's part of a round, on a fresh server.
func (c *diceCmd) measure(ctx context.Context, s shape, generator string, p contender) (m measure, err error) {
	srv, err := start(ctx, p.program)
	if err != nil {
		return m, err
	}
	defer srv.stop()
	load := exec.CommandContext(ctx, generator, "-library", p.library, "-port", strconv.Itoa(srv.port),
		"-command", s.Command, "-clients", strconv.Itoa(s.Links), "-size", strconv.Itoa(s.Size), "-keys", strconv.Itoa(s.Keys),
		"-seconds", strconv.FormatFloat(c.Seconds, 'f', -1, 64))
	load.Stderr = os.Stderr
	var used time.Duration // by the server
	seen, err := c.watch(load, func() (err error) {
		before := used
		used, err = cpuTime(srv.pid)
		used -= before
		return err
	})
	resident, errResident := residentBytes(srv.pid)
	if err := errors.Join(err, errResident); err != nil {
		return m, fmt.Errorf("%w; the server's last words:\n%s", err, srv.lastWords())
	}
	own := load.ProcessState.UserTime() + load.ProcessState.SystemTime()
	return measure{
		rate:     float64(seen.Count) / seen.Lasted.Seconds(),
		cpu:      float64(used) / float64(time.Microsecond) / float64(seen.Count),
		p50:      float64(seen.P50) / float64(time.Millisecond),
		p99:      float64(seen.P99) / float64(time.Millisecond),
		resident: float64(resident),
		busy:     own.Seconds() / seen.Lasted.Seconds(),
	}, nil
}

// generated is what the load generator has seen.
type generated struct {
	Count    int
	Lasted   time.Duration `json:"lasted_ns"`
	P50, P99 time.Duration
}

// watch runs the load generator and calls note when what it measures begins and when it ends.
func (c *diceCmd) watch(load *exec.Cmd, note func() error) (seen generated, err error) {
	out, err := load.StdoutPipe()
	if err == nil {
		err = load.Start()
	}
	if err != nil {
		return seen, err
	}
	lines := bufio.NewScanner(out)
	lines.Scan() // it has loaded the keys
	err = note()
	lines.Scan()
	err = errors.Join(err, note(), json.Unmarshal(lines.Bytes(), &seen), load.Wait())
	if err == nil && seen.Count == 0 {
		err = errors.New("the load generator was never answered")
	}
	return seen, err
}
