package session

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/resp/dice"
)

// Command is a row of the catalogue: what a command is and where it runs,
// which is one of Data, Here and Subs.
type Command struct {
	*command.Meta
	// Data runs in the shards of the command's keys.
	Data *command.Spec[*keyspace.Tx]
	// Here runs in the session.
	Here func(*Session, *command.Args) resp.Reply
	// Subs are the subcommands of a container, by name in capitals.
	Subs map[string]*Command
	// Watches is the command whose live form this is: GET of GET.WATCH, and the
	// container OBJECT of OBJECT.WATCH.
	Watches *Command
	// Guard, if set, is asked before the command runs; what it answers, if
	// anything, is the reply instead.
	Guard func(*Session) resp.Reply
	// Encoder, if set, encodes the replies instead of the session's. Translate,
	// if set, puts the words into those that Data understands, or refuses them
	// with an error; now is Unix milliseconds. Both are for protocols other than
	// RESP.
	Encoder   resp.Encoder
	Translate func(argv [][]byte, now int64) ([][]byte, resp.Reply)
}

// Catalogue is every command that the server knows, by name.
type Catalogue struct {
	byName map[string]*Command
	list   []*Command
}

// AddData adds the commands of a family that run in the shards.
func (c *Catalogue) AddData(t *command.Table[*keyspace.Tx]) {
	for _, spec := range t.Specs() {
		own := *spec // every catalogue numbers its rows
		c.addData(&own)
	}
}

// AddDataFor adds the commands of a family that run in the shards on something
// more than the keyspace; of gives that something.
func AddDataFor[C any](c *Catalogue, t *command.Table[C], of func(*keyspace.Tx) C) {
	for _, spec := range t.Specs() {
		own := command.Spec[*keyspace.Tx]{Meta: spec.Meta}
		if run := spec.Run; run != nil {
			own.Run = func(tx *keyspace.Tx, a *command.Args) resp.Reply { return run(of(tx), a) }
		}
		c.addData(&own)
	}
}

func (c *Catalogue) addData(spec *command.Spec[*keyspace.Tx]) {
	row := &Command{Meta: &spec.Meta}
	if spec.Run != nil {
		row.Data = spec
	}
	c.add(row)
}

// AddHere adds the commands of a family that run in the session.
func (c *Catalogue) AddHere(t *command.Table[*Session]) {
	AddFor(c, t, func(s *Session) *Session { return s })
}

// AddFor adds the commands of a family that run in the session's turn on
// something else; of gives that something.
func AddFor[C any](c *Catalogue, t *command.Table[C], of func(*Session) C) {
	for _, spec := range t.Specs() {
		meta := spec.Meta
		row := &Command{Meta: &meta}
		if run := spec.Run; run != nil {
			row.Here = func(s *Session, a *command.Args) resp.Reply { return run(of(s), a) }
		}
		c.add(row)
	}
}

func (c *Catalogue) add(row *Command) {
	if c.byName == nil {
		c.byName = map[string]*Command{}
	}
	if c.byName[row.Name] != nil {
		panic(fmt.Sprintf("command %s is declared by two families", row.Name))
	}
	row.SetID(len(c.list))
	c.byName[row.Name] = row
	c.list = append(c.list, row)
}

// WatchSuffix turns the name of a reading command into that of its live form,
// as in DiceDB.
const WatchSuffix = dice.WatchSuffix

// Seal completes the catalogue: subcommands are hung under their containers,
// which get their HELP, and every command that can be watched gets its live
// form.
func (c *Catalogue) Seal() {
	for _, row := range c.list {
		container, sub := row.Container()
		if sub == "" {
			continue
		}
		parent := c.byName[container]
		if parent == nil {
			panic(fmt.Sprintf("command %s has no container", row.Name))
		}
		if parent.Subs == nil {
			parent.Subs = map[string]*Command{}
		}
		parent.Subs[sub] = row
	}
	for _, row := range c.list[:len(c.list):len(c.list)] {
		if row.Subs != nil {
			c.addHelp(row)
		}
		if row.Watchable() {
			c.addLive(row)
		}
	}
}

// addLive adds the live form of a command, that of a subcommand under its
// container's: OBJECT.WATCH ENCODING.
func (c *Catalogue) addLive(row *Command) {
	live := liveForm(row)
	c.add(live)
	name, sub := row.Container()
	if sub == "" {
		return
	}
	container := c.byName[name+WatchSuffix]
	if container == nil {
		container = liveContainer(c.byName[name])
		c.add(container)
		c.addHelp(container)
	}
	container.Subs[sub] = live
}

// Watchable reports whether a live query of the command makes sense: it only
// reads, for its answer's sake, and the answer depends on the data alone. One
// that may wait (XREAD) does not wait then.
func (c *Command) Watchable() bool {
	const never = command.Random | command.AllShards | command.Marks
	return c.Data != nil && c.Flags.Has(command.ReadOnly) && c.Flags&never == 0
}

