package actors

import "context"

// The typed methods are all made alike: a call is begun with a known command,
// gets the command's words, and is asked for the result as a type, which runs it
// and gives it back.

// typed is a call with a known command, or why there is none.
type typed struct {
	*errand
	k   known
	err error
	ctx context.Context
}

// ask begins a call.
func (db *DB) ask(ctx context.Context, k known) typed {
	c, err := db.begin(ctx)
	if err != nil {
		return typed{err: err}
	}
	c.text(knownNames[k])
	return typed{errand: c, k: k, ctx: ctx}
}

// The methods that add words do so only if there is a call.

func (t typed) text(s string) typed {
	if t.err == nil {
		t.errand.text(s)
	}
	return t
}

func (t typed) texts(ss []string) typed {
	if t.err == nil {
		t.errand.texts(ss)
	}
	return t
}

func (t typed) bytes(b []byte) typed {
	if t.err == nil {
		t.errand.bytes(b)
	}
	return t
}

func (t typed) int(n int64) typed {
	if t.err == nil {
		t.errand.int(n)
	}
	return t
}

func (t typed) float(f float64) typed {
	if t.err == nil {
		t.errand.float(f)
	}
	return t
}

// run runs the command. If it returns an error, of whatever kind, the call has
// been given back.
func (t typed) run() error {
	if t.err != nil {
		return t.err
	}
	t.list(0, len(t.ends))
	if err := t.db.run(t.ctx, t.errand, t.db.rows[t.k]); err != nil {
		return err
	}
	if err := t.captured.err(); err != nil {
		t.end()
		return err
	}
	return nil
}

// found is run for a command that answers null if there is nothing.
func (t typed) found() error {
	err := t.run()
	if err == nil && t.isNull() {
		t.end()
		return ErrNotFound
	}
	return err
}

// asNothing, and the like below, run the command and return its result.
func (t typed) asNothing() error {
	err := t.run()
	if err == nil {
		t.end()
	}
	return err
}

// asDone is asNothing for a write under a condition, which answers null if that
// does not hold.
func (t typed) asDone() error {
	err := t.run()
	if err != nil {
		return err
	}
	null := t.isNull()
	t.end()
	if null {
		return ErrCondition
	}
	return nil
}

func (t typed) asInt() (n int64, err error) {
	if err = t.found(); err == nil {
		n = t.number
		t.end()
	}
	return n, err
}

func (t typed) asBool() (bool, error) {
	n, err := t.asInt()
	return n > 0, err
}

// asFloat reads the number from a text too, as INCRBYFLOAT answers.
func (t typed) asFloat() (f float64, err error) {
	if err = t.found(); err == nil {
		f = t.floatOf()
		t.end()
	}
	return f, err
}

func (t typed) asBytes() (b []byte, err error) {
	if err = t.found(); err == nil {
		b = t.takeBytes()
		t.end()
	}
	return b, err
}

func (t typed) asText() (s string, err error) {
	if err = t.found(); err == nil {
		s = string(t.data)
		t.end()
	}
	return s, err
}

func (t typed) asTexts() (list []string, err error) {
	if err = t.run(); err == nil {
		list = t.strings()
		t.end()
	}
	return list, err
}

func (t typed) asSlices() (list [][]byte, err error) {
	if err = t.run(); err == nil {
		list = t.slices()
		t.end()
	}
	return list, err
}

// asMap is the pairs of a map.
func (t typed) asMap() (m map[string]string, err error) {
	list, err := t.asTexts()
	if err != nil {
		return nil, err
	}
	m = make(map[string]string, len(list)/2)
	for i := 0; i+1 < len(list); i += 2 {
		m[list[i]] = list[i+1]
	}
	return m, nil
}
