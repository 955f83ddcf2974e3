package cli

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"time"

	"github.com/troupedb/troupe/resp"
)

// prompt converses with whoever sits at the terminal.
func (t *talk) prompt() error {
	keys, err := newKeyboard(&t.shelf)
	if err != nil {
		return err
	}
	defer keys.close()
	t.keys, t.Out = keys, keys.editor.Stdout()
	past := openHistory(t.client.History, t.Environ)
	for _, line := range past.lines {
		_ = keys.editor.SaveHistory(line)
	}
	// Between two lines Ctrl-C is for what runs, which asks to hear of it too.
	ignored := make(chan os.Signal, 1)
	signal.Notify(ignored, os.Interrupt)
	defer signal.Stop(ignored)

	t.interruptibly(func(ctx context.Context) error {
		err := t.client.open(ctx)
		t.learnCommands(ctx, false)
		return err
	})
	for {
		line, err := t.lineOf(keys)
		if err != nil {
			return nil
		}
		words, ok := splitLine(line)
		keys.forget()
		if ok && len(words) > 0 && !hasSecret(words) {
			_ = keys.editor.SaveHistory(line)
			past.add(line)
		}
		switch {
		case !ok:
			t.sayf("Invalid argument(s)")
		case len(words) == 0:
		case isQuit(words):
			return nil
		default:
			t.interruptibly(func(ctx context.Context) error { return t.typed(ctx, words) })
		}
	}
}

// lineOf waits for a line, and shows what comes meanwhile.
func (t *talk) lineOf(keys *keyboard) (string, error) {
	link := t.client.link
	if link == nil {
		return keys.line(t.client.prompt())
	}
	over, done := make(chan struct{}), make(chan bool)
	go func() {
		for {
			select {
			case a := <-link.in:
				if a.err != nil {
					done <- true
					return
				}
				t.showPush(a.reply)
			case <-over:
				done <- false
				return
			}
		}
	}()
	line, err := keys.line(t.client.prompt())
	close(over)
	if ended := <-done; ended {
		t.client.drop()
	}
	return line, err
}

// interruptibly runs what Ctrl-C may end, and says what went wrong.
func (t *talk) interruptibly(f func(context.Context) error) {
	ctx, stop := interruptible()
	defer stop()
	switch err := f(ctx); {
	case err == nil:
	case ctx.Err() != nil:
		t.sayf("(interrupted; the next command opens a new link)")
	default:
		t.sayf("%v", err)
	}
}

// slow is from where on a command's time is shown.
const slow = 500 * time.Millisecond

// typed runs a line: a number before a command repeats it.
func (t *talk) typed(ctx context.Context, words []string) error {
	switch {
	case is(words, "CLEAR") && len(words) == 1:
		t.emit([]byte("\x1b[H\x1b[2J"))
		return nil
	case is(words, "CONNECT") && len(words) == 3:
		return t.connect(ctx, words[1], words[2])
	}
	times := 1
	if n, err := strconv.Atoi(words[0]); err == nil && len(words) > 1 && n > 0 {
		times, words = n, words[1:]
	}
	for i := range times {
		if i > 0 && !wait(ctx, t.client.pause()) {
			return nil
		}
		if err := t.timed(ctx, words); err != nil {
			return err
		}
	}
	return nil
}

func (t *talk) timed(ctx context.Context, words []string) error {
	begin := time.Now()
	failed, err := t.run(ctx, words)
	if took := time.Since(begin); err == nil && took >= slow && t.form == Human && !isWatch(words) {
		t.sayf("(%.2fs)", took.Seconds())
	}
	if err == nil && !failed {
		t.learnCommands(ctx, is(words, "AUTH", "HELLO"))
	}
	return err
}

// learnCommands has the server tell of its commands if it has not: once a link,
// and again if somebody else may ask now.
func (t *talk) learnCommands(ctx context.Context, again bool) {
	c := t.client
	if c.link == nil || c.multi || !t.shelf.book().isEmpty() || t.told == c.link && !again {
		return
	}
	t.told = c.link
	t.shelf.Store(readBook(ctx, c))
}

// connect goes to another server.
func (t *talk) connect(ctx context.Context, host, port string) error {
	number, err := strconv.Atoi(port)
	if err != nil {
		return fmt.Errorf("%s is no port", port)
	}
	t.client.drop()
	t.client.Host, t.client.Port, t.client.Socket, t.client.DB = host, number, "", 0
	t.shelf.Store(&book{}) // another server may have others
	err = t.client.open(ctx)
	t.learnCommands(ctx, false)
	return err
}

// fields are those of a map, which RESP2 has as a list.
func fields(r resp.Reply) map[string]resp.Reply {
	all := map[string]resp.Reply{}
	items := r.Items()
	for i := 0; i+1 < len(items); i += 2 {
		all[items[i].Str()] = items[i+1]
	}
	return all
}
