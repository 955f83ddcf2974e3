package script

import (
	"bytes"
	"testing"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/str"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/session"
	lua "github.com/yuin/gopher-lua"
)

// newTestEngine is an engine whose scripts can call commands on strings.
func newTestEngine() *Engine {
	c := &session.Catalogue{}
	c.AddData(&str.Commands)
	e := AddTo(c)
	c.Seal()
	return e
}

// callWith calls a function of a machine with texts, and returns what it returns.
func callWith(m *machine, library, name string, args ...string) (lua.LValue, error) {
	return callIn(&run{engine: m.engine, machine: m}, library, name, args...)
}

// callIn is callWith as a part of a run.
func callIn(r *run, library, name string, args ...string) (lua.LValue, error) {
	m := r.machine
	m.begin(r)
	l := m.state
	l.Push(m.behind.RawGetString(library).(*lua.LTable).Metatable.(*lua.LTable).RawGetString("__index").(*lua.LTable).RawGetString(name))
	for _, arg := range args {
		l.Push(lua.LString(arg))
	}
	defer l.SetTop(0)
	if err := l.PCall(len(args), 1, nil); err != nil {
		return nil, err
	}
	return l.Get(-1), nil
}

// What cmsgpack unpacks is packed as it was understood.
func FuzzMessagePack(f *testing.F) {
	f.Add([]byte("\x93\x01\xa1a\xc0"))
	f.Add([]byte("\xdf\xff\xff\xff\xff"))
	m := newTestEngine().newMachine()
	f.Fuzz(func(t *testing.T, in []byte) {
		if v, err := callWith(m, "cmsgpack", "unpack", string(in)); err == nil && v != lua.LNil {
			m.begin(&run{engine: m.engine, machine: m})
			p := msgPacker{machine: m, state: m.state}
			p.value(v, 0)
		}
	})
}

// What cjson decodes is encoded again without harm.
func FuzzJSON(f *testing.F) {
	f.Add(`{"a":[1,2.5e3,null,"\\ud83d\\ude00"]}`)
	f.Add(`[[[[`)
	f.Add(`-0x1p-3`)
	m := newTestEngine().newMachine()
	f.Fuzz(func(t *testing.T, in string) {
		if v, err := callWith(m, "cjson", "decode", in); err == nil && v.Type() == lua.LTString {
			again := jsonEncoder{machine: m, state: m.state}
			again.text(string(v.(lua.LString)))
			if back, err := callWith(m, "cjson", "decode", string(again.out)); err != nil || back != v {
				t.Errorf("%q becomes %v, %v", v, back, err)
			}
		}
	})
}

func FuzzStruct(f *testing.F) {
	f.Add(">I2!4 b c0 s", "\x00\x01abc\x00")
	m := newTestEngine().newMachine()
	f.Fuzz(func(t *testing.T, format, data string) {
		callWith(m, "struct", "unpack", format, data)
		callWith(m, "struct", "size", format)
	})
}

// Errors and states of scripts are one frame each, whatever is in them.
func FuzzReplies(f *testing.F) {
	f.Add("ERR x\r\n+OK")
	m := newTestEngine().newMachine()
	f.Fuzz(func(t *testing.T, in string) {
		for _, name := range []string{"error_reply", "status_reply"} {
			v, err := callWith(m, "redis", name, in)
			if err != nil {
				t.Fatal(err)
			}
			r := &run{}
			for _, encoder := range []resp.Encoder{resp.V2, resp.V3} {
				if out := encoder.Append(nil, r.reply(v, 0)); bytes.Count(out, []byte("\n")) != 1 || bytes.Count(out, []byte("\r")) != 1 {
					t.Errorf("%q becomes %q", in, out)
				}
			}
		}
	})
}

func FuzzRestore(f *testing.F) {
	f.Add([]byte("\xf5\x0a#!lua name"))
	e := newTestEngine()
	f.Fuzz(func(t *testing.T, in []byte) { e.readLibraries(in) })
}

// A script that is given up undoes what it has written.
func TestUndo(t *testing.T) {
	t.Parallel()
	e := newTestEngine()
	eval := e.catalogue.Named("EVAL").Data
	const total = 4
	var held []*keyspace.Shard
	for i := range total {
		held = append(held, keyspace.NewShard(i, 1, 1))
	}
	settings := keyspace.DefaultSettings()
	settings.Kinds[str.Kind.Type] = &str.Kind
	ask := func(shards []*keyspace.Shard, words ...string) (x *keyspace.Execute) {
		turn := keyspace.Turn{Now: 1, Settings: settings, Nanos: func() int64 { return 0 }, Versions: func(int) uint64 { return 0 }}
		tx := keyspace.Begin(&turn, shards, total)
		var argv [][]byte
		for _, word := range words {
			argv = append(argv, []byte(word))
		}
		x = &keyspace.Execute{Encoder: resp.V2, Heavy: true, Requests: []keyspace.Request{{Spec: eval, Argv: argv}}}
		tx.Run(&turn, x)
		tx.End(&turn)
		return x
	}
	near, far := "a", "b"
	for i := 0; keyspace.ShardOf([]byte(far), total) == keyspace.ShardOf([]byte(near), total); i++ {
		far += "b"
	}
	own := held[keyspace.ShardOf([]byte(near), total):][:1]
	const source = "redis.call('SET', KEYS[1], ARGV[1]) for i = 2, #ARGV do pcall(redis.call, 'SET', ARGV[i], 'x') end return redis.call('GET', KEYS[1])"
	if x := ask(held, "EVAL", source, "1", near, "1"); string(x.Out) != "$1\r\n1\r\n" {
		t.Fatalf("the first run is answered %q", x.Out)
	}
	if x := ask(own, "EVAL", source, "1", near, "2"); string(x.Out) != "$1\r\n2\r\n" || e.reaches([][]byte{[]byte("EVAL"), []byte(source)}) {
		t.Fatalf("a script that keeps to its key is answered %q", x.Out)
	}
	x := ask(own, "EVAL", source, "1", near, "3", far)
	if x.Ran != 0 || len(x.Out) != 0 || len(x.Shards) != total || !e.reaches([][]byte{[]byte("EVAL"), []byte(source)}) {
		t.Fatalf("a script that strays has run %d, is answered %q, and goes to %v", x.Ran, x.Out, x.Shards)
	}
	if x := ask(held, "EVAL", "return redis.call('MGET', KEYS[1], KEYS[2])", "2", near, far); string(x.Out) != "*2\r\n$1\r\n2\r\n$-1\r\n" {
		t.Errorf("it has left %q", x.Out)
	}
}
