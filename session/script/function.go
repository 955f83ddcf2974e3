package script

import (
	"encoding/binary"
	"slices"
	"strings"
	"time"

	"github.com/troupedb/troupe/keyspace/rdb"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

const exampleLibrary = "#!lua name=lib\\nredis.register_function('f', function(keys, args) return args[1] end)"

var _ = Tells.Add(command.Spec[here]{
	Meta: command.Meta{
		Name: "FUNCTION", Arity: -2, Complexity: "Depends on the subcommand",
		Summary: "Commands about libraries of functions.",
		Group:   "scripting", Since: "0.1.0", Flags: command.SubCommands,
		Examples: "> FUNCTION\n-ERR wrong number of arguments for 'function' command\n> FUNCTION NONSENSE\n-ERR unknown subcommand 'NONSENSE'. Try FUNCTION HELP.\n",
	},
})

var _ = Tells.Add(command.Spec[here]{
	Meta: command.Meta{
		Name: "FUNCTION|LOAD", Syntax: "[REPLACE] function-code", Arity: -3, Complexity: "O(1) (considering compilation time is redundant)",
		Summary: "Loads a library of functions, and tells its name.",
		Group:   "scripting", Since: "0.1.0", Flags: command.Write | command.DenyOOM | command.NoScript,
		Examples: "> FUNCTION LOAD \"" + exampleLibrary + "\"\n\"lib\"\n" +
			"> FUNCTION LOAD \"" + exampleLibrary + "\"\n-ERR Library 'lib' already exists\n",
	},
	Run: loadFunctions,
})

func loadFunctions(h here, a *command.Args) resp.Reply {
	replace := false
	for a.Len() > 1 {
		if word := a.Peek(); !a.Option("REPLACE") {
			return resp.Error("ERR Unknown option given: " + string(word))
		}
		replace = true
	}
	lib, mistake := h.newLibrary(string(a.Bytes()), func(name string) bool {
		h.mu.Lock()
		defer h.mu.Unlock()
		return !replace && h.libraries[name] != nil
	})
	if mistake != "" {
		return resp.Error("ERR " + mistake)
	}
	if refusal := h.add([]*library{lib}, false, replace); refusal.IsError() {
		return refusal
	}
	return h.changed(resp.BulkString(lib.name), loaded(lib.code))
}

var _ = Tells.Add(command.Spec[here]{
	Meta: command.Meta{
		Name: "FUNCTION|LIST", Syntax: "[LIBRARYNAME library-name-pattern] [WITHCODE]", Arity: -2, Complexity: "O(N), where N is the number of functions",
		Summary: "Lists the libraries and their functions.",
		Group:   "scripting", Since: "0.1.0", Flags: command.NoScript,
		Examples: "> FUNCTION LIST\n[]\n> FUNCTION LIST LIBRARYNAME\n-ERR library name argument was not given\n",
	},
	Run: listFunctions,
})

func listFunctions(h here, a *command.Args) resp.Reply {
	var pattern []byte
	code := false
	for a.Len() > 0 {
		word := a.Peek()
		switch {
		case !code && a.Option("WITHCODE"):
			code = true
		case pattern == nil && a.Option("LIBRARYNAME"):
			if a.Len() == 0 {
				return resp.Error("ERR library name argument was not given")
			}
			pattern = a.Bytes()
		default:
			return resp.Error("ERR Unknown argument " + string(word))
		}
	}
	var all []resp.Reply
	for _, lib := range h.sorted() {
		if pattern == nil || command.Match(pattern, []byte(lib.name)) {
			all = append(all, lib.describe(code))
		}
	}
	return resp.Array(all...)
}

// sorted are the libraries by their names.
func (e *Engine) sorted() (all []*library) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, lib := range e.libraries {
		all = append(all, lib)
	}
	slices.SortFunc(all, func(a, b *library) int { return strings.Compare(a.name, b.name) })
	return all
}

func (lib *library) describe(code bool) resp.Reply {
	var functions []resp.Reply
	for _, f := range lib.functions {
		description := resp.Nil
		if f.described {
			description = resp.BulkString(f.description)
		}
		var flags []resp.Reply
		for _, n := range flagNames {
			if f.flags&n.flag != 0 {
				flags = append(flags, resp.Simple(n.name))
			}
		}
		functions = append(functions, resp.Map(resp.BulkString("name"), resp.BulkString(f.name),
			resp.BulkString("description"), description, resp.BulkString("flags"), resp.Set(flags...)))
	}
	items := []resp.Reply{resp.BulkString("library_name"), resp.BulkString(lib.name),
		resp.BulkString("engine"), resp.BulkString("LUA"), resp.BulkString("functions"), resp.Array(functions...)}
	if code {
		items = append(items, resp.BulkString("library_code"), resp.BulkString(lib.code))
	}
	return resp.Map(items...)
}

