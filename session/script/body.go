package script

import (
	"crypto/sha1"
	"encoding/hex"
	"strings"
	"sync/atomic"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	lua "github.com/yuin/gopher-lua"
)

// body is a script that is known.
type body struct {
	sha   string
	proto *lua.FunctionProto
	wants wants
	flags flags
	reach reach
	// shebanged says that it has a first line with flags.
	shebanged bool
	// loaded says that SCRIPT LOAD asked to keep it; one that only EVAL has
	// brought may be forgotten.
	loaded     bool
	prev, next *body // in the order of use, if it may be forgotten
}

// flags are those of a shebang and of functions.
type flags uint8

const (
	noWrites flags = 1 << iota
	allowOOM
	allowStale
	noCluster
	crossSlot
)

// needsNoRoom are the flags of which one lets a script run when there is no memory.
const needsNoRoom = noWrites | allowOOM

// flagNames are the names of the flags, in the order in which Redis lists them.
var flagNames = []struct {
	name string
	flag flags
}{
	{"no-writes", noWrites}, {"allow-oom", allowOOM}, {"allow-stale", allowStale}, {"no-cluster", noCluster},
	{"allow-cross-slot-keys", crossSlot},
}

func flagOf(name string) (f flags, known bool) {
	for _, n := range flagNames {
		if n.name == name {
			return n.flag, true
		}
	}
	return 0, false
}

// reach is what is known of the keys that a script uses: nothing at first, then
// whether they all lie in the shards of those that it was given. And it is how
// far the script is trusted to be quick.
type reach struct {
	state atomic.Int32
	trust
}

const (
	unknown int32 = iota
	confined
	strays
)

// bodiesMax is how many scripts that only EVAL has brought are kept, as by
// Redis since 7.4.
const bodiesMax = 500

// evictable is a ring of bodies, the least recently used first.
type evictable struct {
	root body
	len  int
}

func (r *evictable) init() {
	if r.root.next == nil {
		r.root.next, r.root.prev = &r.root, &r.root
	}
}

func (r *evictable) push(b *body) {
	r.init()
	b.prev, b.next = r.root.prev, &r.root
	b.prev.next, b.next.prev = b, b
	r.len++
}

func (r *evictable) remove(b *body) {
	if b.next == nil {
		return
	}
	b.prev.next, b.next.prev = b.next, b.prev
	b.prev, b.next = nil, nil
	r.len--
}

// shaOf is a script's name: the SHA-1 of its text in hexadecimal digits.
func shaOf(text []byte) string {
	sum := sha1.Sum(text)
	return hex.EncodeToString(sum[:])
}

// known is the script of a name, nil if there is none. Its use is noted.
func (e *Engine) known(sha []byte) *body {
	if len(sha) != 2*sha1.Size {
		return nil
	}
	var lower [2 * sha1.Size]byte
	for i, c := range sha {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		lower[i] = c
	}
	if b := e.latest.Load(); b != nil && b.sha == string(lower[:]) {
		return b
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	b := e.bodies[string(lower[:])]
	if b != nil {
		e.latest.Store(b)
	}
	if b != nil && b.next != nil && b.next != &e.oldest.root {
		e.oldest.remove(b)
		e.oldest.push(b)
	}
	return b
}

// learn is the script of a text, compiled now if it is not known; keep says that
// it is to be kept.
func (e *Engine) learn(text []byte, keep bool) (b *body, mistake resp.Reply) {
	sha := shaOf(text)
	if b = e.known([]byte(sha)); b == nil {
		if b, mistake = compileBody(text); mistake.IsError() {
			return nil, mistake
		}
		b.sha = sha
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if have := e.bodies[sha]; have != nil {
		b = have
	} else {
		e.bodies[sha] = b
		e.oldest.push(b)
		e.latest.Store(b)
	}
	if keep && !b.loaded {
		b.loaded = true
		e.oldest.remove(b)
	}
	for e.oldest.len > bodiesMax {
		least := e.oldest.root.next
		e.oldest.remove(least)
		delete(e.bodies, least.sha)
	}
	return b, resp.Nothing
}

// forget is SCRIPT FLUSH.
func (e *Engine) forget() {
	e.dropMachines()
	e.mu.Lock()
	defer e.mu.Unlock()
	e.bodies, e.oldest = map[string]*body{}, evictable{}
	e.latest.Store(nil)
}

func compileBody(text []byte) (*body, resp.Reply) {
	b := &body{}
	source := string(text)
	if strings.HasPrefix(source, "#!") {
		line, rest, ok := strings.Cut(source, "\n")
		if !ok {
			return nil, resp.Error("ERR Invalid script shebang")
		}
		source = "\n" + rest // so that lines keep their numbers
		b.shebanged = true
		if mistake := b.shebang(line); mistake.IsError() {
			return nil, mistake
		}
	}
	proto, wants, err := compileScript(source)
	if err != nil {
		return nil, resp.Error("ERR Error compiling script (new function): " + err.Error())
	}
	b.proto, b.wants = proto, wants
	return b, resp.Nothing
}

// shebang reads the first line: "#!lua flags=no-writes,allow-oom".
func (b *body) shebang(line string) (mistake resp.Reply) {
	words := strings.Fields(line)
	if len(words) == 0 || words[0] != "#!lua" {
		return resp.Error("ERR Unexpected engine in script shebang: " + strings.Join(words[:min(1, len(words))], ""))
	}
	for _, word := range words[1:] {
		list, ok := strings.CutPrefix(word, "flags=")
		if !ok {
			return resp.Error("ERR Unknown lua shebang option: " + word)
		}
		for name := range strings.SplitSeq(list, ",") {
			f, known := flagOf(name)
			if name != "" && !known {
				return resp.Error("ERR Unexpected flag in script shebang: " + name)
			}
			b.flags |= f
		}
	}
	return resp.Nothing
}

// reaches is the Reaches of the commands that run scripts: before it is known
// that a script keeps to the shards of its keys it gets all of them.
func (e *Engine) reaches(argv [][]byte) bool {
	var r *reach
	switch name := argv[0][0]; {
	case name == 'f' || name == 'F':
		e.mu.Lock()
		f := e.functions[string(argv[1])]
		e.mu.Unlock()
		if f == nil {
			return false // which is all that there is to say
		}
		r = &f.reach
	default:
		b := e.called(argv)
		if b == nil {
			return len(argv[0]) < len("EVALSHA") // a new script, or an error
		}
		r = &b.reach
	}
	return r.state.Load() != confined
}

// called is the script that a command runs, if it is known.
func (e *Engine) called(argv [][]byte) *body {
	if len(argv[0]) > len("EVAL_RO") || command.EqualFold(argv[0], "EVALSHA") {
		return e.known(argv[1])
	}
	return e.known([]byte(shaOf(argv[1])))
}
