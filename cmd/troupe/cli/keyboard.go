package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"

	"github.com/chzyer/readline"
)

// keyboard edits lines. A goroutine of its own waits in the editor; between
// two lines, while a command runs, nobody reads the terminal, which is then as
// other programs have it, so that Ctrl-C is a signal. While answers come without
// end the editor reads on without being seen, so that no key spoils them.
type keyboard struct {
	editor  *readline.Instance
	stdin   io.Closer
	lines   chan typed
	reading bool // the goroutine waits in the editor
	// promptWidth is how much of the line the prompt takes.
	promptWidth atomic.Int32
	hidden      atomic.Bool // nothing is edited, and only the keys that end are heard
	resized     chan struct{}
}

// typed is a line, or how its input ended.
type typed struct {
	line string
	err  error
}

// The keys that are told apart.
const (
	keyInterrupt = 3
	keyEnd       = 4
)

// errLeave asks to leave.
var errLeave = io.EOF

func newKeyboard(books *shelf) (*keyboard, error) {
	stdin := readline.NewCancelableStdin(os.Stdin)
	k := &keyboard{stdin: stdin, lines: make(chan typed), resized: make(chan struct{}, 1)}
	config := &readline.Config{
		Stdin:        stdin,
		AutoComplete: books, Painter: painter{k, books},
		InterruptPrompt: "\n", EOFPrompt: "\n",
		HistoryLimit: historyMax, DisableAutoSaveHistory: true, HistorySearchFold: true,
		FuncFilterInputRune: k.filter, FuncOnWidthChanged: k.onResize,
	}
	var err error
	if k.editor, err = readline.NewEx(config); err == nil {
		k.tidyUpWhenKilled()
	}
	return k, err
}

// tidyUpWhenKilled gives the terminal back in order when the process is told to end.
func (k *keyboard) tidyUpWhenKilled() {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		number, _ := (<-signals).(syscall.Signal)
		_ = k.editor.Terminal.ExitRawMode()
		os.Exit(128 + int(number))
	}()
}

// filter lets keys through to the editor.
func (k *keyboard) filter(key rune) (rune, bool) {
	if !k.hidden.Load() {
		return key, true
	}
	switch key {
	case keyInterrupt, keyEnd, 'q':
		return keyInterrupt, true
	case 0:
		return key, true
	}
	return 0, false
}

// onResize is given what the editor does when the terminal's size changes.
func (k *keyboard) onResize(adapt func()) {
	changes := make(chan os.Signal, 1)
	signal.Notify(changes, syscall.SIGWINCH)
	go func() {
		for range changes {
			adapt()
			select {
			case k.resized <- struct{}{}:
			default:
			}
		}
	}()
}

// start has the goroutine wait for a line.
func (k *keyboard) start() {
	if k.reading {
		k.editor.Refresh()
		return
	}
	k.reading = true
	go func() {
		line, err := k.editor.Readline()
		k.lines <- typed{line, err}
	}()
}

// line waits for a line. Ctrl-C empties it, Ctrl-D is errLeave.
func (k *keyboard) line(prompt string) (string, error) {
	for {
		k.promptWidth.Store(int32(len(prompt)))
		k.editor.SetPrompt(prompt)
		k.start()
		got := <-k.lines
		k.reading = false
		switch {
		case got.err == nil:
			return got.line, nil
		case errors.Is(got.err, readline.ErrInterrupt):
		default:
			return "", errLeave
		}
	}
}

// untilKey is a context that ends with Ctrl-C, Ctrl-D or q. Until stop is called
// nothing that is typed is seen.
func (k *keyboard) untilKey(ctx context.Context) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	k.hidden.Store(true)
	k.editor.SetPrompt("")
	k.start()
	over, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		select {
		case <-k.lines:
			k.reading = false
			cancel()
		case <-over:
		}
	}()
	return ctx, func() {
		close(over)
		<-done
		cancel()
		k.hidden.Store(false)
	}
}

// forget has the editor forget the line that it gave last, and where in its
// history that was found: else it would keep a line found by searching as empty.
func (k *keyboard) forget() { _ = k.editor.SaveHistory("") }

// close leaves the terminal as it was, also while the goroutine still waits.
func (k *keyboard) close() {
	_ = k.stdin.Close()
	_ = k.editor.Close()
}

// painter shows a hint behind the line.
type painter struct {
	keys  *keyboard
	books *shelf
}

// Paint is called by the editor for each picture of the line. The cursor's place
// is kept by the terminal while the hint is written, which the next picture
// wipes out.
func (p painter) Paint(line []rune, at int) []rune {
	const keep, grey, plain, back = "\x1b7", "\x1b[90m", "\x1b[0m", "\x1b8"
	if at != len(line) || len(line) == 0 || line[len(line)-1] == '\n' {
		return line
	}
	hint := []rune(p.books.hint(string(line)))
	room := readline.GetScreenWidth() - int(p.keys.promptWidth.Load()) - len(line) - 1
	if len(hint) == 0 || room < 2 {
		return line
	}
	if len(hint) > room {
		hint = append(hint[:room-1], '…')
	}
	painted := append([]rune{}, line...)
	return append(painted, []rune(keep+grey+string(hint)+plain+back)...)
}
