package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/troupedb/troupe/resp"
)

// duel is a conversation with both servers.
type duel struct{ ours, theirs *side }

// mismatch is the first place at which the servers differ.
type mismatch struct {
	turn    int
	command string
	ours    resp.Reply
	theirs  resp.Reply
}

func (m *mismatch) String() string {
	return fmt.Sprintf("%s\n  Troupe        %s\n  redis-server  %s\n", m.command, resp.Format(m.ours), resp.Format(m.theirs))
}

// replyPatience is how long a server may take for a reply before it counts as lost.
const replyPatience = 20 * time.Second

// play plays the turns to both servers, emptied, and compares each reply, and at the end the data.
func (d *duel) play(turns []turn) (*mismatch, error) {
	defer d.ours.closeAll()
	defer d.theirs.closeAll()
	for _, s := range []*side{d.ours, d.theirs} {
		if _, err := s.askAlone("FLUSHALL"); err != nil {
			return nil, err
		}
	}
	var open [duelClients]transaction
	for i := range turns {
		t := &turns[i]
		if t.fresh || d.ours.links[t.client] == nil {
			if err := errors.Join(d.ours.reopen(t.client, t.proto), d.theirs.reopen(t.client, t.proto)); err != nil {
				return nil, err
			}
			open[t.client] = transaction{}
		}
		found, err := d.playTurn(t, &open[t.client])
		if err != nil || found != nil {
			if found != nil {
				found.turn = i
			}
			return found, err
		}
	}
	return d.compareData(len(turns) - 1)
}

func (d *duel) playTurn(t *turn, open *transaction) (*mismatch, error) {
	var stream []byte
	for _, argv := range t.commands {
		stream = appendCommand(stream, argv...)
	}
	ours, theirs := d.ours.links[t.client], d.theirs.links[t.client]
	if err := ours.sendCut(stream, t.cuts); err != nil {
		return nil, fmt.Errorf("sending to Troupe: %w", err)
	}
	if err := theirs.sendCut(stream, nil); err != nil {
		return nil, fmt.Errorf("sending to redis-server: %w", err)
	}
	for _, argv := range t.commands {
		mine, err := ours.frame()
		if err != nil {
			return nil, fmt.Errorf("Troupe, asked%s: %w", quoteWords(argv), err)
		}
		other, err := theirs.frame()
		if err != nil {
			return nil, fmt.Errorf("redis-server, asked%s: %w", quoteWords(argv), err)
		}
		if !open.compare(argv, mine, other) {
			return &mismatch{command: fmt.Sprintf("%d>%s", t.client+1, quoteWords(argv)), ours: mine, theirs: other}, nil
		}
	}
	return nil, nil
}

// compareData compares the digests of all data.
func (d *duel) compareData(last int) (*mismatch, error) {
	ours, err := d.ours.askAlone("DEBUG", "DIGEST")
	if err != nil {
		return nil, err
	}
	theirs, err := d.theirs.askAlone("DEBUG", "DIGEST")
	if err != nil || ours == theirs {
		return nil, err
	}
	return &mismatch{last, "DEBUG DIGEST", resp.Simple(ours), resp.Simple(theirs)}, nil
}

// shrink looks for a part of the turns that still ends in a mismatch, and reports it as an error.
func (d *duel) shrink(turns []turn, patience time.Duration) error {
	deadline := time.Now().Add(patience)
	var last *mismatch
	for size := len(turns) / 2; size > 0 && time.Now().Before(deadline); {
		shorter, found := d.without(turns, size, deadline)
		if found != nil {
			turns, last = shorter, found
		}
		if found == nil || size > len(turns)/2 {
			size /= 2
		}
	}
	if turns, last = d.withoutCommands(turns, last, deadline); last == nil {
		return errors.New("the servers differ, but not when it is played again")
	}
	var b strings.Builder
	for i := range turns {
		b.WriteString(turns[i].String())
	}
	return fmt.Errorf("the servers differ after\n%s%s", b.String(), last)
}

// without leaves out so many turns at a time as long as a mismatch is left.
func (d *duel) without(turns []turn, size int, deadline time.Time) (shorter []turn, last *mismatch) {
	for from := 0; from < len(turns) && time.Now().Before(deadline); {
		part := append(append([]turn{}, turns[:from]...), turns[min(from+size, len(turns)):]...)
		if found, err := d.play(part); err == nil && found != nil {
			turns, last = part[:found.turn+1], found
		} else {
			from += size
		}
	}
	return turns, last
}

// withoutCommands leaves out single commands.
func (d *duel) withoutCommands(turns []turn, last *mismatch, deadline time.Time) ([]turn, *mismatch) {
	for i := range turns {
		for n := 0; n < len(turns[i].commands) && time.Now().Before(deadline); {
			whole := turns[i].commands
			turns[i].commands = append(append([][]string{}, whole[:n]...), whole[n+1:]...)
			if found, err := d.play(turns); err == nil && found != nil {
				last = found
			} else {
				turns[i].commands = whole
				n++
			}
		}
	}
	return turns, last
}

// sendCut sends a stream in pieces.
func (l *link) sendCut(stream []byte, cuts []int) error {
	for _, n := range cuts {
		n = min(n, len(stream))
		if _, err := l.conn.Write(stream[:n]); err != nil {
			return err
		}
		stream = stream[n:]
	}
	_, err := l.conn.Write(stream)
	return err
}

// frame takes a reply; an error of the server's is one.
func (l *link) frame() (resp.Reply, error) {
	if err := l.conn.SetReadDeadline(time.Now().Add(replyPatience)); err != nil {
		return resp.Nothing, err
	}
	reply, err := l.read()
	var refusal errorReply
	if errors.As(err, &refusal) {
		return resp.Error(string(refusal)), nil
	}
	return reply, err
}
