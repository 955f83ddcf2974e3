package actors

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/session"
)

// Do runs any command and returns its answer. An error that the command answers
// is a *CommandError.
//
// The words of the command may be strings, []byte, numbers, truths (1 and 0), and
// lists of strings. A time.Duration is written in seconds, or in milliseconds
// where the word before it (PX, BLOCK) or the command (PEXPIRE) says so, and a
// time.Time as the moment in these units.
//
// A command that waits (BLPOP) is given up when the context ends, without having
// taken anything. Another that is under way then may come to its end unseen.
//
// Commands that change the state of a link (SELECT, MULTI) have no meaning here
// and are refused: see DB.DB, Batch, Update, Subscribe and Watch, and Conn for a
// link of one's own.
func (db *DB) Do(ctx context.Context, command string, args ...any) (Reply, error) {
	c, err := db.begin(ctx)
	if err != nil {
		return Reply{}, err
	}
	c.whole = true
	c.text(command)
	if err := c.add(args); err != nil {
		c.end()
		return Reply{}, err
	}
	row := db.system.Server.Catalogue.Lookup(c.list(0, len(c.ends)))
	if err := db.run(ctx, c, row); err != nil {
		return Reply{}, err
	}
	reply := c.replies[0]
	c.end()
	return errOf(reply)
}

// ErrNoLink is what a command returns that is about a link, where there is none.
var ErrNoLink = errors.New("troupe: the command is about a link")

// linkCommands are those that change what a link does from then on, and what
// there is instead.
var linkCommands = map[string]string{
	"SELECT": "DB.DB", "MULTI": "DB.Batch", "EXEC": "DB.Batch", "DISCARD": "DB.Batch",
	"WATCH": "DB.Update", "UNWATCH": "DB.Update",
	"OBSERVE": "DB.Watch", "UNOBSERVE": "DB.Watch",
	"SUBSCRIBE": "DB.Subscribe", "PSUBSCRIBE": "DB.PSubscribe", "SSUBSCRIBE": "DB.Subscribe",
	"UNSUBSCRIBE": "DB.Subscribe", "PUNSUBSCRIBE": "DB.PSubscribe", "SUNSUBSCRIBE": "DB.Subscribe",
	"AUTH": "DB.Conn", "HELLO": "DB.Conn", "RESET": "DB.Conn", "QUIT": "DB.Conn",
	"CLIENT|SETNAME": "DB.Conn", "CLIENT|SETINFO": "DB.Conn", "CLIENT|NO-EVICT": "DB.Conn",
	"CLIENT|NO-TOUCH": "DB.Conn", "CLIENT|REPLY": "", "CLIENT|TRACKING": "", "CLIENT|CACHING": "",
	"MONITOR": "", "SHUTDOWN": "DB.Close",
}

// connCommands are those of linkCommands that make sense on a link of one's own.
var connCommands = map[string]bool{
	"SELECT": true, "MULTI": true, "EXEC": true, "DISCARD": true, "WATCH": true, "UNWATCH": true,
	"AUTH": true, "CLIENT|SETNAME": true, "CLIENT|SETINFO": true, "CLIENT|NO-EVICT": true, "CLIENT|NO-TOUCH": true,
}

// refuse says why a command can't be run, on a link of one's own or not; nil if
// it can.
func refuse(row *session.Command, own bool) error {
	if row == nil {
		return nil
	}
	name := row.Name
	if row.Watches != nil {
		name = "OBSERVE"
	}
	instead, about := linkCommands[name]
	switch {
	case !about, own && connCommands[name]:
		return nil
	case instead == "":
		return fmt.Errorf("%w: %s", ErrNoLink, row.Name)
	}
	return fmt.Errorf("%w: %s; see %s", ErrNoLink, row.Name, instead)
}

// run runs the one command whose words are the call's argv, and captures its
// reply. If it returns an error, the call has been given back.
func (db *DB) run(ctx context.Context, c *errand, row *session.Command) error {
	if db.reads != nil {
		if err := db.mayRead(ctx, row, c.argv); err != nil {
			c.end()
			return err
		}
	}
	if row != nil && !row.GoesToShards() {
		return db.runOnLink(ctx, c, row)
	}
	refusal, err := db.admit(ctx, row, c.argv)
	if err != nil {
		c.end()
		return err
	}
	if refusal.IsError() {
		c.captured.Append(nil, refusal)
		return nil
	}
	c.x.Encoder = &c.captured
	db.local.Aim(&c.x, row, c.argv)
	return c.run(ctx)
}

// admit waits until the guards let a command run, or returns how they refuse it.
func (db *DB) admit(ctx context.Context, row *session.Command, argv [][]byte) (refusal resp.Reply, err error) {
	for _, word := range argv {
		if len(word) > wordMin && len(word) > db.local.ArgumentMax() {
			return errWordSize, nil
		}
	}
	refusal, wait := db.local.Admit(row, argv)
	if !wait {
		return refusal, nil
	}
	ticker := time.NewTicker(waitInterval)
	defer ticker.Stop()
	for wait {
		select {
		case <-ctx.Done():
			return refusal, ctx.Err()
		case <-db.done:
			return refusal, db.failure()
		case <-ticker.C:
		}
		refusal, wait = db.local.Admit(row, argv)
	}
	return refusal, nil
}

// waitInterval is how often a command that must wait (CLIENT PAUSE, a disk that
// does not keep up) looks whether it may run.
const waitInterval = time.Millisecond

// wordMin is a length, in bytes, that no limit on words is below.
const wordMin = 1 << 20

var errWordSize = resp.Error("ERR a word of the command is longer than proto-max-bulk-len")

// runOnLink runs the command in a session.
func (db *DB) runOnLink(ctx context.Context, c *errand, row *session.Command) error {
	err := refuse(row, false)
	var reply resp.Reply
	if err == nil {
		reply, err = db.links.do(ctx, db, c.argv)
	}
	if err != nil {
		c.end()
		return db.explain(ctx, err)
	}
	c.captured.Append(nil, reply)
	return nil
}

// explain is why a link has failed: mostly because the database or the context
// has ended.
func (db *DB) explain(ctx context.Context, err error) error {
	if why := db.may(ctx); why != nil {
		return why
	}
	return err
}
