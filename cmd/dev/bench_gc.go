package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/troupedb/troupe/resp"
)

// gcCmd measures what many keys cost the server in pauses: redis-server has no counterpart, so
// only this tree's server is run. It needs the server's DEBUG command; what that does not offer is said.
type gcCmd struct {
	Server     string `help:"A prebuilt server instead of this tree's ./cmd/troupe." placeholder:"PATH" type:"path"`
	ServerArgs string `help:"More arguments for the server, separated by spaces." placeholder:"ARGS"`
	Keys       int    `help:"Keys to load." default:"10000000"`
	Times      int    `help:"Garbage collections to force." default:"5"`
}

// Run loads the keys and asks the server.
func (c *gcCmd) Run(ctx context.Context) error {
	if c.Keys < 1 || c.Times < 1 {
		return errors.New("--keys and --times take numbers from 1")
	}
	dir, err := os.MkdirTemp("", "troupe-build-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	args := append([]string{"--enable-debug-command", "local"}, strings.Fields(c.ServerArgs)...)
	p, err := troupeProgram(ctx, dir, c.Server, args)
	if err != nil {
		return err
	}
	return withServer(ctx, p, func(s *server) error { return c.measure(os.Stdout, s) })
}

func (c *gcCmd) measure(w io.Writer, s *server) error {
	return s.withLoad(func(l *link, before int64) error {
		if _, err := askDebug(l, "TURNS", "ON"); err != nil {
			return err
		}
		begin := time.Now()
		if err := l.load(c.Keys, func(out []byte, i int) []byte { return appendSet(out, i, original(i)) }); err != nil {
			return err
		}
		lasted := time.Since(begin)
		perKey, err := s.perKey(before, c.Keys)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%d keys loaded in %.1f s, %.1f B of RSS each\n", c.Keys, lasted.Seconds(), perKey)
		if err := printTurns(w, l); err != nil {
			return err
		}
		return c.printCollections(w, l)
	})
}

// printTurns prints how long shards worked without a break while the table grew.
func printTurns(w io.Writer, l *link) error {
	turns, err := askDebug(l, "TURNS")
	if err != nil {
		return err
	}
	fmt.Fprintln(w, "shard turns while the table grew:")
	for _, line := range replyLines(turns) {
		fmt.Fprintln(w, "  "+line)
	}
	return nil
}

// printCollections forces garbage collections and prints their CPU time.
func (c *gcCmd) printCollections(w io.Writer, l *link) error {
	var took []float64
	for range c.Times {
		cost, err := askDebug(l, "GC")
		if err != nil {
			return err
		}
		if cost.Kind() != resp.Number {
			fmt.Fprintf(w, "CPU of a forced garbage collection: %s\n", replyText(cost))
			return nil
		}
		took = append(took, float64(cost.Int())/float64(time.Millisecond))
	}
	s := spreadOf(took)
	fmt.Fprintf(w, "CPU of a forced garbage collection, median of %d: %.2f ms (%.2f–%.2f)\n", c.Times, s.Median, s.Min, s.Max)
	return nil
}

// askDebug asks DEBUG; a server that refuses answers with a sentence instead of a figure.
func askDebug(l *link, what ...string) (resp.Reply, error) {
	reply, err := l.ask(append([]string{"DEBUG"}, what...)...)
	var refusal errorReply
	if errors.As(err, &refusal) {
		return resp.BulkString("not offered (" + string(refusal) + ")"), nil
	}
	return reply, err
}

// replyLines lays a reply out for reading: a text by its lines, a list or map by its pairs.
func replyLines(reply resp.Reply) []string {
	if reply.Kind() != resp.List && reply.Kind() != resp.Pairs {
		text := strings.ReplaceAll(replyText(reply), "\r\n", "\n")
		return strings.Split(strings.TrimRight(text, "\n"), "\n")
	}
	var lines []string
	for pair := range slices.Chunk(reply.Items(), 2) {
		words := make([]string, 0, 2)
		for _, item := range pair {
			words = append(words, replyText(item))
		}
		lines = append(lines, strings.Join(words, "  "))
	}
	return lines
}

// replyText is a reply's text, or what stands for it.
func replyText(reply resp.Reply) string {
	if text := reply.Str(); text != "" {
		return text
	}
	return strings.TrimPrefix(resp.Format(reply), ":")
}
