package main

import (
	"slices"
	"strconv"

	"github.com/troupedb/troupe/resp"
)

// model runs commands as the server should. It knows those that the harness
// sends, as the harness sends them: keys are of the right type, words are right.
type model struct {
	cells   dataset
	db      string // selected
	touched []string
	// from and to are when the server may have run what is run.
	from, to int64
}

// run runs one command. reply is its reply, Nothing if it is not known.
func (m *model) run(words []string, reply resp.Reply) {
	effect, found := plainEffects[words[0]]
	if !found {
		effect, found = collectionEffects[words[0]]
	}
	if !found {
		panic("the model does not know " + words[0])
	}
	effect(m, words[1:], reply)
}

// plainEffects is what commands do with texts and whole keys, by name.
var plainEffects = map[string]func(m *model, words []string, reply resp.Reply){
	"SELECT": func(m *model, w []string, _ resp.Reply) { m.db = w[0] },
	"SET":    setText,
	"MSET": func(m *model, w []string, _ resp.Reply) {
		for i := 0; i < len(w); i += 2 {
			m.put(w[i], &datum{kind: "string", text: w[i+1]})
		}
	},
	"APPEND": func(m *model, w []string, _ resp.Reply) { m.at(w[0], "string").text += w[1] },
	"SETRANGE": func(m *model, w []string, _ resp.Reply) {
		c, offset := m.at(w[0], "string"), number(w[1])
		text := append([]byte(c.text), make([]byte, max(0, offset+len(w[2])-len(c.text)))...)
		copy(text[offset:], w[2])
		c.text = string(text)
	},
	"SETBIT": func(m *model, w []string, _ resp.Reply) {
		c, bit := m.at(w[0], "string"), number(w[1])
		text := append([]byte(c.text), make([]byte, max(0, bit/8+1-len(c.text)))...)
		if mask := byte(0x80) >> (bit % 8); w[2] == "1" {
			text[bit/8] |= mask
		} else {
			text[bit/8] &^= mask
		}
		c.text = string(text)
	},
	"INCRBY": func(m *model, w []string, _ resp.Reply) { addInt(&m.at(w[0], "string").text, w[1]) },
	"INCRBYFLOAT": func(m *model, w []string, _ resp.Reply) {
		addFloat(&m.at(w[0], "string").text, w[1])
	},
	"DEL": func(m *model, w []string, _ resp.Reply) {
		for _, key := range w {
			m.put(key, nil)
		}
	},
	"RENAME": func(m *model, w []string, _ resp.Reply) {
		if c := m.find(w[0]); c != nil {
			m.put(w[0], nil)
			m.put(w[1], c)
		}
	},
	"COPY": func(m *model, w []string, _ resp.Reply) {
		if c := m.find(w[0]); c != nil {
			m.put(w[1], c.clone())
		}
	},
	"PEXPIREAT": func(m *model, w []string, _ resp.Reply) { m.expire(w[0], int64(number(w[1])), 0) },
	"EXPIRE": func(m *model, w []string, _ resp.Reply) {
		ms := int64(number(w[1])) * 1000
		m.expire(w[0], m.from+ms, m.to+ms)
	},
	"PERSIST": func(m *model, w []string, _ resp.Reply) { m.expire(w[0], 0, 0) },
	"SWAPDB": func(m *model, w []string, _ resp.Reply) {
		swapped := dataset{}
		for name, c := range m.cells {
			m.touched = append(m.touched, name)
			switch db, key := splitName(name); db {
			case w[0]:
				name = w[1] + "/" + key
			case w[1]:
				name = w[0] + "/" + key
			}
			m.touched = append(m.touched, name)
			swapped[name] = c
		}
		m.cells = swapped
	},
	"FLUSHDB": func(m *model, _ []string, _ resp.Reply) {
		for name := range m.cells {
			if db, _ := splitName(name); db == m.db {
				m.touched = append(m.touched, name)
				delete(m.cells, name)
			}
		}
	},
	"FUNCTION": func(m *model, w []string, _ resp.Reply) { m.put(registerKey, &datum{kind: "function", text: w[2]}) },
}

// registerKey is where the model keeps the code of the library that says a
// number.
const registerKey = "register"

func (m *model) name(key string) string {
	if key == registerKey {
		return key
	}
	return m.db + "/" + key
}

func (m *model) find(key string) *datum { return m.cells[m.name(key)] }

// put puts a value in place; nil takes it away.
func (m *model) put(key string, c *datum) {
	name := m.name(key)
	m.touched = append(m.touched, name)
	if c == nil {
		delete(m.cells, name)
		return
	}
	m.cells[name] = c
}

// at is the value of a key that is about to change, made if it is missing.
func (m *model) at(key, kind string) *datum {
	name := m.name(key)
	m.touched = append(m.touched, name)
	c := m.cells[name]
	if c == nil {
		c = &datum{kind: kind}
		if kind == "hash" || kind == "set" || kind == "zset" {
			c.pairs = map[string]string{}
		}
		m.cells[name] = c
	}
	return c
}

// settle takes a key away that has lost its last element.
func (m *model) settle(key string) {
	if c := m.find(key); c != nil && c.isEmpty() {
		m.put(key, nil)
	}
}

func (m *model) expire(key string, from, to int64) {
	if c := m.find(key); c != nil {
		m.touched = append(m.touched, m.name(key))
		c.deadline, c.latest = from, to
	}
}

// setText is SET key value [PXAT ms | PX ms].
func setText(m *model, w []string, _ resp.Reply) {
	c := &datum{kind: "string", text: w[1]}
	if i := slices.Index(w, "PXAT"); i > 1 {
		c.deadline = int64(number(w[i+1]))
	}
	if i := slices.Index(w, "PX"); i > 1 {
		ms := int64(number(w[i+1]))
		c.deadline, c.latest = m.from+ms, m.to+ms
	}
	m.put(w[0], c)
}

func number(word string) int {
	n, err := strconv.Atoi(word)
	if err != nil {
		panic(err)
	}
	return n
}

func addInt(text *string, by string) {
	if *text == "" {
		*text = "0"
	}
	*text = strconv.Itoa(number(*text) + number(by))
}

// addFloat adds halves, which are exact.
func addFloat(text *string, by string) {
	sum, _ := strconv.ParseFloat(*text, 64) // "" is 0
	more, err := strconv.ParseFloat(by, 64)
	if err != nil {
		panic(err)
	}
	*text = strconv.FormatFloat(sum+more, 'f', -1, 64)
}
