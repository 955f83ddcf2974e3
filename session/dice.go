package session

import (
	"time"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/resp/dice"
)

// diceLink is the front of a link that speaks one of DiceDB's protocols, and
// what such a link has beside its session.
type diceLink struct {
	session  *Session
	protocol dice.Protocol

	raw   dice.RawReader
	whole dice.Whole
	lull  time.Duration // how long nothing must come for what is there to be all
	quiet bool          // nothing has come for so long
	lulls bool          // that is being waited for

	introduced bool // HANDSHAKE was sent: id is a name
	id         string
	watches    bool // it is a link for pushes, by the last HANDSHAKE
	client     *diceClient

	paced *pacedLink   // the link, if it is raw
	line  []*diceWatch // that wait for their turn to push on it
}

// speakDice makes a link that has just begun one of DiceDB's.
func (s *Session) speakDice(p dice.Protocol) {
	d := &diceLink{session: s, protocol: p}
	d.whole = d.isWhole
	if p == dice.Raw {
		d.paced = &pacedLink{Link: s.link, session: s}
		s.link = d.paced
	}
	s.front = d
	s.catalogue = s.server.dice.catalogues[p]
	s.encoder = p.Encoder("")
}

// diceArgsMax bounds the arguments of a command: one may be two bytes in a
// message, but is the place of a slice here.
const diceArgsMax = 1 << 20

// Next implements front. What cannot be read ends the link without an answer,
// as there is none that its client would take for one.
func (d *diceLink) Next(data []byte, args [][]byte, lim *Limits) (_ [][]byte, used int, _ Status) {
	bounds := dice.Limits{Bytes: dice.MessageMax, Args: diceArgsMax, ArgBytes: min(lim.BulkMax, dice.MessageMax)}
	if !lim.Authenticated {
		bounds = dice.Limits{Bytes: loginBulkMax, Args: loginArgsMax, ArgBytes: loginBulkMax}
	}
	var err error
	if d.protocol == dice.Framed {
		args, used, err = dice.NextFrame(data, args, &bounds)
	} else {
		args, used, err = d.nextRaw(data, args, &bounds)
	}
	switch {
	case err != nil:
		d.session.server.Log.Debug("link closed: its request cannot be read", "session", d.session.id, "error", err)
		return args, used, Invalid
	case used == 0:
		return args, 0, Incomplete
	}
	return args, used, Ready
}

// Failure implements front.
func (*diceLink) Failure() resp.Reply { return resp.Nothing }

// Needs implements front. Requests have a bound (dice.MessageMax) that makes it
// not worth the trouble.
func (*diceLink) Needs() int { return 0 }

// A raw command ends where the next begins, or with the last byte that was
// sent. How a network cuts what was sent is not known here, so at the end of
// what has come it is asked whether the command may be whole: see isWhole. If
// that is in doubt, nothing more must come for a while: longer if arguments are
// missing, as then nothing is lost by waiting.
const (
	denseLull = 10 * time.Millisecond
	shortLull = 100 * time.Millisecond
	// packetBytes is about the least that a network sends at once if it can; a
	// shorter command comes whole. In a longer one of so many arguments as
	// manyArgs a cut may well fall between two.
	packetBytes = 1200
	manyArgs    = 8
)

// nextRaw reads a command of a link without frames.
func (d *diceLink) nextRaw(data []byte, args [][]byte, bounds *dice.Limits) (_ [][]byte, used int, err error) {
	whole := d.whole
	if d.quiet {
		whole = func([]byte, int, int) bool { return true }
	}
	args, used, err = d.raw.Next(data, args, bounds, whole)
	d.quiet = false
	if used == 0 && err == nil && d.raw.Unsure(data) && !d.lulls {
		d.awaitLull()
	}
	return args, used, err
}

