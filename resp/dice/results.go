package dice

import "github.com/troupedb/troupe/resp"

// Command is what DiceDB's protocols know of one of its commands.
type Command struct {
	Name string
	// Arity, if not 0, is another than that of our command; see command.Meta.
	Arity int
	// Since is the first protocol that has it, Watch the first that has its
	// .WATCH form; None: no protocol has one.
	Since, Watch Protocol
	// Translate, if set, puts the words of a client into those of our command,
	// or refuses them with an error, which is in DiceDB's words already: it is
	// for the encoder without a name. now is Unix milliseconds.
	Translate func(p Protocol, argv [][]byte, now int64) ([][]byte, resp.Reply)

	field  int   // of Result
	shape  shape // of the message in that field
	errors map[string]string
}

// Commands are DiceDB's commands, and those on places on the earth, which only
// its last library knows. The last two are ours, in messages of other commands:
// AUTH, because a server may ask for a password, and PERSIST, of which DiceDB's
// documentation speaks.
var Commands = []Command{
	{Name: "TYPE", Since: Raw, field: 11, shape: textShape},
	{Name: "PING", Since: Raw, field: 12, shape: textShape},
	{Name: "ECHO", Since: Raw, field: 13, shape: textShape},
	{Name: "HANDSHAKE", Arity: 3, Since: Raw, field: 14, shape: emptyShape},
	{Name: "EXISTS", Since: Raw, field: 15, shape: numberShape},
	{Name: "GET", Since: Raw, Watch: Raw, field: 16, shape: textShape, errors: readsText},
	{Name: "SET", Since: Raw, Translate: setWords, field: 17, shape: emptyShape, errors: readsText},
	{Name: "DEL", Since: Raw, field: 18, shape: numberShape},
	{Name: "KEYS", Since: Framed, field: 19, shape: textsShape},
	{Name: "GETDEL", Since: Raw, field: 20, shape: textShape, errors: readsText},
	{Name: "GETEX", Since: Raw, Translate: getexWords, field: 21, shape: textShape, errors: readsText},
	{Name: "GETSET", Since: Framed, field: 22, shape: textShape, errors: readsText},
	{Name: "INCR", Since: Raw, field: 23, shape: numberShape, errors: readsInteger},
	{Name: "DECR", Since: Raw, field: 24, shape: numberShape, errors: readsInteger},
	{Name: "INCRBY", Since: Raw, Translate: deltaWords, field: 25, shape: numberShape, errors: readsInteger},
	{Name: "DECRBY", Since: Raw, Translate: deltaWords, field: 26, shape: numberShape, errors: readsInteger},
	{Name: "FLUSHDB", Arity: 1, Since: Raw, field: 27, shape: emptyShape},
	{Name: "EXPIRE", Since: Raw, Translate: expireWords, field: 28, shape: truthShape},
	{Name: "EXPIREAT", Since: Raw, Translate: expireWords, field: 29, shape: truthShape},
	{Name: "EXPIRETIME", Since: Raw, field: 30, shape: numberShape},
	{Name: "TTL", Since: Raw, field: 31, shape: numberShape},
	{Name: "UNWATCH", Arity: 2, Since: Raw, field: 33, shape: emptyShape},
	{Name: "HGET", Since: Raw, Watch: Framed, field: 34, shape: textShape},
	{Name: "HSET", Since: Raw, field: 35, shape: numberShape},
	{Name: "HGETALL", Since: Raw, Watch: Raw, field: 36, shape: pairsShape},
	{Name: "ZADD", Since: Raw, Translate: zaddWords, field: 39, shape: numberShape},
	{Name: "ZCOUNT", Since: Raw, Watch: Raw, Translate: zcountWords, field: 40, shape: numberShape},
	{Name: "ZRANGE", Since: Raw, Watch: Raw, field: 41, shape: elementsShape},
	{Name: "ZPOPMAX", Since: Raw, field: 42, shape: elementsShape},
	{Name: "ZREM", Since: Raw, field: 43, shape: numberShape},
	{Name: "ZPOPMIN", Since: Raw, field: 44, shape: elementsShape},
	{Name: "ZRANK", Arity: 3, Since: Raw, Watch: Raw, field: 45, shape: elementShape},
	{Name: "ZCARD", Since: Raw, Watch: Raw, field: 46, shape: numberShape},
	{Name: "GEOADD", Since: Framed, Translate: geoaddWords, field: 51, shape: numberShape, errors: readsNumber},
	{Name: "GEODIST", Since: Framed, field: 52, shape: distanceShape},
	{Name: "GEOSEARCH", Since: Framed, field: 53, shape: placesShape, errors: readsNumber},
	{Name: "GEOHASH", Arity: -3, Since: Framed, field: 54, shape: textsShape},
	{Name: "GEOPOS", Arity: -3, Since: Framed, field: 55, shape: coordsShape},
	{Name: "AUTH", Since: Raw, field: 14, shape: emptyShape},
	{Name: "PERSIST", Since: Raw, field: 28, shape: truthShape},
}

// WatchSuffix turns the name of a command into that of its live form.
const WatchSuffix = ".WATCH"

// Encoder encodes the replies of a command. That of a live form (GET.WATCH)
// takes what Watched makes. Any other name, such as none, gives one for errors.
func (p Protocol) Encoder(name string) resp.Encoder {
	if e := encoders[p][name]; e != nil {
		return e
	}
	return encoders[p][""]
}

// encoders are those of each protocol, by the name of the command.
var encoders = makeEncoders()

func makeEncoders() map[Protocol]map[string]resp.Encoder {
	raw := map[string]resp.Encoder{"": &rawEncoder{}}
	framed := map[string]resp.Encoder{"": &framedEncoder{}}
	for _, c := range Commands {
		raw[c.Name], framed[c.Name] = &rawEncoder{command: c}, &framedEncoder{command: c}
		if live := c.Name + WatchSuffix; c.Watch != None {
			raw[live], framed[live] = &rawEncoder{command: c, watches: true}, &framedEncoder{command: c, watches: true}
		}
	}
	return map[Protocol]map[string]resp.Encoder{Raw: raw, Framed: framed}
}

// Watched is the reply of a live form: the query's fingerprint and the reply of
// the command that it watches.
func Watched(fingerprint uint64, reply resp.Reply) resp.Reply {
	return resp.Array(resp.Int(int64(fingerprint)), reply)
}

// unwatched takes what Watched made apart. The reply may also be an error, which
// has no fingerprint.
func unwatched(r resp.Reply) (fingerprint uint64, reply resp.Reply) {
	if r.Kind() != resp.List {
		return 0, r
	}
	return uint64(r.Items()[0].Int()), r.Items()[1]
}
