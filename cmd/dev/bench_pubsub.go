package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"text/tabwriter"
	"time"
)

// pubsubCmd measures channels: how fast one link's messages reach all who listen, beside redis-server.
type pubsubCmd struct {
	contest
	Subscribers int     `help:"Links that listen." default:"100"`
	Size        int     `help:"Bytes of a message." default:"16"`
	Pipeline    int     `help:"Messages published at once." default:"16"`
	Rounds      int     `help:"Rounds; a figure is their median." default:"5"`
	Seconds     float64 `help:"Length of a round." default:"2"`
}

// benchChannel is the channel that is listened to.
const benchChannel = "bench"

// pubsubRound is what one round has found, a second and a second of the server's CPU.
type pubsubRound struct{ published, delivered, perCPU float64 }

// Run measures and prints.
func (c *pubsubCmd) Run(ctx context.Context) error {
	if c.Subscribers < 1 || c.Size < 1 || c.Pipeline < 1 || c.Rounds < 1 || c.Seconds <= 0 {
		return errors.New("--subscribers, --size, --pipeline and --rounds take numbers from 1, --seconds a time")
	}
	where := machine()
	troupe, redis, leave, err := c.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	var f figures
	for range c.Rounds {
		ours, err := c.round(ctx, troupe)
		if err != nil {
			return err
		}
		theirs, err := c.round(ctx, redis)
		if err != nil {
			return err
		}
		f.add("published a second", "", ours.published)
		f.add("published a second by redis-server", "", theirs.published)
		f.add("delivered a second", "", ours.delivered)
		f.add("throughput, as a ratio to redis-server", "×", ours.delivered/theirs.delivered, bar{"thr", true, 1.1})
		f.add("deliveries a second of CPU, as a ratio", "×", ours.perCPU/theirs.perCPU, bar{"cpu", true, 1.5})
	}
	if c.JSON {
		return printJSON(os.Stdout, f.rows)
	}
	fmt.Printf("%s\nOne link publishes %d messages of %d bytes at once to %d subscribers; medians of %d rounds (least–most).\n\n",
		where, c.Pipeline, c.Size, c.Subscribers, c.Rounds)
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	for _, row := range f.rows {
		fmt.Fprintf(table, "%s\t%s %s\t%s\n", row.Name, ranged(row.spread), row.Unit, row.Bar)
	}
	return table.Flush()
}

// round measures one program, freshly started.
func (c *pubsubCmd) round(ctx context.Context, p program) (r pubsubRound, err error) {
	err = withServer(ctx, p, func(s *server) error {
		a := &listeners{}
		defer a.close()
		if err := a.open(s, c.Subscribers); err != nil {
			return err
		}
		warm, err := c.publish(s, time.Duration(c.Seconds*float64(time.Second))/4)
		if err == nil {
			err = a.await(int64(warm * c.Subscribers * c.messageSize()))
		}
		if err != nil {
			return err
		}
		before, err := cpuTime(s.pid)
		if err != nil {
			return err
		}
		begin, had := time.Now(), a.bytes.Load()
		published, err := c.publish(s, time.Duration(c.Seconds*float64(time.Second)))
		if err != nil {
			return err
		}
		want := had + int64(published*c.Subscribers*c.messageSize())
		if err := a.await(want); err != nil {
			return err
		}
		seconds := time.Since(begin).Seconds()
		after, err := cpuTime(s.pid)
		deliveries := float64(published * c.Subscribers)
		r = pubsubRound{float64(published) / seconds, deliveries / seconds, deliveries / (after - before).Seconds()}
		return err
	})
	return r, err
}

// messageSize is how long a message is on the wire.
func (c *pubsubCmd) messageSize() int {
	return len(appendCommand(nil, "message", benchChannel, strings.Repeat("x", c.Size)))
}

// publish publishes until the time is up, and gives the number of messages.
func (c *pubsubCmd) publish(s *server, lasting time.Duration) (n int, err error) {
	l, err := dial(s.port, "")
	if err != nil {
		return 0, err
	}
	defer l.close()
	message := strings.Repeat("x", c.Size)
	var batch []byte
	for range c.Pipeline {
		batch = appendCommand(batch, "PUBLISH", benchChannel, message)
	}
	reply := fmt.Sprintf(":%d\r\n", c.Subscribers)
	answers := make([]byte, c.Pipeline*len(reply))
	for begin := time.Now(); time.Since(begin) < lasting; n += c.Pipeline {
		if _, err := l.conn.Write(batch); err != nil {
			return n, err
		}
		for have := 0; have < len(answers); {
			more, err := l.conn.Read(answers[have:])
			if err != nil {
				return n, err
			}
			have += more
		}
		if !strings.HasPrefix(string(answers), reply) {
			return n, fmt.Errorf("a message is delivered to %q, not to %d", answers, c.Subscribers)
		}
	}
	return n, nil
}

// listeners are the links that have subscribed, and how much they have been told.
type listeners struct {
	links   []*link
	readers sync.WaitGroup
	bytes   atomic.Int64
	failed  atomic.Pointer[error]
}

func (a *listeners) open(s *server, n int) error {
	for range n {
		l, err := dial(s.port, "")
		if err != nil {
			return err
		}
		a.links = append(a.links, l)
		if _, err := l.ask("SUBSCRIBE", benchChannel); err != nil {
			return err
		}
		a.readers.Go(func() { a.read(l) })
	}
	return nil
}

func (a *listeners) read(l *link) {
	buf := make([]byte, readBytes)
	for {
		n, err := l.conn.Read(buf)
		a.bytes.Add(int64(n))
		if err != nil {
			if !errors.Is(err, net.ErrClosed) {
				a.failed.Store(&err)
			}
			return
		}
	}
}

// await waits until so many bytes have come.
func (a *listeners) await(bytes int64) error {
	const patience = 30 * time.Second
	for begin := time.Now(); a.bytes.Load() < bytes; time.Sleep(100 * time.Microsecond) {
		if err := a.failed.Load(); err != nil {
			return fmt.Errorf("a subscriber was cut off: %w", *err)
		}
		if time.Since(begin) > patience {
			return fmt.Errorf("%d bytes are missing", bytes-a.bytes.Load())
		}
	}
	return nil
}

func (a *listeners) close() {
	dropAll(a.links)
	a.readers.Wait()
}
