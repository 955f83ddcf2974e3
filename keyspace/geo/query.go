package geo

import (
	"bytes"
	"math"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/zset"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var (
	errRadius    = resp.Error("ERR need numeric radius")
	errNegative  = resp.Error("ERR radius cannot be negative")
	errWidth     = resp.Error("ERR need numeric width")
	errHeight    = resp.Error("ERR need numeric height")
	errBox       = resp.Error("ERR height or width cannot be negative")
	errMember    = resp.Error("ERR could not decode requested zset member")
	errCount     = resp.Error("ERR COUNT must be > 0")
	errAny       = resp.Error("ERR the ANY argument requires COUNT argument")
	errStore     = resp.Error("ERR STORE option in GEORADIUS is not compatible with WITHDIST, WITHHASH and WITHCOORD options")
	errStoreWith = resp.Error("ERR GEOSEARCHSTORE is not compatible with WITHDIST, WITHHASH and WITHCOORD options")
)

// dialect is which options a command has.
type dialect struct {
	modern bool // FROM… and BY…, as GEOSEARCH has, not GEORADIUS's places
	stores bool // STORE and STOREDIST
}

// query is a search as a command asks for it.
type query struct {
	dialect
	search
	set     zset.Members
	missing bool // the key

	fromMember, fromPlace, byRadius, byBox bool
	withDistance, withHash, withPlace      bool

	to            []byte // where results are stored, nil if they are told
	distancesStay bool   // as the scores of what is stored
}

// open finds the set of places that is searched.
func (q *query) open(tx *keyspace.Tx, key []byte) (ok bool) {
	q.set, ok = zset.Lookup(tx, key)
	q.missing = q.set.Len() == 0
	return ok
}

// readMember reads a member of the set and makes it the center. Where there is
// no set there is nothing to find.
func (q *query) readMember(a *command.Args) {
	member := a.Bytes()
	if a.Bad() || q.missing {
		return
	}
	score, found := q.set.Score(member)
	if !found {
		a.Fail(errMember)
	}
	q.shape.center = placeOf(score)
}

// readRadius reads a radius and its unit.
func (q *query) readRadius(a *command.Args) {
	radius := readFloat(a, errRadius)
	if radius < 0 {
		a.Fail(errNegative)
	}
	q.shape.box, q.shape.radius, q.shape.unit = false, radius, readUnit(a)
}

// readBox reads a width and a height and their unit.
func (q *query) readBox(a *command.Args) {
	width, height := readFloat(a, errWidth), readFloat(a, errHeight)
	if width < 0 || height < 0 {
		a.Fail(errBox)
	}
	q.shape.box, q.shape.width, q.shape.height, q.shape.unit = true, width, height, readUnit(a)
}

// searchIn reads the options of a search whose set is open, and answers it.
func (q *query) searchIn(tx *keyspace.Tx, a *command.Args) resp.Reply {
	if q.readOptions(a); a.Bad() {
		return a.Err()
	}
	return q.answer(tx)
}

// readOptions reads all words that are left, and holds what they say against
// each other.
func (q *query) readOptions(a *command.Args) {
	for a.More() {
		if !q.readShown(a) && !q.readChosen(a) && !(q.modern && q.readShape(a)) && !q.readStore(a) {
			a.Syntax()
		}
	}
	switch shows := q.withDistance || q.withHash || q.withPlace; {
	case q.to != nil && shows && q.modern:
		a.Fail(errStoreWith)
	case q.to != nil && shows:
		a.Fail(errStore)
	case q.modern && !q.fromMember && !q.fromPlace:
		a.Fail(resp.Error("ERR exactly one of FROMMEMBER or FROMLONLAT can be specified for " + string(a.Argv()[0])))
	case q.modern && !q.byRadius && !q.byBox:
		a.Fail(resp.Error("ERR exactly one of BYRADIUS and BYBOX can be specified for " + string(a.Argv()[0])))
	case q.enough && q.most == 0:
		a.Fail(errAny)
	}
}

