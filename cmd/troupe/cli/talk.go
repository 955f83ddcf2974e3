package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/troupedb/troupe/resp"
)

// talk runs commands and prints what they are answered. One goroutine uses it at
// a time.
type talk struct {
	Streams
	client         *client
	form           Form
	between, after string
	keys           *keyboard // nil where there is no prompt
	shelf          shelf
	told           *link // that the shelf's book came over
}

func (t *talk) close() { t.client.drop() }

// emit writes what belongs together in one go, so that nothing comes between.
func (t *talk) emit(text []byte) { _, _ = t.Out.Write(text) }

func (t *talk) sayf(pattern string, values ...any) {
	t.emit(fmt.Appendf(nil, pattern+"\n", values...))
}

// run runs one command. failed tells that the server answered with an error; an
// error is the end of the link, or of the patience of whoever waits.
func (t *talk) run(ctx context.Context, words []string) (failed bool, err error) {
	queued := t.client.multi && t.client.link != nil
	switch {
	case is(words, "HELP", "?"):
		return false, t.help(ctx, words[1:])
	case isWatch(words) && !queued:
		return t.watch(ctx, words)
	case isStream(words) && !queued:
		return t.follow(ctx, words)
	}
	r, err := t.client.do(ctx, words)
	if err != nil {
		if is(words, "SHUTDOWN") && errors.Is(err, io.EOF) {
			return false, nil
		}
		return false, err
	}
	t.print(words, r)
	return r.IsError(), nil
}

// print writes the reply to a command.
func (t *talk) print(words []string, r resp.Reply) {
	f := t.format()
	f.forPeople = isForPeople(words)
	t.emit(f.append(nil, r))
}

func (t *talk) format() format {
	return format{form: t.form, between: t.between, after: t.after}
}

// showPush writes what came unasked; where replies are read by programs it is left out.
func (t *talk) showPush(r resp.Reply) {
	if t.form == Human && t.OutTerminal {
		t.emit(append(appendPush(nil, r), '\n'))
	}
}

// appendPush adds a push: keys that are no longer valid as redis-cli shows them,
// others as they are.
func appendPush(dst []byte, r resp.Reply) []byte {
	items := r.Items()
	if len(items) != 2 || items[0].Str() != "invalidate" {
		return append(dst, strings.TrimSuffix(string(appendHuman(nil, r, "")), "\n")...)
	}
	dst = append(dst, "-> invalidate: "...)
	if items[1].IsNull() {
		return append(dst, "all keys"...)
	}
	for i, key := range items[1].Items() {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = append(append(append(dst, '\''), key.Str()...), '\'')
	}
	return dst
}

// follow runs a command whose answers do not end, until Ctrl-C.
func (t *talk) follow(ctx context.Context, words []string) (failed bool, err error) {
	if err := t.client.open(ctx); err != nil {
		return false, err
	}
	if t.form == Human && !is(words, "MONITOR") {
		t.sayf("Reading messages... (press Ctrl-C to quit)")
	}
	ctx, stop := t.untilKey(ctx)
	defer stop()
	if err := t.client.link.send(words...); err != nil {
		return false, t.client.lost(err)
	}
	for {
		r, err := t.client.link.next(ctx)
		switch {
		case err != nil && ctx.Err() != nil:
			return false, t.unfollow(words)
		case err != nil:
			return false, t.client.lost(err)
		}
		t.emit(t.format().append(nil, r))
		if r.IsError() {
			return true, nil
		}
	}
}

// unfollow ends what follow has begun, and keeps the link if the prompt goes on
// and the server has a way to end it.
func (t *talk) unfollow(words []string) error {
	if t.keys == nil {
		return nil
	}
	if is(words, "MONITOR") {
		t.client.drop()
		return nil
	}
	ends := [][]string{{"UNSUBSCRIBE"}, {"PUNSUBSCRIBE"}}
	if is(words, "SSUBSCRIBE") {
		ends = append(ends, []string{"SUNSUBSCRIBE"})
	}
	for _, end := range ends {
		if err := t.client.link.send(end...); err != nil {
			return t.client.lost(err)
		}
	}
	ctx, stop := interruptible()
	defer stop()
	return t.client.fence(ctx)
}

// untilKey is a context that Ctrl-C ends while answers come: a key where there
// is a keyboard, else the signal, which the context given knows.
func (t *talk) untilKey(ctx context.Context) (context.Context, func()) {
	if t.keys == nil {
		return ctx, func() {}
	}
	return t.keys.untilKey(ctx)
}

// fence reads over all that is on its way, so that the next reply is that of the
// next command.
func (c *client) fence(ctx context.Context) error {
	const mark = "troupe-cli: here all messages end"
	if err := c.link.send("ECHO", mark); err != nil {
		return c.lost(err)
	}
	for {
		r, err := c.link.next(ctx)
		if err != nil {
			return c.lost(err)
		}
		if r.Kind() == resp.Text && r.Str() == mark {
			return nil
		}
	}
}
