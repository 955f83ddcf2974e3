package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/troupedb/troupe/resp"
)

// watching is a live query that is shown until Ctrl-C.
type watching struct {
	*talk
	words  []string
	screen *screen // nil: a line a frame
	last   frame
	state  resp.Reply // the last result, put together from deltas
	drawn  time.Time
	later  <-chan time.Time // when to draw what is not drawn yet
	calm   <-chan time.Time // when to draw a rate that has fallen
}

// pictureWait is the least time between two pictures: more are seen by nobody.
const pictureWait = 40 * time.Millisecond

// retryMax is the longest time between two tries to get a link again.
const retryMax = 2 * time.Second

// watch shows a live query. It is over with Ctrl-C, which leaves the link as it
// was, or when the server says so.
func (t *talk) watch(ctx context.Context, words []string) (failed bool, err error) {
	if t.client.link != nil {
		t.client.catchUp()
	}
	if err := t.client.open(ctx); err != nil {
		return false, err
	}
	w := &watching{talk: t, words: words}
	if t.form == Human && t.OutTerminal && t.Environ("TERM") != "dumb" {
		w.screen = &screen{query: quoted(words), colours: t.Environ("NO_COLOR") == "", size: terminalSize, now: time.Now}
	}
	ctx, stop := t.untilKey(ctx)
	defer stop()
	if err := t.client.link.send(words...); err != nil {
		return false, t.client.lost(err)
	}
	for {
		over, failed, err := w.step(ctx)
		if over || err != nil {
			return failed, err
		}
	}
}

// step waits for what comes next.
func (w *watching) step(ctx context.Context) (over, failed bool, err error) {
	link := w.client.link
	var resized <-chan struct{}
	if w.keys != nil {
		resized = w.keys.resized
	}
	select {
	case a := <-link.in:
		if a.err != nil {
			over, err = w.again(ctx, a.err)
			return over, false, err
		}
		return w.take(ctx, a.reply)
	case <-w.later:
		w.draw()
	case <-w.calm:
		w.draw()
	case <-resized:
		w.draw()
	case <-ctx.Done():
		return true, false, w.end()
	}
	return false, false, nil
}

// take shows what came, if it is of the query. Anything else before the first
// frame is the answer that there will be none.
func (w *watching) take(ctx context.Context, r resp.Reply) (over, failed bool, err error) {
	f, isFrame := readFrame(r)
	switch {
	case !isFrame && r.Kind() == resp.Out:
		return false, false, nil
	case !isFrame && w.last.token != "" && strings.HasPrefix(r.Str(), "LOADING"):
		over, err = w.again(ctx, errors.New(r.Str())) // a server that has come back is asked again
		return over, false, err
	case !isFrame:
		w.print(nil, r)
		return true, r.IsError(), nil
	case f.kind == "end" && f.result.Str() == serverStopping:
		return false, false, nil // the link's end follows, and then the next server's answer
	}
	return w.takeFrame(f), f.kind == "end", nil
}

// serverStopping is why a watch ends that goes on at the next server.
const serverStopping = "ERR the server is stopping"

func (w *watching) takeFrame(f frame) (over bool) {
	switch f.kind {
	case "delta":
		w.state = applyDelta(w.state, f.result, w.hasScores())
	case "progress":
	default:
		w.state = f.result
	}
	w.last = f
	if w.screen == nil {
		w.emit(append(w.line(f), '\n'))
		return f.kind == "end"
	}
	w.screen.take(f, w.state)
	switch wait := pictureWait - time.Since(w.drawn); {
	case wait <= 0 || f.kind == "end":
		w.draw()
	case w.later == nil:
		w.later = time.After(wait)
	}
	return f.kind == "end"
}

// hasScores reports whether the elements are pairs though they look like none.
func (w *watching) hasScores() bool {
	for _, word := range w.words[1:] {
		if w.client.proto == 2 && strings.EqualFold(word, "WITHSCORES") {
			return true
		}
	}
	return false
}

func (w *watching) draw() {
	w.later = nil
	if w.screen != nil && w.last.token != "" {
		w.drawn = time.Now()
		w.emit(w.screen.picture())
		if w.calm = nil; w.screen.meter.isMoving() {
			w.calm = time.After(time.Second)
		}
	}
}

// line is a frame for programs: in JSON, or its version, how many changes it
// covers, its kind and its result in JSON.
func (w *watching) line(f frame) []byte {
	switch w.form {
	case JSON:
		return f.appendJSON(nil, queryOf(w.words))
	case CSV:
		return appendCSV(fmt.Appendf(nil, "%d,%d,%s,", f.version, f.covered, f.kind), f.result)
	}
	return appendJSON(fmt.Appendf(nil, "%d %d %s ", f.version, f.covered, f.kind), f.result)
}

// end stops the query and leaves the link to the prompt.
func (w *watching) end() error {
	if w.screen != nil && w.later != nil {
		w.draw()
	}
	if w.keys == nil {
		return nil
	}
	ctx, stop := interruptible()
	defer stop()
	if w.last.fingerprint == "" {
		w.client.drop() // there was no answer yet, and what comes is not known
		return nil
	}
	if err := w.client.link.send("UNWATCH", w.last.fingerprint); err != nil {
		return w.client.lost(err)
	}
	return w.client.fence(ctx)
}

// again gets a link after one was lost, and goes on behind the last frame.
func (w *watching) again(ctx context.Context, why error) (over bool, err error) {
	w.client.drop()
	if w.last.token == "" {
		return true, errNoLink{"Error: " + endOf(why), why}
	}
	w.tell("link lost: " + endOf(why) + "; trying again")
	for pause := 50 * time.Millisecond; ; pause = min(2*pause, retryMax) {
		if !wait(ctx, pause) {
			return true, nil
		}
		if err := w.client.open(ctx); err != nil {
			continue
		}
		if w.client.link.send(resuming(w.words, w.last.token)...) == nil {
			return false, nil
		}
		w.client.drop()
	}
}

// tell says something beside the frames.
func (w *watching) tell(text string) {
	if w.screen == nil {
		fmt.Fprintln(w.Err, text)
		return
	}
	w.screen.notice = text
	w.draw()
}

// quoted writes words as they are typed.
func quoted(words []string) string {
	var all []string
	for _, word := range words {
		if plain, isOne := oneWord(word); !isOne || plain != word {
			word = string(resp.AppendQuoted(nil, word))
		}
		all = append(all, word)
	}
	return strings.Join(all, " ")
}