func liveForm(row *Command) *Command {
	meta := *row.Meta
	name, sub := row.Container()
	if meta.Name = name + WatchSuffix; sub != "" {
		meta.Name = name + WatchSuffix + "|" + sub
	}
	meta.Summary = "Answers as " + strings.ReplaceAll(row.Name, "|", " ") + " does, and pushes the new result whenever it changes."
	meta.Flags = meta.Flags&^(command.Fast|command.Blocking) | command.NoMulti | command.NoScript | command.Subscribed
	meta.Examples = ""
	return &Command{Meta: &meta, Watches: row, Here: func(s *Session, a *command.Args) resp.Reply { return WatchCommand(s, row, a) }}
}

// liveContainer is what the live forms of a container's subcommands hang under.
func liveContainer(row *Command) *Command {
	meta := *row.Meta
	meta.Name = row.Name + WatchSuffix
	meta.Summary = "Watches what subcommands of " + row.Name + " answer."
	meta.Flags, meta.Examples = command.SubCommands, ""
	return &Command{Meta: &meta, Watches: row, Subs: map[string]*Command{}}
}

// List is every command in the order of declaration, subcommands included.
func (c *Catalogue) List() []*Command { return c.list }

// metas are the descriptions of all commands, by their numbers.
func (c *Catalogue) metas() []*command.Meta {
	metas := make([]*command.Meta, len(c.list))
	for i, row := range c.list {
		metas[i] = row.Meta
	}
	return metas
}

// Commands are the commands that clients can call, without subcommands, in
// the order of declaration.
func (c *Catalogue) Commands() []*Command {
	callable := make(map[*Command]bool, len(c.byName))
	for _, row := range c.byName {
		callable[row] = true
	}
	var top []*Command
	for _, row := range c.list {
		if callable[row] && row.Words() == 1 {
			top = append(top, row)
		}
	}
	return top
}

// Subcommands are those of a container, by name.
func (c *Command) Subcommands() []*Command {
	subs := slices.Collect(maps.Values(c.Subs))
	slices.SortFunc(subs, func(a, b *Command) int { return strings.Compare(a.Name, b.Name) })
	return subs
}

// IsContainer reports whether a call of so many words, of which none is a
// subcommand, calls nothing. COMMAND is the one container that runs by itself.
func (c *Command) IsContainer(words int) bool {
	return c.Subs != nil && (c.Here == nil && c.Data == nil || c.Arity == -1 && words > 1)
}

// Guard makes guard decide who may run a command and its subcommands.
func (c *Catalogue) Guard(name string, guard func(*Session) resp.Reply) {
	for _, row := range c.list {
		if container, _ := row.Container(); container == name {
			row.Guard = guard
		}
	}
}

// Named is the command of that name in capitals ("OBJECT|ENCODING" for a
// subcommand), or nil.
func (c *Catalogue) Named(name string) *Command { return c.byName[name] }

// Rename gives a command another name, or takes it away with the empty name,
// as rename-command does. Subcommands go with their container.
func (c *Catalogue) Rename(from, to string) error {
	row := c.byName[strings.ToUpper(from)]
	if row == nil {
		return fmt.Errorf("no such command: %s", from)
	}
	if to = strings.ToUpper(to); to != "" && c.byName[to] != nil {
		return fmt.Errorf("the name %s is taken", to)
	}
	delete(c.byName, strings.ToUpper(from))
	if to != "" {
		c.byName[to] = row
	}
	return nil
}

// nameMax is longer than any command's name; longer words are unknown.
const nameMax = 64

// Lookup finds the command that the words begin with, without allocating. A
// container's unknown subcommand gives the container itself.
func (c *Catalogue) Lookup(argv [][]byte) *Command {
	row := c.word(argv[0])
	if row == nil || row.Subs == nil || len(argv) < 2 {
		return row
	}
	var buf [nameMax]byte
	if sub := row.Subs[string(upper(buf[:0], argv[1]))]; sub != nil {
		return sub
	}
	return row
}

// word finds a command of one word. "CONFIG|GET" is none: it would be a way
// round a container that rename-command has taken away.
func (c *Catalogue) word(name []byte) *Command {
	var buf [nameMax]byte
	row := c.byName[string(upper(buf[:0], name))]
	if row != nil && row.Words() > 1 {
		return nil
	}
	return row
}

// upper appends name in capitals to dst, or nothing if it is too long.
func upper(dst, name []byte) []byte {
	if len(name) > nameMax {
		return dst
	}
	for _, c := range name {
		if 'a' <= c && c <= 'z' {
			c -= 'a' - 'A'
		}
		dst = append(dst, c)
	}
	return dst
}
