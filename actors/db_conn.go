package actors

import "context"

// Conn is a link of one's own inside the process, for commands that change what a
// link does: MULTI, WATCH, SELECT, CLIENT SETNAME. Most code needs none. It is
// shown by CLIENT LIST. One goroutine at a time may use it.
type Conn struct {
	db   *DB
	link *link
}

// Conn opens one. It must be closed.
func (db *DB) Conn(ctx context.Context) (*Conn, error) {
	c, err := db.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer c.end()
	l, err := dialLink(db)
	if err != nil {
		return nil, db.explain(ctx, err)
	}
	return &Conn{db, l}, nil
}

// Do runs a command, as DB.Do does. If the context ends meanwhile, the link is not
// good for others any more.
func (n *Conn) Do(ctx context.Context, command string, args ...any) (Reply, error) {
	c, err := n.db.begin(ctx)
	if err != nil {
		return Reply{}, err
	}
	defer c.end()
	c.text(command)
	if err := c.add(args); err != nil {
		return Reply{}, err
	}
	argv := c.list(0, len(c.ends))
	if err := refuse(n.db.system.Server.Catalogue.Lookup(argv), true); err != nil {
		return Reply{}, err
	}
	if n.link.spent {
		return Reply{}, errUnsent
	}
	reply, err := n.link.do(ctx, argv)
	if err != nil {
		n.link.spent = true
		n.link.close()
		return Reply{}, n.db.explain(ctx, err)
	}
	return errOf(reply)
}

// Close ends the link.
func (n *Conn) Close() error {
	n.link.close()
	return nil
}
