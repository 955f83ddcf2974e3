package conn

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// The syntax of a command's arguments, as redis.io writes it, read into a tree:
//
//	key              a word to be replaced
//	EX               a token: capitals or a sign, to be written as it is
//	[…] <…>          what may be left out, what may not; | between alternatives
//	key [key ...]    what may be repeated: the words before, once more, and dots
//	<…> [...]        the same for a long group

// piece is a word or a group of the syntax.
type piece struct {
	word     string     // of a word
	choices  [][]*piece // of a group: its alternatives
	optional bool       // a group in square brackets
	dots     bool       // a group that ends with "...": what is before it may be repeated
	multiple bool       // what was before such a group
}

// isToken reports whether the piece is a word that is written as it is.
func (p *piece) isToken() bool {
	return p.word != "" && p.word == strings.ToUpper(p.word)
}

// text is the piece in one spelling, for comparing.
func (p *piece) text() string {
	if p.word != "" {
		return p.word
	}
	choices := make([]string, len(p.choices))
	for i, seq := range p.choices {
		choices[i] = textOf(seq)
	}
	inner := strings.Join(choices, " | ")
	if p.optional {
		return "[" + inner + "]"
	}
	return "<" + inner + ">"
}

func textOf(seq []*piece) string {
	texts := make([]string, len(seq))
	for i, p := range seq {
		texts[i] = p.text()
		if p.multiple {
			texts[i] += " [" + texts[i] + " ...]"
		}
	}
	return strings.Join(texts, " ")
}

// syntaxReader reads the words of a syntax one after the other.
type syntaxReader struct {
	words []string
	at    int
}

var spacedBrackets = strings.NewReplacer("[", " [ ", "]", " ] ", "<", " < ", ">", " > ", "|", " | ")

// readSyntax reads a syntax. A bracket that is not closed, or that opens
// nowhere, is an error, as is an empty alternative.
func readSyntax(syntax string) ([]*piece, error) {
	r := &syntaxReader{words: strings.Fields(spacedBrackets.Replace(syntax))}
	choices, _, err := r.readChoices("")
	if err == nil && len(choices) > 1 {
		err = errors.New("alternatives outside of brackets")
	}
	if err != nil {
		return nil, fmt.Errorf("syntax %q: %w", syntax, err)
	}
	return choices[0], nil
}

// readChoices reads alternatives up to the closing bracket, or to the end if
// that is "". dots tells of "..." before it.
func (r *syntaxReader) readChoices(closing string) (choices [][]*piece, dots bool, err error) {
	choices = [][]*piece{nil}
	for r.at < len(r.words) {
		word := r.words[r.at]
		r.at++
		switch word {
		case closing:
			return choices, dots, checkChoices(choices, dots)
		case "|":
			choices = append(choices, nil)
		case "...":
			dots = true
		case "]", ">":
			return nil, false, fmt.Errorf("%s closes nothing", word)
		case "[", "<":
			var group *piece
			if group, err = r.readGroup(word); err != nil {
				return nil, false, err
			}
			choices = addGroup(choices, group)
		default:
			choices = add(choices, &piece{word: word})
		}
	}
	if closing != "" {
		return nil, false, fmt.Errorf("%s is missing", closing)
	}
	return choices, dots, nil
}

func checkChoices(choices [][]*piece, dots bool) error {
	empty := func(seq []*piece) bool { return len(seq) == 0 }
	if slices.ContainsFunc(choices, empty) && !(dots && len(choices) == 1) {
		return errors.New("an alternative is empty")
	}
	return nil
}

func (r *syntaxReader) readGroup(opening string) (*piece, error) {
	closing := map[string]string{"[": "]", "<": ">"}[opening]
	choices, dots, err := r.readChoices(closing)
	if err != nil {
		return nil, err
	}
	return &piece{choices: choices, optional: opening == "[", dots: dots}, nil
}

// add adds a piece to the last alternative.
func add(choices [][]*piece, p *piece) [][]*piece {
	last := len(choices) - 1
	choices[last] = append(choices[last], p)
	return choices
}

// addGroup adds a group, or, if it only says that what is before it may be
// repeated, marks that: the last pieces, or all the alternatives so far.
func addGroup(choices [][]*piece, group *piece) [][]*piece {
	if !group.dots {
		return add(choices, group)
	}
	if len(group.choices) > 1 {
		whole := &piece{choices: slices.Clone(choices), multiple: true}
		if whole.text() != (&piece{choices: group.choices}).text() {
			return add(choices, group)
		}
		return [][]*piece{{whole}}
	}
	last := choices[len(choices)-1]
	again := textOf(group.choices[0])
	for from := len(last) - 1; from >= 0; from-- {
		if again == "" || textOf(last[from:]) == again {
			choices[len(choices)-1] = append(last[:from:from], repeated(last[from:]))
			return choices
		}
	}
	return add(choices, group)
}

// repeated is some pieces as one that may be repeated.
func repeated(seq []*piece) *piece {
	p := seq[0]
	if len(seq) > 1 {
		p = &piece{choices: [][]*piece{slices.Clone(seq)}}
	}
	p.multiple = true
	return p
}
