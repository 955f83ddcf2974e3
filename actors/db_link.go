package actors

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/session"
)

// link is a client of the server inside the process, for commands that need a
// session: those that wait, and those that are not about data. It speaks RESP3
// over a pipe. One goroutine at a time uses it.
type link struct {
	conn    net.Conn
	wire    *resp.Wire
	number  int // of its database
	session *session.Session
	spent   bool // it was given up once: it is not used again
}

// linkPool is the links that are not in use.
type linkPool struct {
	mu     sync.Mutex
	idle   []*link
	closed bool
}

// idleLinks is how many links are kept.
const idleLinks = 16

// do runs a command on a link that is free. Those that an operator has killed
// meanwhile are dropped.
func (p *linkPool) do(ctx context.Context, db *DB, argv [][]byte) (reply resp.Reply, err error) {
	for {
		l := p.take(db.number)
		fresh := l == nil
		if fresh {
			if l, err = dialLink(db); err != nil {
				return resp.Reply{}, err
			}
		}
		reply, err = l.do(ctx, argv)
		if err == nil {
			p.put(l)
			return reply, nil
		}
		l.close()
		if fresh || !errors.Is(err, errUnsent) {
			return resp.Reply{}, err
		}
	}
}

// take takes a link that has selected the database, nil if there is none.
func (p *linkPool) take(number int) *link {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := len(p.idle) - 1; i >= 0; i-- {
		if l := p.idle[i]; l.number == number {
			p.idle = append(p.idle[:i], p.idle[i+1:]...)
			return l
		}
	}
	return nil
}

// put gives a link back, which must be as it was when it was taken.
func (p *linkPool) put(l *link) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || l.spent || len(p.idle) >= idleLinks {
		l.close()
		return
	}
	p.idle = append(p.idle, l)
}

func (p *linkPool) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for _, l := range p.idle {
		l.close()
	}
	p.idle = nil
}

// dialLink opens a link and selects the DB's database.
func dialLink(db *DB) (*link, error) {
	conn, err := db.pipes.Dial()
	if err != nil {
		return nil, err
	}
	l := &link{conn: conn, wire: resp.NewWire(conn), number: db.number}
	id, err := l.ask("CLIENT", "ID")
	if err == nil && db.number > 0 {
		_, err = l.ask("SELECT", strconv.Itoa(db.number))
	}
	if err != nil {
		l.close()
		return nil, fmt.Errorf("troupe: opening a link inside the process: %w", err)
	}
	l.session = db.system.Server.Session(uint64(id.Int()))
	return l, nil
}

// ask is do for words in text that nobody gives up.
func (l *link) ask(words ...string) (resp.Reply, error) {
	argv := make([][]byte, len(words))
	for i, word := range words {
		argv[i] = []byte(word)
	}
	reply, err := l.do(context.Background(), argv)
	if err == nil && reply.IsError() {
		err = commandError(reply.Str())
	}
	return reply, err
}

// do runs a command. After an error the link is to be closed.
func (l *link) do(ctx context.Context, argv [][]byte) (resp.Reply, error) {
	if err := l.send(argv); err != nil {
		return resp.Reply{}, fmt.Errorf("%w: %w", errUnsent, err)
	}
	if ctx.Done() == nil {
		return l.reply()
	}
	stop := context.AfterFunc(ctx, l.session.Abandon)
	reply, err := l.reply()
	if !stop() { // it is given up, or just being so
		l.spent = true
		if err == nil && isGivenUp(reply) {
			err = ctx.Err()
		}
	}
	return reply, err
}

// errUnsent is how a link fails that has ended before a command: the command has
// not been run.
var errUnsent = errors.New("troupe: the link inside the process has ended")

// isGivenUp tells the answer to a command that was abandoned.
func isGivenUp(reply resp.Reply) bool {
	return reply.IsError() && commandError(reply.Str()).Code == "UNBLOCKED"
}

func (l *link) send(argv [][]byte) error {
	l.wire.Add(argv...)
	return l.wire.Flush()
}

// multi runs commands as a transaction and returns the answer to EXEC.
func (p *linkPool) multi(ctx context.Context, db *DB, commands []queued) (exec resp.Reply, err error) {
	l, err := dialLink(db)
	if err != nil {
		return resp.Reply{}, err
	}
	defer l.close()
	stop := context.AfterFunc(ctx, l.close)
	defer stop()
	l.wire.Add([]byte("MULTI"))
	for i := range commands {
		l.wire.Add(commands[i].argv...)
	}
	l.wire.Add([]byte("EXEC"))
	written := make(chan struct{})
	go func() { // the server may want to be read from before it has read all
		defer close(written)
		l.wire.Flush() // if it fails, so does reading
	}()
	for range len(commands) + 2 {
		if exec, err = l.reply(); err != nil {
			break
		}
	}
	l.close()
	<-written
	return exec, err
}

// reply reads the answer to a command, passing over what is pushed.
func (l *link) reply() (resp.Reply, error) {
	for {
		reply, err := l.wire.Read()
		if err != nil || reply.Kind() != resp.Out {
			return reply, err
		}
	}
}

func (l *link) close() { l.conn.Close() }
