package script

import (
	"crypto/sha1"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/troupedb/troupe/session"
	lua "github.com/yuin/gopher-lua"
)

// redisTable is the table redis of scripts.
func (m *machine) redisTable() *lua.LTable {
	t := m.table(map[string]lua.LGFunction{
		"call": m.call, "pcall": m.pcall,
		"error_reply": errorReply, "status_reply": statusReply,
		"log": m.log, "sha1hex": sha1Hex, "setresp": m.setResp, "set_repl": setRepl,
		"replicate_commands": func(l *lua.LState) int { l.Push(lua.LTrue); return 1 },
		"breakpoint":         func(l *lua.LState) int { l.Push(lua.LFalse); return 1 },
		"debug":              func(l *lua.LState) int { return 0 },
		"acl_check_cmd":      m.mayCall,
	})
	constants(t)
	return t
}

func constants(t *lua.LTable) {
	for name, n := range map[string]int{
		"LOG_DEBUG": 0, "LOG_VERBOSE": 1, "LOG_NOTICE": 2, "LOG_WARNING": 3,
		"REPL_NONE": 0, "REPL_AOF": 1, "REPL_SLAVE": 2, "REPL_REPLICA": 2, "REPL_ALL": 3,
		"REDIS_VERSION_NUM": versionNumber(),
	} {
		t.RawSetString(name, lua.LNumber(n))
	}
	t.RawSetString("REDIS_VERSION", lua.LString(session.RedisVersion))
}

// versionNumber is Redis's version as one number: a byte each for its parts.
func versionNumber() (n int) {
	for part := range strings.SplitSeq(session.RedisVersion, ".") {
		k, _ := strconv.Atoi(part)
		n = n<<8 | k
	}
	return n
}

// failure is an error as scripts see it.
func failure(l *lua.LState, said string) *lua.LTable {
	t := l.CreateTable(0, 1)
	t.RawSetString("err", lua.LString(said))
	return t
}

// failedArgument answers functions that return their mistakes.
func failedArgument(l *lua.LState) int {
	l.Push(failure(l, "ERR wrong number or type of arguments"))
	return 1
}

func errorReply(l *lua.LState) int {
	s, ok := l.Get(1).(lua.LString)
	if l.GetTop() != 1 || !ok {
		return failedArgument(l)
	}
	l.Push(failure(l, errorText(string(s))))
	return 1
}

// errorText is the error of a text: its first word is the code if there are two.
func errorText(s string) string {
	s = strings.TrimPrefix(s, "-")
	code, said, ok := strings.Cut(s, " ")
	if !ok {
		code, said = "ERR", s
	}
	return code + " " + strings.Trim(said, "\r\n")
}

func statusReply(l *lua.LState) int {
	s, ok := l.Get(1).(lua.LString)
	if l.GetTop() != 1 || !ok {
		return failedArgument(l)
	}
	t := l.CreateTable(0, 1)
	t.RawSetString("ok", s)
	l.Push(t)
	return 1
}

func sha1Hex(l *lua.LState) int {
	if l.GetTop() != 1 {
		return raise(l, "wrong number of arguments")
	}
	sum := sha1.Sum([]byte(textOrNothing(l.Get(1))))
	l.Push(lua.LString(hex.EncodeToString(sum[:])))
	return 1
}

// textOrNothing is a text or number as a text, "" for anything else.
func textOrNothing(v lua.LValue) string {
	if !isText(v) {
		return ""
	}
	return text(v)
}

// raise raises an error that says where by itself: see describe.
func raise(l *lua.LState, said string) int {
	t := failure(l, "ERR "+said)
	located(l, t)
	l.Error(t, 1)
	return 0
}

func (m *machine) setResp(l *lua.LState) int {
	if l.GetTop() != 1 {
		return raise(l, "redis.setresp() requires one argument.")
	}
	n, _ := l.Get(1).(lua.LNumber)
	if n != 2 && n != 3 {
		return raise(l, "RESP version must be 2 or 3.")
	}
	m.run.resp3 = n == 3
	return 0
}

func setRepl(l *lua.LState) int {
	if l.GetTop() != 1 {
		return raise(l, "redis.set_repl() requires two arguments.")
	}
	if n := int(lua.LVAsNumber(l.Get(1))); n < 0 || n > 3 {
		return raise(l, "Invalid replication flags. Use REPL_AOF, REPL_REPLICA, REPL_ALL or REPL_NONE.")
	}
	return 0
}

func (m *machine) log(l *lua.LState) int {
	if l.GetTop() < 2 {
		return raise(l, "redis.log() requires two arguments or more.")
	}
	level, ok := l.Get(1).(lua.LNumber)
	switch {
	case !ok:
		return raise(l, "First argument must be a number (log level).")
	case level < 0 || level > 3:
		return raise(l, "Invalid debug level.")
	}
	var parts []string
	for i := 2; i <= l.GetTop(); i++ {
		parts = append(parts, textOrNothing(l.Get(i)))
	}
	m.soberly(l)
	if m.run != nil && m.run.server != nil {
		said := strings.Join(parts, " ")
		switch log := m.run.server.Log; level {
		case 0:
			log.Trace("script", "says", said)
		case 1:
			log.Debug("script", "says", said)
		case 2:
			log.Info("script", "says", said)
		default:
			log.Warn("script", "says", said)
		}
	}
	return 0
}
