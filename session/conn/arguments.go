package conn

import (
	"slices"
	"strings"

	"github.com/troupedb/troupe/resp/command"
)

// argument is one argument of a command as COMMAND DOCS describes it.
type argument struct {
	name, kind, token, text          string
	keySpec                          int // of a key: the place of its specification
	optional, multiple, repeatsToken bool
	arguments                        []*argument
}

// The kinds of arguments that are not those of values.
const (
	kindToken = "pure-token"
	kindOneOf = "oneof"
	kindBlock = "block"
	kindKey   = "key"
)

// valueKinds are the kinds of values, by the words that stand for them. What
// is not here is a string.
var valueKinds = map[string][]string{
	"integer": {
		"seconds", "milliseconds", "index", "count", "offset", "cursor", "numkeys", "increment", "decrement", "port",
		"db", "destination-db", "index1", "index2", "rank", "num-matches", "len", "limit", "protover", "client-id", "numreplicas",
		"numlocal", "bit", "start", "stop", "end", "size", "maxage", "ttl", "numfields", "width-columns",
	},
	"double":    {"score", "longitude", "latitude", "radius", "width", "height", "weight"},
	"pattern":   {"pattern"},
	"unix-time": {"unix-time-seconds", "unix-time-milliseconds"},
	kindKey:     {"key"},
}

func kindOfWord(word string) string {
	for kind, words := range valueKinds {
		if slices.Contains(words, word) {
			return kind
		}
	}
	return "string"
}

// signNames are what signs are called.
var signNames = map[string]string{"*": "star", "=": "equal", "~": "approximately", "$": "last", "-": "minus", "+": "plus", `""`: "empty-string"}

// argumentsOf are the arguments of a command, from its Syntax.
func argumentsOf(m *command.Meta) ([]*argument, error) {
	seq, err := readSyntax(m.Syntax)
	if err != nil {
		return nil, err
	}
	args := sequence(seq)
	markKeys(args, m)
	return args, nil
}

// sequence turns pieces that follow each other into arguments. A token belongs
// to the word or the required group behind it.
func sequence(seq []*piece) (args []*argument) {
	for i := 0; i < len(seq); i++ {
		if p := seq[i]; p.isToken() && !p.multiple && i+1 < len(seq) && takesToken(seq[i+1]) {
			i++
			arg := single(seq[i])
			arg.token = p.word
			args = append(args, arg)
			continue
		}
		args = append(args, single(seq[i]))
	}
	return args
}

func takesToken(p *piece) bool {
	return !p.isToken() && (p.word != "" || !p.optional && len(p.choices) > 1)
}

// single turns one piece into an argument.
func single(p *piece) *argument {
	var arg *argument
	switch {
	case p.isToken():
		arg = &argument{name: tokenName(p.word), kind: kindToken, token: p.word}
		arg.text = arg.name
	case p.word != "":
		arg = &argument{name: p.word, kind: kindOfWord(p.word), text: p.word}
	case len(p.choices) == 1:
		arg = together(p.choices[0])
	default:
		arg = &argument{kind: kindOneOf}
		for _, seq := range p.choices {
			arg.arguments = append(arg.arguments, together(seq))
		}
		arg.name = joinNames(arg.arguments)
	}
	arg.optional = arg.optional || p.optional
	if p.multiple {
		arg.multiple = true
		arg.repeatsToken = arg.token != "" && arg.kind != kindToken
	}
	return arg
}

// together turns pieces that belong together into one argument: a block if
// they are several. A token in front of several words is the block's.
func together(seq []*piece) *argument {
	token := ""
	if len(seq) > 2 && seq[0].isToken() && !seq[0].multiple && seq[1].word != "" && !seq[1].isToken() {
		token, seq = seq[0].word, seq[1:]
	}
	args := sequence(seq)
	if len(args) == 1 {
		return args[0]
	}
	return &argument{name: joinNames(args), kind: kindBlock, token: token, arguments: args}
}

func tokenName(token string) string {
	if name := signNames[token]; name != "" {
		return name
	}
	return strings.ToLower(token)
}

// namesMax is how many names of its parts a group's own name is made of.
const namesMax = 4

func joinNames(args []*argument) string {
	var names []string
	for _, arg := range args[:min(len(args), namesMax)] {
		names = append(names, arg.name)
	}
	return strings.Join(names, "_")
}

// markKeys finds the arguments that the command's key specifications speak of.
func markKeys(args []*argument, m *command.Meta) {
	for i := range m.Keys {
		k := &m.Keys[i]
		if k.Keyword != "" {
			if arg := withToken(args, k.Keyword); arg != nil {
				firstValue(arg).markKey(i)
			}
			continue
		}
		at := k.First - m.Words()
		if k.Counted {
			at++
		}
		places := 0
		eachWord(args, func(arg *argument) {
			if places == at || places > at && places <= at+k.Last && (places-at)%max(k.Step, 1) == 0 {
				arg.markKey(i)
			}
			places++
		})
	}
}

func (arg *argument) markKey(spec int) {
	if arg.kind != kindToken {
		arg.kind, arg.keySpec = kindKey, spec
	}
}

// withToken finds the argument with a token.
func withToken(args []*argument, token string) *argument {
	for _, arg := range args {
		if arg.token == token {
			return arg
		}
		if found := withToken(arg.arguments, token); found != nil {
			return found
		}
	}
	return nil
}

func firstValue(arg *argument) *argument {
	for len(arg.arguments) > 0 {
		arg = arg.arguments[0]
	}
	return arg
}

// eachWord visits the words whose places are known, in their order: those up
// to the first argument that may be left out or repeated, and the first words
// of that.
func eachWord(args []*argument, visit func(*argument)) (certain bool) {
	for _, arg := range args {
		switch {
		case arg.kind == kindOneOf:
			visit(firstValue(arg))
		case arg.kind == kindBlock:
			if !eachWord(arg.arguments, visit) {
				return false
			}
		default:
			visit(arg)
		}
		if arg.optional || arg.multiple {
			return false
		}
	}
	return true
}
