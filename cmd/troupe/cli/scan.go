package cli

import (
	"fmt"

	"github.com/troupedb/troupe/resp"
)

// scan prints the keys, a line each; a key that comes and goes meanwhile may be
// there or not, and one may be there twice.
func (t *talk) scan() error {
	ctx, stop := interruptible()
	defer stop()
	for cursor := "0"; ; {
		r, err := t.client.do(ctx, []string{"SCAN", cursor, "MATCH", t.client.Pattern})
		if err != nil {
			return interrupted(ctx, err)
		}
		if r.IsError() || len(r.Items()) != 2 {
			return fmt.Errorf("ERROR: %s", r.Str())
		}
		var text []byte
		for _, key := range r.Items()[1].Items() {
			text = append(t.appendKey(text, key), '\n')
		}
		t.emit(text)
		if cursor = r.Items()[0].Str(); cursor == "0" {
			return nil
		}
	}
}

func (t *talk) appendKey(dst []byte, key resp.Reply) []byte {
	switch t.form {
	case Raw:
		return append(dst, key.Str()...)
	case JSON:
		return appendJSON(dst, key)
	}
	return resp.AppendQuoted(dst, key.Str())
}
