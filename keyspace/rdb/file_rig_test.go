package rdb

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"

	"github.com/troupedb/troupe/keyspace"
)

// told is an Item that a test can keep and compare.
type told struct {
	kind    Kind
	db      int
	key     string
	typ     keyspace.Type
	meta    Meta
	text    string   // of what is no key
	members []member // of a key; of a stream its entries
	large   bool
}

func (i told) String() string {
	return fmt.Sprintf("{kind %d, db %d, %.40q, %v, %.40q, %d members %.200v, large %v}", i.kind, i.db, i.key, i.meta, i.text, len(i.members), fmt.Sprint(i.members), i.large)
}

// tell reads all of an item.
func tell(r *FileReader, it Item) (told, error) {
	i := told{kind: it.Kind, db: it.DB, key: string(it.Key), typ: it.Form.Type(), meta: it.Meta}
	if it.Kind != KeyItem {
		i.text = string(it.Raw)
		if it.Kind == SizeItem {
			i.text = fmt.Sprintf("%d %d", it.Keys, it.Timed)
		}
		return i, nil
	}
	if it.Elements != nil {
		i.large = true
		for e := range it.Elements {
			i.members = append(i.members, keep(e))
		}
		return i, r.Err()
	}
	d := NewDecoder(it.Raw)
	if it.Form.Type() == keyspace.Stream {
		if p := d.Stream(it.Form); p != nil {
			for id, fields := range p.Entries {
				i.members = append(i.members, member{text: fmt.Sprint(id), value: fmt.Sprintf("%q", fields)})
			}
			for _, g := range p.Groups {
				i.members = append(i.members, groupMember(g))
			}
		}
	} else {
		i.members = collect(d, it.Form)
	}
	if d.Err() == nil && d.Left() > 0 {
		return i, errors.New("bytes left behind a value")
	}
	return i, d.Err()
}

// readFile reads a file to its end or the first mistake.
func readFile(r *FileReader) (all []told, err error) {
	for {
		it, err := r.Next()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return all, err
		}
		i, err := tell(r, it)
		if err != nil {
			return all, err
		}
		all = append(all, i)
	}
}

// readBytes reads a file in memory.
func readBytes(file []byte) ([]told, error) {
	return readFile(NewFileReader(bytes.NewReader(file), ReadOptions{}))
}

// mustRead reads a file that is good.
func mustRead(t *testing.T, file []byte) []told {
	t.Helper()
	all, err := readBytes(file)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func sameTold(a, b []told) bool {
	return slices.EqualFunc(a, b, func(a, b told) bool {
		return a.kind == b.kind && a.db == b.db && a.key == b.key && a.meta == b.meta && a.text == b.text && same(a.members, b.members)
	})
}

// keyOf is what is told of a key in database 0.
func keyOf(key string, members ...member) told {
	return told{kind: KeyItem, key: key, meta: NoMeta, members: members}
}

// fileOf makes a file of parts.
func fileOf(t *testing.T, e *Encoder) []byte {
	t.Helper()
	var out memoryFile
	w := NewFileWriter(&out, WriteOptions{})
	if err := errors.Join(w.Parts(e.Bytes(), e.Version()), w.End()); err != nil {
		t.Fatal(err)
	}
	return out.bytes
}

// memoryFile is a file in memory.
type memoryFile struct{ bytes []byte }

func (f *memoryFile) Write(b []byte) (int, error) {
	f.bytes = append(f.bytes, b...)
	return len(b), nil
}

func (f *memoryFile) WriteAt(b []byte, at int64) (int, error) {
	return copy(f.bytes[at:], b), nil
}

// groupMember is a consumer group as a member of a stream.
func groupMember(g keyspace.StreamGroup) member {
	value := fmt.Sprintf("last %v, read %d", g.Last, g.Read)
	for _, c := range g.Consumers {
		value += fmt.Sprintf(", consumer %q seen %d", c.Name, c.Seen)
	}
	for _, p := range g.Pending {
		value += fmt.Sprintf(", pending %+v", p)
	}
	return member{text: string(g.Name), value: value}
}