var _ = Tells.Add(command.Spec[here]{
	Meta: command.Meta{
		Name: "FUNCTION|DELETE", Syntax: "library-name", Arity: 3, Complexity: "O(1)",
		Summary: "Deletes a library with its functions.",
		Group:   "scripting", Since: "0.1.0", Flags: command.Write | command.NoScript,
		Examples: "> FUNCTION LOAD \"" + exampleLibrary + "\"\n\"lib\"\n> FUNCTION DELETE lib\n+OK\n> FUNCTION DELETE lib\n-ERR Library not found\n",
	},
	Run: func(h here, a *command.Args) resp.Reply {
		name := string(a.Bytes())
		if !h.delete(name) {
			return resp.Error("ERR Library not found")
		}
		return h.changed(resp.OK, deleted(name))
	},
})

var _ = Tells.Add(command.Spec[here]{
	Meta: command.Meta{
		Name: "FUNCTION|FLUSH", Syntax: "[ASYNC | SYNC]", Arity: -2, Complexity: "O(N), where N is the number of functions",
		Summary: "Deletes all libraries.",
		Group:   "scripting", Since: "0.1.0", Flags: command.Write | command.NoScript,
		Examples: "> FUNCTION FLUSH\n+OK\n> FUNCTION FLUSH LATER\n-ERR FUNCTION FLUSH only supports SYNC|ASYNC option\n",
	},
	Run: func(h here, a *command.Args) resp.Reply {
		if a.Len() > 1 {
			return resp.Error("ERR unknown subcommand or wrong number of arguments for '" + string(a.Argv()[1]) + "'. Try FUNCTION HELP.")
		}
		if a.Len() > 0 && !a.Option("SYNC") && !a.Option("ASYNC") {
			return resp.Error("ERR FUNCTION FLUSH only supports SYNC|ASYNC option")
		}
		h.add(nil, true, false)
		h.dropMachines()
		return h.changed(resp.OK, flushed)
	},
})

var _ = Tells.Add(command.Spec[here]{
	Meta: command.Meta{
		Name: "FUNCTION|KILL", Arity: 2, Complexity: "O(1)",
		Summary: "Ends the function that is running, unless it has written something.",
		Group:   "scripting", Since: "0.1.0", Flags: command.NoScript | command.AllowBusy,
		Examples: "> FUNCTION KILL\n-NOTBUSY No scripts in execution right now.\n",
	},
	Run: func(h here, _ *command.Args) resp.Reply { return h.kill(true) },
})

var _ = Tells.Add(command.Spec[here]{
	Meta: command.Meta{
		Name: "FUNCTION|STATS", Arity: 2, Complexity: "O(1)",
		Summary: "Tells which function is running, and how many libraries and functions there are.",
		Group:   "scripting", Since: "0.1.0", Flags: command.NoScript | command.AllowBusy,
		Examples: "> FUNCTION STATS\n*\n" +
			"> FUNCTION STATS all\n-ERR wrong number of arguments for 'function|stats' command\n",
	},
	Run: func(h here, _ *command.Args) resp.Reply {
		h.mu.Lock()
		defer h.mu.Unlock()
		now := resp.Nil
		if len(h.running) > 0 {
			if !h.running[0].function {
				return errBusyScript
			}
			now = h.running[0].describe()
		}
		counts := resp.Map(resp.BulkString("libraries_count"), resp.Int(int64(len(h.libraries))),
			resp.BulkString("functions_count"), resp.Int(int64(len(h.functions))))
		return resp.Map(resp.BulkString("running_script"), now,
			resp.BulkString("engines"), resp.Map(resp.BulkString("LUA"), counts))
	},
})

// describe is a run as FUNCTION STATS shows it. The words of its command are the
// link's, which does not read on while it waits for the answer.
func (r *run) describe() resp.Reply {
	var words []resp.Reply
	for _, word := range r.argv {
		words = append(words, resp.BulkString(string(word)))
	}
	return resp.Map(resp.BulkString("name"), resp.BulkString(r.name), resp.BulkString("command"), resp.Array(words...),
		resp.BulkString("duration_ms"), resp.Int(time.Since(r.start).Milliseconds()))
}

