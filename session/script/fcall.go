package script

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

const loadExample = "> FUNCTION LOAD \"#!lua name=lib\\nredis.register_function{function_name='f', flags={'no-writes'}, callback=function(keys, args) return args[1] end}\"\n\"lib\"\n"

var _ = Runs.Add(command.Spec[there]{
	Meta: command.Meta{
		Name: "FCALL", Syntax: "function numkeys [key [key ...]] [arg [arg ...]]", Arity: -3, Complexity: "Depends on the function",
		Summary: "Calls a function of a library.",
		Group:   "scripting", Since: "0.1.0", Flags: running, Keys: counted(anyUse),
		Examples: loadExample + "> FCALL f 1 k v\n\"v\"\n> FCALL nonsense 0\n-ERR Function not found\n",
	},
	Run: func(t there, a *command.Args) resp.Reply { return t.fcall(a, false) },
})

var _ = Runs.Add(command.Spec[there]{
	Meta: command.Meta{
		Name: "FCALL_RO", Syntax: "function numkeys [key [key ...]] [arg [arg ...]]", Arity: -3, Complexity: "Depends on the function",
		Summary: "Calls a function of a library that only reads.",
		Group:   "scripting", Since: "0.1.0", Flags: running | command.ReadOnly, Keys: counted(reading),
		Examples: loadExample + "> FCALL_RO f 1 k v\n\"v\"\n> FCALL_RO nonsense 0\n-ERR Function not found\n",
	},
	Run: func(t there, a *command.Args) resp.Reply { return t.fcall(a, true) },
})

func (t there) fcall(a *command.Args, readOnly bool) resp.Reply {
	name := a.Bytes()
	t.mu.Lock()
	f := t.functions[string(name)]
	t.mu.Unlock()
	if f == nil {
		return resp.Error("ERR Function not found")
	}
	if n, ok := command.ParseInt(a.Peek()); !ok || n != int64(int32(n)) {
		return resp.Error("ERR Bad number of keys provided")
	}
	keys, args := keysAndArgs(a)
	switch {
	case a.Bad():
		return a.Err()
	case readOnly && f.flags&noWrites == 0:
		return errWriteFlags
	case f.flags&needsNoRoom == 0 && t.tx.OutOfMemory():
		return keyspace.ErrOOM
	}
	return t.run(&job{name: f.name, function: f, flags: f.flags, readOnly: readOnly, keys: keys, args: args, reach: &f.reach}, a.Argv())
}
