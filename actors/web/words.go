package web

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// order is what a body of POST /command asks for.
type order struct {
	commands [][][]byte
	single   bool // it is one command, and so is the answer
	atomic   bool // they are one transaction
	db       *int
}

// The forms of an order:
//
//	["SET","k","v"]                                     a command
//	[["SET","k","v"],["GET","k"]]                       several, one after the other
//	{"command":["GET","k"],"db":1}                      the same with more to say
//	{"commands":[["INCR","k"],["GET","k"]],"atomic":true}
//
// A word is a string, a number as it is written, or {"base64":"…"} for bytes that
// are no text.
type orderFields struct {
	Command  json.RawMessage   `json:"command"`
	Commands []json.RawMessage `json:"commands"`
	Atomic   bool              `json:"atomic"`
	DB       *int              `json:"db"`
}

var (
	errForm  = errors.New("ERR the body is a command as a list of words, a list of commands, or an object with one of them")
	errEmpty = errors.New("ERR a command is a list of at least one word")
)

// readOrder reads a body.
func readOrder(body []byte) (o order, err error) {
	body = bytes.TrimSpace(body)
	switch {
	case len(body) > 0 && body[0] == '{':
		return readFields(body)
	case len(body) == 0 || body[0] != '[':
		return o, errForm
	}
	var items []json.RawMessage
	if err := strictly(body, &items); err != nil {
		return o, err
	}
	if len(items) > 0 && items[0][0] == '[' {
		o.commands, err = readCommands(items)
		return o, err
	}
	o.single = true
	o.commands, err = readCommands([]json.RawMessage{body})
	return o, err
}

func readFields(body []byte) (o order, err error) {
	var fields orderFields
	if err := strictly(body, &fields); err != nil {
		return o, err
	}
	if (fields.Command == nil) == (fields.Commands == nil) {
		return o, errForm
	}
	o.atomic, o.db, o.single = fields.Atomic, fields.DB, fields.Command != nil
	if o.single {
		fields.Commands = []json.RawMessage{fields.Command}
	}
	o.commands, err = readCommands(fields.Commands)
	return o, err
}

func readCommands(items []json.RawMessage) (commands [][][]byte, err error) {
	for _, item := range items {
		words, err := readWords(item)
		if err != nil {
			return nil, err
		}
		commands = append(commands, words)
	}
	if len(commands) == 0 {
		return nil, errEmpty
	}
	return commands, nil
}

// readWords reads a command.
func readWords(item json.RawMessage) ([][]byte, error) {
	var list []json.RawMessage
	if err := strictly(item, &list); err != nil || len(list) == 0 {
		return nil, errEmpty
	}
	words := make([][]byte, len(list))
	for i, one := range list {
		word, err := readWord(one)
		if err != nil {
			return nil, err
		}
		words[i] = word
	}
	return words, nil
}

func readWord(item json.RawMessage) ([]byte, error) {
	switch c := item[0]; {
	case c == '"':
		var text string
		err := json.Unmarshal(item, &text)
		return []byte(text), err
	case c == '-' || c >= '0' && c <= '9':
		return item, nil
	case c == '{':
		var binary struct {
			Base64 *string `json:"base64"`
		}
		if err := strictly(item, &binary); err != nil || binary.Base64 == nil {
			break
		}
		word, err := base64.StdEncoding.DecodeString(*binary.Base64)
		if err != nil {
			return nil, fmt.Errorf("ERR a word is no base64: %w", err)
		}
		return word, nil
	}
	return nil, fmt.Errorf("ERR a word is a string, a number or {\"base64\":…}, not %.40s", item)
}

// strictly reads JSON that has no fields but those that are known, and nothing
// behind it.
func strictly(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("ERR the JSON can't be read: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("ERR the JSON can't be read: there is something behind it")
	}
	return nil
}
