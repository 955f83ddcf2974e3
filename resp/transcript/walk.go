package transcript

import (
	"errors"

	"github.com/troupedb/troupe/resp"
)

// walk goes through all that a cursor leads to, and compares what was found
// as if it had come in one reply.
func (r *run) walk(l *link, i int, step *Step) error {
	found, err := r.wholeWalk(l, step)
	if err != nil {
		return err
	}
	r.sorted.on = true
	err = r.compare(i, step, 0, resp.EncoderFor(r.Proto).Append(nil, found))
	r.sorted = sorting{}
	return err
}

// wholeWalk is what was found, or the reply that is no step of a walk.
func (r *run) wholeWalk(l *link, step *Step) (found resp.Reply, err error) {
	var items []resp.Reply
	for cursor := "0"; ; {
		words, ok := resp.SplitLine([]byte(step.Text))
		if !ok {
			return resp.Nothing, errors.New("not a command line")
		}
		for i, word := range words {
			if string(word) == "$" {
				words[i] = []byte(cursor)
			}
		}
		if err := l.write(appendCommand(nil, words)); err != nil {
			return resp.Nothing, err
		}
		frame, err := l.next(r.Patience)
		if err != nil {
			return resp.Nothing, err
		}
		reply, _, err := resp.Decode(frame)
		if err != nil || len(reply.Items()) != 2 {
			return reply, err
		}
		items = append(items, reply.Items()[1].Items()...)
		if cursor = reply.Items()[0].Str(); cursor == "0" {
			return resp.Array(items...), nil
		}
	}
}
