// Package cli is the client on the command line: single commands, a prompt, and
// live queries whose result is kept up to date in place.
//
// It owns the terminal while it runs and promises to leave it as it was. It
// behaves as redis-cli does where that has the same; a link that is lost is
// opened again. It knows no command of the server by itself: what can be
// completed and hinted at is what the server tells by COMMAND DOCS.
package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/chzyer/readline"
)

// Streams are what the client reads and writes.
type Streams struct {
	In          io.Reader
	Out, Err    io.Writer
	Environ     func(string) string
	InTerminal  bool // In is a terminal
	OutTerminal bool // Out is one
}

// Process are the streams of this process.
func Process() Streams {
	return Streams{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Environ: os.Getenv,
		InTerminal: readline.IsTerminal(int(os.Stdin.Fd())), OutTerminal: readline.IsTerminal(int(os.Stdout.Fd())),
	}
}

// The exit codes.
const (
	exitFailure = 1
	exitUsage   = 2
)

// Run does what the options ask for, and returns the exit code.
func Run(o *Options, s Streams) int {
	err := run(o, s)
	var told exitCode
	var badly usage
	switch {
	case err == nil:
		return 0
	case errors.As(err, &told):
		return int(told)
	case errors.As(err, &badly):
		fmt.Fprintln(s.Err, "troupe cli:", err)
		return exitUsage
	}
	fmt.Fprintln(s.Err, err)
	return exitFailure
}

// exitCode is an end about which all has been said.
type exitCode int

func (c exitCode) Error() string { return fmt.Sprintf("exit code %d", int(c)) }

func run(o *Options, s Streams) error {
	if err := o.settle(s.Environ); err != nil {
		return err
	}
	if err := o.login(s); err != nil {
		return err
	}
	if o.Pipe {
		return o.pipe(s)
	}
	words, err := o.words(s.In)
	if err != nil {
		return err
	}
	t := &talk{Streams: s, form: o.form(s.OutTerminal)}
	t.client = &client{Options: o, want: o.protocol(t.form, words), say: s.Err, push: t.showPush}
	t.between, t.after = o.Between, o.After
	defer t.close()
	switch {
	case o.Scan:
		return t.scan()
	case len(words) > 0 && s.InTerminal && s.OutTerminal && (isWatch(words) || isStream(words)):
		return t.runOnTerminal(words)
	case len(words) > 0:
		return t.runAll(words)
	case s.InTerminal && s.OutTerminal:
		return t.prompt()
	}
	return t.runLines()
}

// login gets the password where it is asked for, and says that one on the
// command line can be seen by others.
func (o *Options) login(s Streams) error {
	switch {
	case o.Ask:
		password, err := readline.Password("Please input password: ")
		if err != nil {
			return err
		}
		o.Password = string(password)
	case o.Password != "" && !o.NoWarn:
		fmt.Fprintln(s.Err, "Warning: a password on the command line can be seen by others; TROUPECLI_AUTH in the environment can not.")
	}
	return nil
}

// protocol is the one to ask for. Raw and CSV are read by programs that know
// the flat lists of RESP2; what is watched has types and comes as pushes.
func (o *Options) protocol(form Form, words []string) int {
	switch {
	case o.RESP3:
		return 3
	case o.RESP2, (form == Raw || form == CSV) && !isWatch(words):
		return 2
	}
	return 3
}

// words is the command given, with what it takes from files and standard input.
func (o *Options) words(in io.Reader) ([]string, error) {
	words := o.Words
	if o.Eval != "" {
		script, err := os.ReadFile(o.Eval)
		if err != nil {
			return nil, fmt.Errorf("Can't open file '%s': %w", o.Eval, err)
		}
		words = evalWords(string(script), words)
	}
	if !o.LastIn && o.TagIn == "" {
		return words, nil
	}
	text, err := io.ReadAll(in)
	if err != nil {
		return nil, err
	}
	if o.LastIn {
		return append(words, string(text)), nil
	}
	for i, word := range words {
		if word == o.TagIn {
			words[i] = string(text)
			return words, nil
		}
	}
	return nil, usage{errors.New("Using -X option but stdin tag not match.")}
}

// evalWords is the EVAL of a script with keys, a comma and arguments.
func evalWords(script string, words []string) []string {
	var keys, args []string
	for i, word := range words {
		if word == "," {
			args = words[i+1:]
			break
		}
		keys = append(keys, word)
	}
	all := append([]string{"EVAL", script, fmt.Sprint(len(keys))}, keys...)
	return append(all, args...)
}

// runAll runs a command as often as the options say.
func (t *talk) runAll(words []string) error {
	ctx, stop := interruptible()
	defer stop()
	for i := 0; t.client.Repeat < 0 || i < t.client.Repeat; i++ {
		if i > 0 && !wait(ctx, t.client.pause()) {
			return exitCode(130)
		}
		failed, err := t.run(ctx, words)
		if err != nil {
			return interrupted(ctx, err)
		}
		if failed && t.client.Fail {
			return exitCode(exitFailure)
		}
	}
	return nil
}

// runOnTerminal is runAll for what shows more and more: no key spoils it.
func (t *talk) runOnTerminal(words []string) (err error) {
	if t.keys, err = newKeyboard(&t.shelf); err != nil {
		return err
	}
	defer t.keys.close()
	t.Out = t.keys.editor.Stdout()
	return t.runAll(words)
}

// runLines runs the lines of the input, and ends at the first without a link.
func (t *talk) runLines() error {
	ctx, stop := interruptible()
	defer stop()
	failed := false
	lines := bufio.NewReader(t.In)
	for {
		line, end := lines.ReadString('\n')
		words, ok := splitLine(line)
		switch {
		case !ok:
			fmt.Fprintln(t.Err, "Invalid argument(s)")
			failed = true
		case len(words) > 0 && isQuit(words):
			return nil
		case len(words) > 0:
			wrong, err := t.run(ctx, words)
			if err != nil {
				return interrupted(ctx, err)
			}
			failed = failed || wrong
		}
		if end != nil {
			break
		}
	}
	if failed && t.client.Fail {
		return exitCode(exitFailure)
	}
	return nil
}

// interruptible is a context that Ctrl-C ends.
func interruptible() (context.Context, context.CancelFunc) {
	return signal.NotifyContext(context.Background(), os.Interrupt)
}

// interrupted is the error of what may have been ended by Ctrl-C.
func interrupted(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return exitCode(130)
	}
	return err
}

// wait lets time pass; it is false if it was interrupted.
func wait(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

func isQuit(words []string) bool {
	name := strings.ToLower(words[0])
	return len(words) == 1 && (name == "quit" || name == "exit")
}
