// Package dicetest is a client of DiceDB's protocols, for tests. It is written
// from the protocols' description and shares nothing with the encoders that it
// tests.
package dicetest

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// Message is a decoded Response or Result.
type Message struct {
	// Raw tells a Response.
	Raw bool
	// Failed and Text are status and message of a Result, or that a Response
	// has an err and which.
	Failed bool
	Text   string
	// Fingerprint is in decimal, "" if there is none.
	Fingerprint string
	// Field is the name in which the value stands, of a Result that of the
	// command's message ("GETRes"); "" if there is no value.
	Field string
	// Value is nil, string, int64, float64, bool, []string, [][2]string,
	// Element, []Element, []Coords or []Place.
	Value any
}

// JSON is the message as protobuf's JSON has it, what is zero left out.
func (m Message) JSON() string {
	var parts []string
	add := func(name string, value any) {
		text, err := json.Marshal(value)
		if err != nil {
			panic(err) // strings, numbers and lists of them
		}
		parts = append(parts, fmt.Sprintf("%q:%s", name, text))
	}
	if m.Raw {
		if m.Failed {
			add("err", m.Text)
		}
		if m.Field != "" {
			add(m.Field, plain(m.Value, true))
		}
		if m.Fingerprint != "" {
			add("attrs", map[string]string{"fingerprint": m.Fingerprint})
		}
		return "{" + strings.Join(parts, ",") + "}"
	}
	if m.Failed {
		add("status", "ERR")
	}
	if m.Text != "" {
		add("message", m.Text)
	}
	if m.Fingerprint != "" {
		add("fingerprint64", m.Fingerprint)
	}
	if m.Field != "" {
		inner := map[string]any{}
		if value := plain(m.Value, false); value != nil {
			inner[responses[m.Field].inner] = value
		}
		add(m.Field, inner)
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// plain is a value as JSON has it: whole numbers as strings, nil for zero
// unless zero is said.
func plain(value any, saysZero bool) any {
	switch v := value.(type) {
	case string:
		if v == "" && !saysZero {
			return nil
		}
	case bool:
		if !v && !saysZero {
			return nil
		}
	case int64:
		if v == 0 && !saysZero {
			return nil
		}
		return strconv.FormatInt(v, 10)
	case [][2]string:
		if saysZero {
			all := map[string]string{}
			for _, pair := range v {
				all[pair[0]] = pair[1]
			}
			return all
		}
		var all []map[string]string
		for _, pair := range v {
			one := map[string]string{}
			for i, name := range []string{"key", "value"} {
				if pair[i] != "" {
					one[name] = pair[i]
				}
			}
			all = append(all, one)
		}
		if all == nil {
			return nil
		}
		return all
	case []string:
		if len(v) == 0 {
			return nil
		}
	case float64:
		if v == 0 {
			return nil
		}
	case Element:
		return v.plain(false)
	case []Element:
		return objects(len(v), func(i int) map[string]any { return v[i].plain(saysZero) })
	case []Coords:
		return objects(len(v), func(i int) map[string]any { return v[i].plain() })
	case []Place:
		return objects(len(v), func(i int) map[string]any { return v[i].plain() })
	}
	return value
}

// objects is a list of n objects, nil if it is empty.
func objects(n int, object func(i int) map[string]any) any {
	if n == 0 {
		return nil
	}
	all := make([]map[string]any, n)
	for i := range all {
		all[i] = object(i)
	}
	return all
}

// CLI is what DiceDB's command-line client prints for the message: version
// 1.0.3 for a Response, 1.0.8 for a Result. The first prints nothing of a
// sorted set's elements; here they are as the second prints them. Places on the
// earth are as the last version prints them, which alone knows them.
func (m Message) CLI() string {
	if m.Failed {
		return "ERR " + m.Text
	}
	out := "OK "
	if m.Fingerprint != "" {
		out += "[fingerprint=" + m.Fingerprint + "] "
	}
	if !m.Raw && m.Text != "OK" {
		out = m.Text + " " + out
	}
	return out + m.value()
}

func (m Message) value() string {
	switch v := m.Value.(type) {
	case string:
		if m.Raw || m.Field == "TYPERes" {
			return v
		}
		return `"` + v + `"`
	case int64:
		return strconv.FormatInt(v, 10)
	case bool:
		if m.Raw {
			return "(nil)"
		}
		return strconv.FormatBool(v)
	case []string:
		return lines(len(v), func(i int) string {
			if v[i] == "" && m.Field == "GEOHASHRes" {
				return fmt.Sprintf("%d) (nil)", i)
			}
			return fmt.Sprintf("%d) %s", i, v[i])
		})
	case [][2]string:
		return lines(len(v), func(i int) string {
			if m.Raw {
				return v[i][0] + "=" + v[i][1]
			}
			return fmt.Sprintf("%d) %s=%q", i, v[i][0], v[i][1])
		})
	case Element:
		return v.text()
	case []Element:
		return lines(len(v), func(i int) string { return v[i].text() })
	case float64:
		return fmt.Sprintf("%f", v)
	case []Coords:
		return lines(len(v), func(i int) string { return fmt.Sprintf("%d) %s", i, v[i].text()) })
	case []Place:
		return lines(len(v), func(i int) string { return fmt.Sprintf("%d) %s", i, v[i].text()) })
	}
	return ""
}

func lines(n int, line func(i int) string) (out string) {
	for i := range n {
		out += "\n" + line(i)
	}
	return out
}
