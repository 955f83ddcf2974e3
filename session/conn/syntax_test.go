package conn

import (
	"fmt"
	"strings"
	"testing"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

// show writes arguments down: oneof as (a|b), block as {a b}, a key with its
// specification, then ? for optional, * for multiple, + with its token.
func show(args []*argument, between string) string {
	var parts []string
	for _, arg := range args {
		parts = append(parts, arg.show())
	}
	return strings.Join(parts, between)
}

func (arg *argument) show() string {
	var text string
	switch arg.kind {
	case kindOneOf:
		text = "(" + show(arg.arguments, "|") + ")"
	case kindBlock:
		text = "{" + show(arg.arguments, " ") + "}"
	case kindToken:
	case kindKey:
		text = fmt.Sprintf("%s@%d", arg.name, arg.keySpec)
	default:
		text = arg.name
	}
	text = strings.TrimSpace(arg.token + " " + text)
	for _, f := range []struct {
		set  bool
		mark string
	}{{arg.optional, "?"}, {arg.multiple, "*"}, {arg.repeatsToken, "+"}} {
		if f.set {
			text += f.mark
		}
	}
	return text
}

func TestArguments(t *testing.T) {
	t.Parallel()
	f := func(syntax, want string, keys ...command.Keys) {
		t.Helper()
		var family command.Table[any]
		declared := family.Add(command.Spec[any]{
			Meta: command.Meta{Name: "X", Syntax: syntax, Keys: keys, Arity: -1, Group: "generic", Summary: "Is read.", Since: "0.1.0"},
			Run:  func(any, *command.Args) resp.Reply { return resp.OK },
		})
		args, err := argumentsOf(&declared.Meta)
		if err != nil {
			t.Fatal(err)
		}
		if got := show(args, " "); got != want {
			t.Errorf("%q is read as %s, want %s", syntax, got, want)
		}
	}
	first := command.Keys{First: 1}
	f("", "")
	f("key", "key@0", first)
	f("source destination", "source@0 destination@1", first, command.Keys{First: 2})
	f("key1 key2", "key1@0 key2@0", command.Keys{First: 1, Last: 1, Step: 1})
	f("key [key ...]", "key@0*", command.Keys{First: 1, Last: -1, Step: 1})
	f("key value [key value ...]", "{key@0 value}*", command.Keys{First: 1, Last: -1, Step: 2})
	f("key value [NX | XX] [GET] [EX seconds | PXAT unix-time-milliseconds | KEEPTTL]",
		"key@0 value (NX|XX)? GET? (EX seconds|PXAT unix-time-milliseconds|KEEPTTL)?", first)
	f("key [BY pattern] [LIMIT offset count] [GET pattern [GET pattern ...]] [ASC | DESC] [STORE destination]",
		"key@0 BY pattern? LIMIT {offset count}? GET pattern?*+ (ASC|DESC)? STORE destination@1?", first, command.Keys{First: 1, Keyword: "STORE"})
	f("key [NOMKSTREAM] [<MAXLEN | MINID> [= | ~] threshold [LIMIT count]] <* | id> field value [field value ...]",
		"key@0 NOMKSTREAM? {(MAXLEN|MINID) (=|~)? threshold LIMIT count?}? (*|id) {field value}*", first)
	f("[COUNT count] STREAMS key [key ...] id [id ...]", "COUNT count? STREAMS key@0* id*", command.Keys{First: 1, Keyword: "STREAMS"})
	f("numkeys key [key ...] [WEIGHTS weight [weight ...]]", "numkeys key@0* WEIGHTS weight?*", command.Keys{First: 1, Counted: true})
	f("script numkeys [key [key ...]] [arg [arg ...]]", "script numkeys key@0?* arg?*", command.Keys{First: 2, Counted: true})
	f("destination numkeys key [key ...]", "destination@0 numkeys key@1*", first, command.Keys{First: 2, Counted: true})
	f("key [GET encoding offset | [OVERFLOW <WRAP | SAT>] <SET encoding offset value | INCRBY encoding offset increment> "+
		"[GET encoding offset | [OVERFLOW <WRAP | SAT>] <SET encoding offset value | INCRBY encoding offset increment> ...]]",
		"key@0 (GET {encoding offset}|{OVERFLOW (WRAP|SAT)? (SET {encoding offset value}|INCRBY {encoding offset increment})})?*", first)
	f("<ip:port | <[ID client-id] | [TYPE <NORMAL | PUBSUB>]> [...]>", "(ip:port|(ID client-id?|TYPE (NORMAL|PUBSUB)?)*)")
	f("[FILTERBY <MODULE module-name | PATTERN pattern>]", "FILTERBY (MODULE module-name|PATTERN pattern)?")
	f("<FROMMEMBER member | FROMLONLAT longitude latitude> [COUNT count [ANY]]", "(FROMMEMBER member|FROMLONLAT {longitude latitude}) COUNT {count ANY?}?")
}

func TestKindsOfValues(t *testing.T) {
	t.Parallel()
	f := func(word, want string) {
		t.Helper()
		if got := kindOfWord(word); got != want {
			t.Errorf("%s is of the kind %s, want %s", word, got, want)
		}
	}
	f("seconds", "integer")
	f("unix-time-seconds", "unix-time")
	f("score", "double")
	f("pattern", "pattern")
	f("key", "key")
	f("value", "string")
}

func TestSyntaxMistakes(t *testing.T) {
	t.Parallel()
	f := func(syntax string) {
		t.Helper()
		if _, err := readSyntax(syntax); err == nil {
			t.Errorf("%q is taken", syntax)
		}
	}
	f("key [NX")
	f("key NX]")
	f("key <NX]")
	f("NX | XX")
	f("key [NX | ]")
	f("key []")
}
