package keyspace

import (
	"bytes"
	"errors"
	"slices"
	"testing"
)

// words makes a command of texts.
func words(texts ...string) (argv [][]byte) {
	for _, text := range texts {
		argv = append(argv, []byte(text))
	}
	return argv
}

// An effect is read as it was written, and what is cut off is none.
func TestEffectsAreRead(t *testing.T) {
	t.Parallel()
	body := AppendEffect(nil, 0, 0, words("SET", "k", ""))
	body = AppendEffect(body, 15, 1, words("DEL", string(bytes.Repeat([]byte{'x'}, 300))))
	var got []Effect
	err := EachEffect(body, func(e Effect) error {
		e.Words = slices.Clone(e.Words)
		got = append(got, e)
		return nil
	})
	if err != nil || len(got) != 2 || got[0].DB != 0 || got[1].DB != 15 || string(got[0].Words[1]) != "k" || len(got[1].Words[1]) != 300 {
		t.Errorf("read %v, %v", got, err)
	}
	stop := errors.New("enough")
	if err := EachEffect(body, func(Effect) error { return stop }); err != stop {
		t.Errorf("a visit's error gives %v", err)
	}
	whole := len(AppendEffect(nil, 0, 0, words("SET", "k", "")))
	for n := 1; n < len(body); n++ {
		if n == whole {
			continue
		}
		if err := EachEffect(body[:n], func(Effect) error { return nil }); err == nil {
			t.Errorf("%d of %d bytes are read as effects", n, len(body))
		}
	}
}

// What is taken back is what commands have done, not that something has ended,
// unless it was given its end by what is taken back.
func TestForgetEffects(t *testing.T) {
	t.Parallel()
	tx := &Tx{}
	tx.effects.on = true
	tx.Effect(words("SET", "a", "1")...)
	mark := tx.EffectMark()
	tx.Effect(words("SET", "b", "1")...)
	tx.Ended(words("DEL", "c")...)
	tx.Ended(words("HDEL", "e", "f")...)
	undo := &Undo{kept: []kept{{key: []byte("c")}, {key: []byte("e"), exists: true, effects: tx.EffectMark()}}}
	tx.Effect(words("SET", "d", "1")...)
	tx.Ended(words("DEL", "e")...)
	tx.ForgetEffects(mark, undo)
	var got []string
	if err := EachEffect(tx.effects.bodies, func(e Effect) error { got = append(got, string(e.Words[1])); return nil }); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, []string{"a", "c", "e"}) {
		t.Errorf("left are %q", got)
	}
}

func FuzzEffects(f *testing.F) {
	f.Add(AppendEffect(nil, 3, 1, words("SET", "k", "v")))
	f.Fuzz(func(t *testing.T, body []byte) {
		var again []byte
		err := EachEffect(body, func(e Effect) error {
			again = AppendEffect(again, e.DB, 0, e.Words)
			return nil
		})
		if err != nil {
			return
		}
		if err := EachEffect(again, func(Effect) error { return nil }); err != nil {
			t.Errorf("what was read is written so that it cannot be: %v", err)
		}
	})
}