// A payload of libraries is what FUNCTION DUMP answers:
//
//	| 245 | a library's code | …  | version, 16 bits | CRC-64 of all before it, 64 bits |
//
// the code as a text of RDB, the numbers little-endian.
const (
	libraryForm   = 245
	payloadFooter = 2 + 8
	dumpVersion   = 10
)

var _ = Tells.Add(command.Spec[here]{
	Meta: command.Meta{
		Name: "FUNCTION|DUMP", Arity: 2, Complexity: "O(N), where N is the number of functions",
		Summary: "Tells all libraries as a payload for FUNCTION RESTORE.",
		Group:   "scripting", Since: "0.1.0", Flags: command.NoScript,
		Examples: "> FUNCTION DUMP\n\"\\n\\x00]\\x9b\\\\@\\x0f\\x7f\\xa2\\xda\"\n> FUNCTION DUMP all\n-ERR wrong number of arguments for 'function|dump' command\n",
	},
	Run: func(h here, _ *command.Args) resp.Reply {
		e := rdb.NewEncoder(nil)
		for _, lib := range h.sorted() {
			e.Byte(libraryForm)
			e.Text([]byte(lib.code))
		}
		out := binary.LittleEndian.AppendUint16(e.Bytes(), dumpVersion)
		return resp.Bulk(binary.LittleEndian.AppendUint64(out, rdb.Checksum(0, out)))
	},
})

var _ = Tells.Add(command.Spec[here]{
	Meta: command.Meta{
		Name: "FUNCTION|RESTORE", Syntax: "serialized-value [FLUSH | APPEND | REPLACE]", Arity: -3, Complexity: "O(N), where N is the number of functions",
		Summary: "Loads the libraries of a payload.",
		Group:   "scripting", Since: "0.1.0", Flags: command.Write | command.DenyOOM | command.NoScript,
		Examples: "> FUNCTION RESTORE \"\\n\\x00]\\x9b\\\\@\\x0f\\x7f\\xa2\\xda\"\n+OK\n> FUNCTION RESTORE nonsense\n-ERR DUMP payload version or checksum are wrong\n",
	},
	Run: restoreFunctions,
})

func restoreFunctions(h here, a *command.Args) resp.Reply {
	payload := a.Bytes()
	flush, replace := false, false
	switch {
	case a.Len() > 1:
		return resp.Error("ERR unknown subcommand or wrong number of arguments for '" + string(a.Argv()[1]) + "'. Try FUNCTION HELP.")
	case a.Len() == 0, a.Option("APPEND"):
	case a.Option("FLUSH"):
		flush = true
	case a.Option("REPLACE"):
		replace = true
	default:
		return resp.Error("ERR Wrong restore policy given, value should be either FLUSH, APPEND or REPLACE.")
	}
	end := len(payload) - payloadFooter
	if end < 0 || binary.LittleEndian.Uint16(payload[end:]) > rdb.VersionMax ||
		binary.LittleEndian.Uint64(payload[end+2:]) != rdb.Checksum(0, payload[:end+2]) {
		return resp.Error("ERR DUMP payload version or checksum are wrong")
	}
	libraries, mistake := h.readLibraries(payload[:end])
	if mistake != "" {
		return resp.Error("ERR " + mistake)
	}
	if refusal := h.add(libraries, flush, replace); refusal.IsError() {
		return refusal
	}
	var effects [][][]byte
	if flush {
		effects = append(effects, flushed)
	}
	for _, lib := range libraries {
		effects = append(effects, loaded(lib.code))
	}
	return h.changed(resp.OK, effects...)
}

// readLibraries reads the libraries of a payload.
func (e *Engine) readLibraries(payload []byte) (libraries []*library, mistake string) {
	d := rdb.NewDecoder(payload)
	seen := map[string]bool{}
	for d.Left() > 0 {
		if d.Byte() != libraryForm {
			return nil, "given type is not a function"
		}
		code := string(d.Text())
		if d.Err() != nil {
			return nil, "Failed loading library"
		}
		lib, mistake := e.newLibrary(code, func(name string) bool { return seen[name] })
		if mistake != "" {
			return nil, mistake
		}
		seen[lib.name] = true
		libraries = append(libraries, lib)
	}
	return libraries, ""
}
