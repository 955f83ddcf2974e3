package conn

import (
	"bytes"
	"context"
	"time"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/session"
)

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name: "MIGRATE", Arity: -6, Complexity: "O(n) for keys of n bytes in sum, which go over the network",
		Syntax:  `host port <key | ""> destination-db timeout [COPY] [REPLACE] [AUTH password | AUTH2 username password] [KEYS key [key ...]]`,
		Summary: "Moves keys to another server, or copies them, by RESTORE there and DEL here.",
		Group:   "generic", Since: "0.1.0", Flags: command.Write | command.NoMulti, Categories: []string{"dangerous"},
		Keys: []command.Keys{
			{First: 3, Flags: command.RW | command.Access | command.Delete},
			{First: -2, Keyword: "KEYS", Last: -1, Flags: command.RW | command.Access | command.Delete | command.Incomplete},
		},
		NextKey: nextMigrated, Secrets: migrateSecrets,
		Examples: "> MIGRATE 127.0.0.1 6379 nokey 0 1000\n+NOKEY\n" +
			"> MIGRATE 127.0.0.1 6379 a 0 1000 KEYS b\n" +
			"-ERR When using MIGRATE KEYS option, the key argument must be set to the empty string\n" +
			"> SET k v\n+OK\n> MIGRATE 127.0.0.1 1 k 0 1000\n-IOERR error or timeout writing to target instance\n> GET k\n\"v\"\n",
	},
	Run: migrate,
})

// migration is a MIGRATE: what it is asked for.
type migration struct {
	host, port, db string // of the target
	timeout        time.Duration
	copying        bool
	replacing      bool
	login          [][]byte // what follows AUTH; none: no AUTH
	keys           [][]byte
}

// defaultTimeout is that of a MIGRATE which asks for none.
const defaultTimeout = 1000

var errMigrateKeys = resp.Error("ERR When using MIGRATE KEYS option, the key argument must be set to the empty string")

// migrate does its work elsewhere: the keys are dumped in one turn, sent to the
// target while everybody goes on, and deleted in another turn unless they have
// changed meanwhile.
func migrate(s *session.Session, a *command.Args) resp.Reply {
	m := readMigration(a)
	if a.Bad() {
		return a.Err()
	}
	home := keys{node: s.Server().Node, db: s.Database(), caller: s}
	return s.Away(func(ctx context.Context) resp.Reply { return m.run(ctx, &home) })
}

// readMigration reads the words, which are copied: the work goes on if the link
// ends.
func readMigration(a *command.Args) (m migration) {
	m.host, m.port = string(a.Bytes()), string(a.Bytes())
	key, db, timeout := a.Key(), a.Bytes(), a.Bytes()
	m.keys = [][]byte{bytes.Clone(key)}
	m.readOptions(a, len(key) > 0)
	millis, ok := command.ParseInt(timeout)
	if _, isNumber := command.ParseInt(db); !ok || !isNumber {
		a.Fail(resp.ErrNotInteger)
	}
	if millis <= 0 {
		millis = defaultTimeout
	}
	m.db, m.timeout = string(db), time.Duration(min(millis, timeoutMax))*time.Millisecond
	return m
}

// timeoutMax is the longest timeout, in milliseconds: a year.
const timeoutMax = 365 * 24 * 3600 * 1000

func (m *migration) readOptions(a *command.Args, named bool) {
	for a.More() {
		switch {
		case a.Option("COPY"):
			m.copying = true
		case a.Option("REPLACE"):
			m.replacing = true
		case a.OptionWith("AUTH", 1):
			m.login = [][]byte{bytes.Clone(a.Bytes())}
		case a.OptionWith("AUTH2", 2):
			m.login = [][]byte{bytes.Clone(a.Bytes()), bytes.Clone(a.Bytes())}
		case a.Option("KEYS"):
			if named {
				a.Fail(errMigrateKeys)
			}
			m.keys = nil
			for _, key := range a.Rest() {
				m.keys = append(m.keys, bytes.Clone(key))
			}
		default:
			a.Syntax()
		}
	}
}