// readShown reads an option that says what of a result is told.
func (q *query) readShown(a *command.Args) bool {
	switch {
	case a.Option("WITHDIST"):
		q.withDistance = true
	case a.Option("WITHHASH"):
		q.withHash = true
	case a.Option("WITHCOORD"):
		q.withPlace = true
	default:
		return false
	}
	return true
}

// readChosen reads an option that says which results are told, and how they
// are ordered.
func (q *query) readChosen(a *command.Args) bool {
	switch {
	case a.Option("ANY"):
		q.enough = true
	case a.Option("ASC"):
		q.order = nearest
	case a.Option("DESC"):
		q.order = farthest
	case a.OptionWith("COUNT", 1):
		n := a.Int()
		if n <= 0 {
			a.Fail(errCount)
		}
		q.most = int(min(n, math.MaxInt32))
	default:
		return false
	}
	return true
}

// readShape reads an option of GEOSEARCH that says where to look.
func (q *query) readShape(a *command.Args) bool {
	switch {
	case !q.fromPlace && a.OptionWith("FROMMEMBER", 1):
		q.fromMember = true
		q.readMember(a)
	case !q.fromMember && a.OptionWith("FROMLONLAT", 2):
		q.fromPlace = true
		q.shape.center = readPlace(a)
	case !q.byBox && a.OptionWith("BYRADIUS", 2):
		q.byRadius = true
		q.readRadius(a)
	case !q.byRadius && a.OptionWith("BYBOX", 3):
		q.byBox = true
		q.readBox(a)
	default:
		return false
	}
	return true
}

// readStore reads an option that says what becomes of the results.
func (q *query) readStore(a *command.Args) bool {
	switch {
	case !q.stores:
		return false
	case q.modern && a.Option("STOREDIST"):
		q.distancesStay = true
	case q.modern:
		return false
	case a.OptionWith("STORE", 1):
		q.to, q.distancesStay = a.Key(), false
	case a.OptionWith("STOREDIST", 1):
		q.to, q.distancesStay = a.Key(), true
	default:
		return false
	}
	return true
}

// answer runs the search and tells or stores the results.
func (q *query) answer(tx *keyspace.Tx) resp.Reply {
	if q.most > 0 && q.order == unordered && !q.enough {
		q.order = nearest // of all there are, those that are nearest
	}
	if !q.missing {
		q.run(&q.set)
	}
	if q.to != nil {
		return q.store(tx)
	}
	return q.tell(tx)
}

// store makes the results a set of their own.
func (q *query) store(tx *keyspace.Tx) resp.Reply {
	event := "georadiusstore"
	if q.modern {
		event = "geosearchstore"
	}
	members := make([]zset.Member, len(q.results))
	for i, r := range q.results {
		f := &q.found[r.nth]
		members[i] = zset.Member{Text: f.member, Score: f.score}
		if q.distancesStay {
			members[i].Score = q.from.distance(placeOf(f.score)) / q.shape.unit
		}
	}
	if len(members) == 0 {
		if tx.Delete(q.to, "del") {
			tx.Effect([]byte("DEL"), q.to)
		}
		return resp.Zero
	}
	effect := newScored(len(members))
	for i := range members {
		effect.add(members[i].Score, bytes.Clone(members[i].Text)) // it may be of what goes
	}
	zset.Store(tx, q.to, members, event)
	tx.Effect([]byte("DEL"), q.to)
	tx.EffectWith(effect.words, []byte("ZADD"), q.to)
	return resp.Int(int64(len(members)))
}

// scored are words of ZADD: scores, each with its member behind it.
type scored struct {
	words  [][]byte
	digits []byte
}

func newScored(members int) scored {
	return scored{make([][]byte, 0, 2*members), make([]byte, 0, members*zset.ScoreDigits)}
}

func (s *scored) add(score float64, member []byte) {
	begin := len(s.digits)
	s.digits = resp.FormatDouble(s.digits, score)
	s.words = append(s.words, s.digits[begin:], member)
}
