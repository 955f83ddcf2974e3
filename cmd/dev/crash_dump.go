package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/troupedb/troupe/resp"
)

// dump is all that a server holds.
type dump struct {
	cells    dataset
	from, to int64 // when it was read, Unix milliseconds
}

// readers are the commands that tell a whole value, by its type.
var readers = map[string][]string{
	"string": {"GET", ""}, "list": {"LRANGE", "", "0", "-1"}, "hash": {"HGETALL", ""},
	"set": {"SMEMBERS", ""}, "zset": {"ZRANGE", "", "0", "-1", "WITHSCORES"}, "stream": {"XRANGE", "", "-", "+"},
}

// crashDatabases are those that something is written to.
var crashDatabases = []string{"0", "1", "2", "8", "9"}

// readDump reads everything.
func readDump(l *link) (dump, error) {
	d := dump{cells: dataset{}, from: time.Now().UnixMilli()}
	for _, db := range crashDatabases {
		if _, err := l.ask("SELECT", db); err != nil {
			return d, err
		}
		keys, err := l.ask("KEYS", "*")
		if err != nil {
			return d, err
		}
		var names []string
		for _, key := range keys.Items() {
			names = append(names, strings.Clone(key.Str()))
		}
		if err := d.database(l, db, names); err != nil {
			return d, fmt.Errorf("database %s: %w", db, err)
		}
	}
	err := d.register(l)
	d.to = time.Now().UnixMilli()
	return d, err
}

// register reads the number that a function says.
func (d *dump) register(l *link) error {
	reply, err := l.ask("FCALL_RO", "register", "0")
	var refusal errorReply
	if errors.As(err, &refusal) && strings.Contains(string(refusal), "Function not found") {
		return nil
	}
	if err == nil {
		d.cells[registerKey] = &datum{kind: "function", text: strings.Clone(reply.Str())}
	}
	return err
}

// database reads the keys of one.
func (d *dump) database(l *link, db string, keys []string) error {
	for _, key := range keys {
		l.out = appendCommand(appendCommand(l.out, "TYPE", key), "PEXPIRETIME", key)
	}
	if err := l.send(); err != nil {
		return err
	}
	read := map[string]*datum{}
	for _, key := range keys {
		c := &datum{}
		kind, err1 := l.read()
		deadline, err2 := l.read()
		if err := errors.Join(err1, err2); err != nil {
			return err
		}
		c.kind, c.deadline = strings.Clone(kind.Str()), max(deadline.Int(), 0)
		if c.kind != "none" {
			read[key] = c
		}
	}
	for key, c := range read {
		if err := c.read(l, key); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
		if !c.isEmpty() && !c.gone { // it has gone meanwhile
			d.cells[db+"/"+key] = c
		}
	}
	return d.expired(db)
}

// expired holds that nothing is shown that was past its deadline before reading
// began.
func (d *dump) expired(db string) error {
	const slack = 100
	for name, c := range d.cells {
		if at, key := splitName(name); at == db && c.deadline > 0 && c.deadline < d.from-slack {
			return fmt.Errorf("%s is there, %d ms past its deadline", key, d.from-c.deadline)
		}
	}
	return nil
}

// read reads the value of a key.
func (c *datum) read(l *link, key string) error {
	words := append([]string(nil), readers[c.kind]...)
	if words == nil {
		return fmt.Errorf("it is of type %q", c.kind)
	}
	words[1] = key
	reply, err := l.ask(words...)
	if err != nil {
		return err
	}
	c.take(reply)
	return nil
}

func (c *datum) take(reply resp.Reply) {
	switch c.kind {
	case "string":
		c.text, c.gone = strings.Clone(reply.Str()), reply.IsNull()
	case "list":
		c.items = texts(reply)
	case "stream":
		for _, entry := range reply.Items() {
			pair := entry.Items()
			c.items = append(append(c.items, strings.Clone(pair[0].Str())), texts(pair[1])...)
		}
	case "set":
		c.pairs = map[string]string{}
		for _, member := range texts(reply) {
			c.pairs[member] = ""
		}
	default:
		c.pairs = map[string]string{}
		items := texts(reply)
		for i := 0; i+1 < len(items); i += 2 {
			c.pairs[items[i]] = items[i+1]
		}
	}
}

func texts(reply resp.Reply) (all []string) {
	for _, item := range reply.Items() {
		all = append(all, strings.Clone(item.Str()))
	}
	return all
}

// splitName parts a cell's name.
func splitName(name string) (db, key string) {
	db, key, found := strings.Cut(name, "/")
	if !found {
		return "", name
	}
	return db, key
}

// owner is the writer whose key it is, -1 if it is one for all.
func owner(name string) (writer int, err error) {
	_, key := splitName(name)
	if key == registerKey {
		return 1, nil
	}
	prefix, _, _ := strings.Cut(key, ":")
	switch prefix {
	case "ledger", "queue", "done":
		return -1, nil
	}
	n, found := strings.CutPrefix(prefix, "w")
	if writer, err = strconv.Atoi(n); !found || err != nil {
		return 0, fmt.Errorf("nobody has written %q", name)
	}
	return writer, nil
}

// parts are the cells of each writer, and of all.
func (d *dump) parts(writers int) (own []dataset, shared dataset, err error) {
	own, shared = make([]dataset, writers), dataset{}
	for i := range own {
		own[i] = dataset{}
	}
	for name, c := range d.cells {
		switch n, err := owner(name); {
		case err != nil:
			return nil, nil, err
		case n >= writers:
			return nil, nil, fmt.Errorf("nobody has written %q", name)
		case n < 0:
			shared[name] = c
		default:
			own[n][name] = c
		}
	}
	return own, shared, nil
}