// nextMigrated finds the keys of a MIGRATE: the one in its place, or those behind
// the option KEYS. With both the command is wrong, and moves neither.
func nextMigrated(argv [][]byte, behind int) command.KeyAt {
	next := command.KeyAt{Pos: behind + 1, Flags: command.RW | command.Access | command.Delete}
	keys := migratedBehind(argv)
	switch {
	case keys == 0 && behind == 0 && len(argv) > 3:
		next.Pos = 3
	case keys == 0, len(argv[3]) > 0:
		return command.KeyAt{}
	case behind == 0:
		next.Pos = keys + 1
	}
	if next.Pos >= len(argv) {
		return command.KeyAt{}
	}
	return next
}

// migratedBehind is the place of the option KEYS, 0 if there is none.
func migratedBehind(argv [][]byte) (place int) {
	for i := 6; i+1 < len(argv); i++ {
		switch {
		case command.EqualFold(argv[i], "AUTH"):
			i++
		case command.EqualFold(argv[i], "AUTH2"):
			i += 2
		case command.EqualFold(argv[i], "KEYS"):
			return i
		}
	}
	return 0
}

// migrateSecrets are the password behind AUTH, and user and password behind
// AUTH2, among the options.
func migrateSecrets(argv [][]byte) []int {
	for i := 6; i < len(argv); i++ {
		switch {
		case command.EqualFold(argv[i], "KEYS"):
			return nil
		case command.EqualFold(argv[i], "AUTH"):
			return []int{i + 1}
		case command.EqualFold(argv[i], "AUTH2"):
			return []int{i + 1, i + 2}
		}
	}
	return nil
}

// run does the whole work.
func (m *migration) run(ctx context.Context, home *keys) resp.Reply {
	parcels, refusal := home.dump(m.keys, !m.copying)
	switch {
	case refusal.IsError():
		return refusal
	case len(parcels) == 0:
		return resp.Simple("NOKEY")
	}
	reply := m.send(ctx, parcels)
	if m.copying {
		return reply
	}
	if changed := home.remove(parcels); changed.IsError() && !reply.IsError() {
		return changed
	}
	return reply
}

// send sends the parcels to the target, notes which of them have arrived, and
// answers for those that have not.
func (m *migration) send(ctx context.Context, parcels []*parcel) resp.Reply {
	target, trouble := dial(ctx, m)
	if trouble.IsError() {
		return trouble
	}
	defer target.close()
	expected := m.request(target, parcels)
	if target.flush() != nil {
		return errWriting
	}
	return m.hear(target, expected, parcels)
}

// request writes the commands, and says how many there are before the first
// RESTORE.
func (m *migration) request(target *target, parcels []*parcel) (before int) {
	if m.login != nil {
		target.command(append([][]byte{[]byte("AUTH")}, m.login...)...)
		before++
	}
	target.command([]byte("SELECT"), []byte(m.db))
	for _, p := range parcels {
		words := [][]byte{[]byte("RESTORE"), p.key, p.ttl(), p.payload}
		if m.replacing {
			words = append(words, []byte("REPLACE"))
		}
		target.command(words...)
		p.payload = nil
	}
	return before + 1
}

// hear reads the replies. The first that is an error is the answer; what came
// of later keys is noted all the same.
func (m *migration) hear(target *target, before int, parcels []*parcel) resp.Reply {
	answer := resp.OK
	ready := true
	for i := range before + len(parcels) {
		line, err := target.line()
		if err != nil {
			if !answer.IsError() {
				answer = errReading
			}
			break
		}
		good := bytes.HasPrefix(line, []byte("+"))
		if !good && !answer.IsError() {
			answer = refusedBy(line)
		}
		if i < before {
			ready = ready && good
		} else {
			parcels[i-before].arrived = ready && good
		}
	}
	return answer
}

// refusedBy is the answer to a reply of the target that is no success.
func refusedBy(line []byte) resp.Reply {
	return resp.Error("ERR Target instance replied with error: " + string(bytes.TrimPrefix(line, []byte("-"))))
}
