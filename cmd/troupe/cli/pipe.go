package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/troupedb/troupe/resp"
)

// pipe sends the input to the server as it is and counts the replies, until that
// of an ECHO which it sends behind the rest.
func (o *Options) pipe(s Streams) error {
	ctx, stop := interruptible()
	defer stop()
	c := &client{Options: o, want: 2, say: s.Err, push: func(resp.Reply) {}}
	if o.RESP3 {
		c.want = 3
	}
	if err := c.open(ctx); err != nil {
		return err
	}
	defer c.drop()
	mark := rand.Text()
	sent := make(chan error, 1)
	go func() { sent <- c.link.pour(s.In, mark) }()
	count := tally{mark: mark, out: s.Out, say: s.Err}
	if err := o.awaitAll(ctx, c.link, &count, sent); err != nil {
		return err
	}
	fmt.Fprintf(s.Out, "Last reply received from server.\nerrors: %d, replies: %d\n", count.errors, count.replies)
	if count.errors > 0 {
		return exitCode(exitFailure)
	}
	return nil
}

// pour sends all of the input, and a mark behind it.
func (l *link) pour(in io.Reader, mark string) error {
	if _, err := io.Copy(l.conn, in); err != nil {
		return err
	}
	// The input may end within a line.
	_, err := l.conn.Write([]byte("\r\n"))
	if err == nil {
		err = l.send("ECHO", mark)
	}
	return err
}

// tally counts replies.
type tally struct {
	mark            string
	out, say        io.Writer
	errors, replies int
}

// take counts a reply, and reports whether it is the mark.
func (n *tally) take(r resp.Reply) (isLast bool) {
	if r.Kind() == resp.Text && r.Str() == n.mark {
		return true
	}
	if r.Kind() == resp.Out {
		return false
	}
	n.replies++
	if r.IsError() {
		n.errors++
		fmt.Fprintln(n.say, r.Str())
	}
	return false
}

// awaitAll takes replies until the mark. Its patience begins when all is sent,
// and again with each reply.
func (o *Options) awaitAll(ctx context.Context, l *link, count *tally, sent <-chan error) error {
	patience := time.Duration(o.PipeTimeout) * time.Second
	var late <-chan time.Time
	for {
		select {
		case a := <-l.in:
			if a.err != nil {
				return fmt.Errorf("Error reading from the server: %s", endOf(a.err))
			}
			if count.take(a.reply) {
				return nil
			}
			if late != nil {
				late = time.After(patience)
			}
		case err := <-sent:
			if err != nil {
				return fmt.Errorf("Error writing to the server: %s", endOf(err))
			}
			fmt.Fprintln(count.out, "All data transferred. Waiting for the last reply...")
			if sent = nil; patience > 0 {
				late = time.After(patience)
			}
		case <-late:
			return errors.New("No replies for so long: giving up")
		case <-ctx.Done():
			return exitCode(130)
		}
	}
}
