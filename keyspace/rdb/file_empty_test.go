package rdb

import (
	"errors"
	"io"
	"strings"
	"testing"
)

// A file that ends before it has begun is no file without keys: it may be one
// whose bytes are lost.
func TestEmptyFile(t *testing.T) {
	t.Parallel()
	for _, begin := range []string{"", "R", "REDIS", "REDIS001"} {
		_, err := NewFileReader(strings.NewReader(begin), ReadOptions{}).Next()
		if !errors.Is(err, ErrShort) || errors.Is(err, io.EOF) {
			t.Errorf("%q is read with %v", begin, err)
		}
	}
}