// isWhole implements dice.Whole by what is known of the command.
func (d *diceLink) isWhole(name []byte, args, size int) bool {
	row := d.session.lastRow
	if row == nil || !d.session.isLast(name) {
		row = d.session.catalogue.word(name)
	}
	if row == nil {
		return true
	}
	least, more := row.Arity-1, false
	if row.Arity < 0 {
		least, more = -row.Arity-1, true
	}
	if args < least {
		d.lull = shortLull
		return false
	}
	d.lull = denseLull
	return !more || size < packetBytes || args < manyArgs
}

// diceLull is the message that a while has passed since a link had sent so many
// bytes in all.
type diceLull struct {
	link *diceLink
	read int64
}

func (d *diceLink) awaitLull() {
	d.lulls = true
	m := &diceLull{d, d.session.Read.Load()}
	time.AfterFunc(d.lull, func() { d.session.send(m) })
}

// take has what is there shown again, as all that there is.
func (m *diceLull) take(s *Session) {
	d := m.link
	d.lulls = false
	switch {
	case s.closing:
	case m.read != s.Read.Load():
		d.awaitLull()
	default:
		d.quiet = true
		if !s.busy() && s.link.Unsent() <= unsentMax {
			s.link.Pause()
			s.link.Resume()
		}
	}
}

// diceServer is what the links of DiceDB's protocols share.
type diceServer struct {
	catalogues map[dice.Protocol]*Catalogue
	clients    diceClients
}

// newDiceServer derives the catalogues of DiceDB's protocols from the server's
// own. handshake is the number of the one command that it has not.
func newDiceServer(c *Catalogue, handshake int) *diceServer {
	s := &diceServer{catalogues: map[dice.Protocol]*Catalogue{}}
	for _, p := range []dice.Protocol{dice.Raw, dice.Framed} {
		own := &Catalogue{byName: map[string]*Command{}}
		for i := range dice.Commands {
			own.addDice(c, p, &dice.Commands[i])
		}
		meta := diceHandshake.Meta
		meta.SetID(handshake)
		own.byName[meta.Name] = &Command{Meta: &meta, Here: diceHandshake.Run, Encoder: p.Encoder(meta.Name)}
		s.catalogues[p] = own
	}
	return s
}

// addDice adds the row of a command, and that of its live form, if the protocol
// has them and the server has not given the command away. Most rows are those
// of our command with another encoder, and words that are translated.
func (c *Catalogue) addDice(from *Catalogue, p dice.Protocol, cmd *dice.Command) {
	base := from.Named(cmd.Name)
	if base == nil || cmd.Since > p {
		return
	}
	row, meta := *base, *base.Meta
	if cmd.Arity != 0 {
		meta.Arity = cmd.Arity
	}
	row.Meta, row.Encoder = &meta, p.Encoder(cmd.Name)
	if cmd.Translate != nil {
		row.Translate = func(argv [][]byte, now int64) ([][]byte, resp.Reply) { return cmd.Translate(p, argv, now) }
	}
	watched := row
	if run := diceData[cmd.Name]; run != nil {
		row.Data = &command.Spec[*keyspace.Tx]{Meta: meta, Run: run(base.Data.Run)}
		watched.Data = ownQuery(row.Data)
	}
	if run := diceHere[cmd.Name]; run != nil {
		row.Here = run
	}
	c.byName[cmd.Name] = &row
	live := from.Named(cmd.Name + WatchSuffix)
	if cmd.Watch == dice.None || cmd.Watch > p || live == nil {
		return
	}
	liveMeta := *live.Meta
	liveMeta.Arity = meta.Arity
	c.byName[cmd.Name+WatchSuffix] = &Command{Meta: &liveMeta, Watches: base, Encoder: p.Encoder(live.Name),
		Here: func(s *Session, a *command.Args) resp.Reply { return s.diceWatch(&watched, a) }}
}

// ownQuery gives a command that answers otherwise than ours a name by which
// its live queries are told from ours with the same words.
func ownQuery(spec *command.Spec[*keyspace.Tx]) *command.Spec[*keyspace.Tx] {
	own := *spec
	own.Name = "DICE." + own.Name
	return &own
}
