package cli

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/troupedb/troupe/resp"
)

// client is a conversation with a server: what a link's end does not end. It is
// used by one goroutine at a time.
type client struct {
	*Options
	want int // the protocol asked for, 2 or 3
	say  io.Writer
	push func(resp.Reply) // takes what comes unasked

	link  *link // nil: none
	proto int   // that is spoken
	multi bool
	// beforeMulti is the database to go back to if a transaction is not carried out.
	beforeMulti int
}

// errNoLink is the end of a command for want of a link.
type errNoLink struct {
	text  string
	cause error
}

func (e errNoLink) Error() string { return e.text }
func (e errNoLink) Unwrap() error { return e.cause }

// lost gives the link up for an error.
func (c *client) lost(err error) error {
	c.drop()
	return errNoLink{"Error: " + endOf(err), err}
}

// open sees to a link: it takes up the conversation where it was.
func (c *client) open(ctx context.Context) error {
	if c.link != nil {
		return nil
	}
	link, err := c.dial(ctx)
	if err != nil {
		return errNoLink{fmt.Sprintf("Could not connect to the server at %s: %s", c.address(), plainly(err)), err}
	}
	c.link, c.multi, c.proto = link, false, 2
	if err := c.greet(ctx); err != nil {
		return c.lost(err)
	}
	return nil
}

// greet logs in, agrees on a protocol and selects the database. What the server
// refuses is said; only the end of the link is an error.
func (c *client) greet(ctx context.Context) error {
	if c.Password != "" {
		words := []string{"AUTH", c.Password}
		if c.User != "" {
			words = []string{"AUTH", c.User, c.Password}
		}
		r, err := c.ask(ctx, words...)
		if err != nil {
			return err
		}
		if r.IsError() {
			fmt.Fprintf(c.say, "AUTH failed: %s\n", r.Str())
		}
	}
	if err := c.agree(ctx); err != nil || c.DB == 0 {
		return err
	}
	r, err := c.ask(ctx, "SELECT", strconv.Itoa(c.DB))
	if err == nil && r.IsError() {
		fmt.Fprintf(c.say, "SELECT %d failed: %s\n", c.DB, r.Str())
		c.DB = 0
	}
	return err
}

// agree asks for RESP3 where it is wanted. A server that does not know it, or
// wants a login first, is spoken to in RESP2.
func (c *client) agree(ctx context.Context) error {
	if c.want != 3 || c.proto == 3 {
		return nil
	}
	r, err := c.ask(ctx, "HELLO", "3")
	if err == nil && !r.IsError() {
		c.proto = 3
	}
	return err
}

// drop gives the link up. The next command opens another.
func (c *client) drop() {
	if c.link != nil {
		c.link.close()
	}
	c.link, c.multi = nil, false
}

// ask sends a command over the link and waits for its reply; pushes that come
// before it are passed on.
func (c *client) ask(ctx context.Context, words ...string) (resp.Reply, error) {
	if err := c.link.send(words...); err != nil {
		return resp.Nothing, err
	}
	return c.reply(ctx)
}

// reply waits for a reply.
func (c *client) reply(ctx context.Context) (resp.Reply, error) {
	for {
		r, err := c.link.next(ctx)
		if err != nil || r.Kind() != resp.Out {
			return r, err
		}
		c.push(r)
	}
}

// do runs a command, over a new link if there is none or it has ended. A command
// is never sent twice: when its reply does not come, nobody knows whether it was
// carried out.
func (c *client) do(ctx context.Context, words []string) (resp.Reply, error) {
	if c.link != nil {
		c.catchUp()
	}
	if err := c.open(ctx); err != nil {
		return resp.Nothing, err
	}
	r, err := c.ask(ctx, words...)
	if err != nil {
		return resp.Nothing, c.lost(err)
	}
	return r, c.learn(ctx, words, r)
}

// catchUp passes on what has come unasked, and gives the link up if it has ended
// meanwhile.
func (c *client) catchUp() {
	for {
		select {
		case a := <-c.link.in:
			if a.err != nil {
				c.drop()
				return
			}
			c.push(a.reply)
		default:
			return
		}
	}
}

// learn draws from a command and its reply what the conversation is now.
func (c *client) learn(ctx context.Context, words []string, r resp.Reply) error {
	name := strings.ToUpper(words[0])
	failed := r.IsError()
	switch {
	case name == "EXEC" && len(words) == 1 && c.multi, name == "DISCARD" && len(words) == 1 && c.multi:
		c.multi = false
		if failed || r.IsNull() || name == "DISCARD" {
			c.DB = c.beforeMulti
		}
	case failed:
	case name == "SELECT" && len(words) == 2:
		c.DB, _ = strconv.Atoi(words[1])
	case name == "AUTH":
		return c.learnUser(ctx, words)
	case name == "MULTI":
		c.multi, c.beforeMulti = true, c.DB
	case name == "HELLO" && len(words) > 1:
		c.proto, _ = strconv.Atoi(words[1])
		c.want = c.proto
		for i, word := range words[2:] {
			if strings.EqualFold(word, "AUTH") && i+4 < len(words) {
				c.User, c.Password = words[i+3], words[i+4]
			}
		}
	case name == "RESET":
		c.multi, c.DB, c.proto = false, 0, 2
		return c.agree(ctx)
	}
	return nil
}

// learnUser keeps who has logged in, for the next link.
func (c *client) learnUser(ctx context.Context, words []string) error {
	switch len(words) {
	case 2:
		c.User, c.Password = "", words[1]
	case 3:
		c.User, c.Password = words[1], words[2]
	}
	return c.agree(ctx)
}

func (c *client) address() string {
	if c.Socket != "" {
		return c.Socket
	}
	return fmt.Sprintf("%s:%d", c.Host, c.Port)
}

// prompt is what stands before a line.
func (c *client) prompt() string {
	if c.link == nil {
		return "not connected> "
	}
	text := c.address()
	if c.DB != 0 {
		text += fmt.Sprintf("[%d]", c.DB)
	}
	if c.multi {
		text += "(TX)"
	}
	return text + "> "
}
