package script

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

// running are the flags of commands that run scripts.
const running = command.NoScript | command.Stale | command.SkipMonitor | command.Strays | command.NoMandatoryKeys

// counted are the keys of such a command.
func counted(f command.KeyFlag) []command.Keys {
	return []command.Keys{{First: 2, Counted: true, Flags: f}}
}

const (
	anyUse  = command.RW | command.Access | command.Update
	reading = command.RO | command.Access
)

var _ = Runs.Add(command.Spec[there]{
	Meta: command.Meta{
		Name: "EVAL", Syntax: "script numkeys [key [key ...]] [arg [arg ...]]", Arity: -3, Complexity: "Depends on the script",
		Summary: "Runs a script in Lua, which may call commands.",
		Group:   "scripting", Since: "0.1.0", Flags: running, Keys: counted(anyUse),
		Examples: "> EVAL \"return redis.call('SET', KEYS[1], ARGV[1])\" 1 k v\n+OK\n" +
			"> EVAL \"return {1, 2.9, 'three', {true, false}}\" 0\n[:1, :2, \"three\", [:1, _]]\n" +
			"> EVAL \"return KEYS[1]\" 2 k\n-ERR Number of keys can't be greater than number of args\n",
	},
	Run: func(t there, a *command.Args) resp.Reply { return t.eval(a, false) },
})

var _ = Runs.Add(command.Spec[there]{
	Meta: command.Meta{
		Name: "EVAL_RO", Syntax: "script numkeys [key [key ...]] [arg [arg ...]]", Arity: -3, Complexity: "Depends on the script",
		Summary: "Runs a script in Lua that only reads.",
		Group:   "scripting", Since: "0.1.0", Flags: running | command.ReadOnly, Keys: counted(reading),
		Examples: "> EVAL_RO \"return redis.call('GET', KEYS[1])\" 1 k\n_\n" +
			"> EVAL_RO \"return redis.call('SET', 'k', 'v')\" 0\n-ERR Write commands are not allowed from read-only scripts. script: 5c4d62f4e30c54fb15935b5892148e5ce7374077, on @user_script:1.\n",
	},
	Run: func(t there, a *command.Args) resp.Reply { return t.eval(a, true) },
})

var _ = Runs.Add(command.Spec[there]{
	Meta: command.Meta{
		Name: "EVALSHA", Syntax: "sha1 numkeys [key [key ...]] [arg [arg ...]]", Arity: -3, Complexity: "Depends on the script",
		Summary: "Runs a script that the server knows, by its SHA-1.",
		Group:   "scripting", Since: "0.1.0", Flags: running, Keys: counted(anyUse),
		Examples: "> SCRIPT LOAD \"return 1\"\n\"e0e1f9fabfc9d4800c877a703b823ac0578ff8db\"\n" +
			"> EVALSHA e0e1f9fabfc9d4800c877a703b823ac0578ff8db 0\n:1\n" +
			"> EVALSHA nonsense 0\n-NOSCRIPT No matching script. Please use EVAL.\n",
	},
	Run: func(t there, a *command.Args) resp.Reply { return t.evalSHA(a, false) },
})

var _ = Runs.Add(command.Spec[there]{
	Meta: command.Meta{
		Name: "EVALSHA_RO", Syntax: "sha1 numkeys [key [key ...]] [arg [arg ...]]", Arity: -3, Complexity: "Depends on the script",
		Summary: "Runs a script that the server knows, by its SHA-1, and that only reads.",
		Group:   "scripting", Since: "0.1.0", Flags: running | command.ReadOnly, Keys: counted(reading),
		Examples: "> SCRIPT LOAD \"return 1\"\n\"e0e1f9fabfc9d4800c877a703b823ac0578ff8db\"\n" +
			"> EVALSHA_RO E0E1F9FABFC9D4800C877A703B823AC0578FF8DB 0\n:1\n" +
			"> EVALSHA_RO nonsense 0\n-NOSCRIPT No matching script. Please use EVAL.\n",
	},
	Run: func(t there, a *command.Args) resp.Reply { return t.evalSHA(a, true) },
})

var (
	errNoScript   = resp.Error("NOSCRIPT No matching script. Please use EVAL.")
	errKeysMany   = resp.Error("ERR Number of keys can't be greater than number of args")
	errKeysBelow  = resp.Error("ERR Number of keys can't be negative")
	errWriteFlags = resp.Error("ERR Can not execute a script with write flag using *_ro command.")
)

func (t there) eval(a *command.Args, readOnly bool) resp.Reply {
	source := a.Bytes()
	keys, args := keysAndArgs(a)
	if a.Bad() {
		return a.Err()
	}
	if t.tx.Light() && t.known([]byte(shaOf(source))) == nil {
		t.tx.GiveUp() // as it is to be compiled
	}
	b, mistake := t.learn(source, false)
	if mistake.IsError() {
		return mistake
	}
	return t.runBody(b, a.Argv(), given{keys, args, readOnly})
}

func (t there) evalSHA(a *command.Args, readOnly bool) resp.Reply {
	sha := a.Bytes()
	keys, args := keysAndArgs(a)
	if a.Bad() {
		return a.Err()
	}
	b := t.known(sha)
	if b == nil {
		return errNoScript
	}
	return t.runBody(b, a.Argv(), given{keys, args, readOnly})
}

// keysAndArgs reads the number of keys, the keys, and what follows them.
func keysAndArgs(a *command.Args) (keys, args [][]byte) {
	n := a.Int()
	switch rest := int64(a.Len()); {
	case a.Bad():
	case n > rest:
		a.Fail(errKeysMany)
	case n < 0:
		a.Fail(errKeysBelow)
	default:
		words := a.Rest()
		return words[:n], words[n:]
	}
	return nil, nil
}

// given is what a body is run with.
type given struct {
	keys, args [][]byte
	readOnly   bool
}

func (t there) runBody(b *body, argv [][]byte, g given) resp.Reply {
	if g.readOnly && b.shebanged && b.flags&noWrites == 0 {
		return errWriteFlags
	}
	if b.shebanged && b.flags&needsNoRoom == 0 && t.tx.OutOfMemory() {
		return keyspace.ErrOOM
	}
	return t.run(&job{name: b.sha, body: b, flags: b.flags, readOnly: g.readOnly, keys: g.keys, args: g.args, reach: &b.reach}, argv)
}
