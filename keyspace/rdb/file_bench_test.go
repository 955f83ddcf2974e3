package rdb

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/troupedb/troupe/keyspace"
)

const benchKeys = 200_000

// benchFile is a file of many small strings, each with or without a deadline.
func benchFile(deadline int64) []byte {
	e := NewEncoder(nil)
	for i := range benchKeys {
		m := Meta{deadline, -1, -1}
		e.Key(m, fmt.Appendf(nil, "key:%d", i), valueOf(keyspace.String, keyspace.Raw, []member{{text: "0123456789abcdef"}}))
	}
	var out memoryFile
	w := NewFileWriter(&out, WriteOptions{})
	w.Parts(e.Bytes(), 10)
	w.End()
	return out.bytes
}

func BenchmarkFileReader(b *testing.B) {
	for name, f := range map[string]struct {
		file []byte
		o    ReadOptions
	}{
		"strings":           {benchFile(-1), ReadOptions{}},
		"strings/unchecked": {benchFile(-1), ReadOptions{Unchecked: true}},
		"timed":             {benchFile(1e12), ReadOptions{}},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(f.file)))
			for b.Loop() {
				r := NewFileReader(bytes.NewReader(f.file), f.o)
				keys := 0
				for {
					it, err := r.Next()
					if errors.Is(err, io.EOF) {
						break
					}
					keys += len(it.Key) / len(it.Key)
				}
				if keys != benchKeys {
					b.Fatal(keys, r.Err())
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*benchKeys), "ns/key")
		})
	}
}

func BenchmarkChecksum(b *testing.B) {
	data := make([]byte, 1<<20)
	b.SetBytes(1 << 20)
	for b.Loop() {
		Checksum(0, data)
	}
}
