package config

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// The answers to addresses that cannot be had, by the setting that asks.
var listenFailures = map[string]string{
	"bind":     "Failed to bind to specified addresses.",
	"port":     "Unable to listen on this port. Check server logs.",
	"tls-port": "Unable to listen on this port. Check server logs.",
}

// Change is a setting and the value that CONFIG SET asks for.
type Change struct{ Name, Value string }

// Refusal is a Change that was not made, nor any that was asked for with it.
type Refusal struct {
	// Name is the setting's, as it was asked for.
	Name string
	// IsUnknown says that there is no such setting.
	IsUnknown bool
	Reason    string
}

func (r *Refusal) Error() string { return fmt.Sprintf("%s: %s", r.Name, r.Reason) }

// Set makes all of the changes or none. Trusted callers may change protected
// settings. The error is a *Refusal.
func (c *Config) Set(changes []Change, trusted bool) error {
	c.changing.Lock()
	defer c.changing.Unlock()
	rows, err := changeable(changes, trusted)
	if err != nil {
		return err
	}
	before := c.snapshot()
	after := slices.Clone(before)
	for i, row := range rows {
		if after[row.index], err = row.change(changes[i].Value, after[row.index]); err != nil {
			return &Refusal{Name: row.as(changes[i].Name), Reason: err.Error()}
		}
	}
	c.publish(after)
	if done, err := c.apply(rows); err != nil {
		c.publish(before)
		for _, e := range done {
			if again := effects[e](c, c.system); again != nil {
				c.system.Server.Log.Error("settings could not be put back", "error", again)
			}
		}
		return err
	}
	for _, row := range rows {
		for _, listener := range c.listeners[row] {
			listener(after[row.index])
		}
	}
	return nil
}

func (c *Config) snapshot() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.values
}

// publish puts other values in the place of all; the former are not changed.
func (c *Config) publish(values []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.values = values
}

// changeable finds the settings, if all of them may be changed now.
func changeable(changes []Change, trusted bool) ([]*Setting, error) {
	for _, change := range changes {
		if row := Named(change.Name); row == nil || row.Kind == Directive {
			return nil, &Refusal{Name: change.Name, IsUnknown: true}
		}
	}
	var rows []*Setting
	named := map[string]bool{}
	for _, change := range changes {
		row := Named(change.Name)
		name := row.as(change.Name)
		refuse := func(reason string) ([]*Setting, error) { return nil, &Refusal{Name: name, Reason: reason} }
		switch {
		case row.When == AtStart:
			return refuse("can't set immutable config")
		case row.When == Protected && !trusted:
			return refuse("can't set protected config")
		case named[name]:
			return refuse("duplicate parameter")
		}
		named[name] = true
		rows = append(rows, row)
	}
	return rows, nil
}

// change is the value that CONFIG SET gives.
func (s *Setting) change(text, before string) (string, error) {
	if s.adds() {
		before = ""
	}
	value, err := s.read(s.split(text), before)
	if err != nil {
		return "", err
	}
	if why := s.unmet(value); why != "" {
		return "", errors.New(refusal(s, value, why))
	}
	return value, nil
}

// apply runs the effects of settings that have changed, each once, and says
// which it has run. The error is a *Refusal that names the setting to blame; the
// one that can't be taken back comes last.
func (c *Config) apply(rows []*Setting) (done []effect, err error) {
	if c.system == nil {
		return nil, nil
	}
	for _, row := range lastly(rows) {
		if row.effect == none || slices.Contains(done, row.effect) {
			continue
		}
		if err := effects[row.effect](c, c.system); err != nil {
			blamed := lastWith(rows, row.effect).Name
			reason := cmp.Or(listenFailures[blamed], err.Error())
			if errors.As(err, &tlsFailure{}) {
				c.system.Server.Log.Warn("not changed as CONFIG SET asked for", "error", err)
				reason = tlsRefusal
			}
			return done, &Refusal{Name: blamed, Reason: reason}
		}
		done = append(done, row.effect)
	}
	return done, nil
}

// lastly are the rows in the order in which they are put in force.
func lastly(rows []*Setting) []*Setting {
	var before, last []*Setting
	for _, row := range rows {
		if row.effect == authenticating {
			last = append(last, row)
		} else {
			before = append(before, row)
		}
	}
	return append(before, last...)
}

// lastWith is the last of the settings that have the effect.
func lastWith(rows []*Setting, e effect) *Setting {
	last := len(rows) - 1
	for rows[last].effect != e {
		last--
	}
	return rows[last]
}
