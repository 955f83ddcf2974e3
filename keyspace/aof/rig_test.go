package aof

import (
	"bytes"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/troupedb/troupe/keyspace/rdb"
)

// written is a command as redis-server writes it.
func written(words ...string) string {
	text := "*" + strconv.Itoa(len(words)) + "\r\n"
	for _, word := range words {
		text += "$" + strconv.Itoa(len(word)) + "\r\n" + word + "\r\n"
	}
	return text
}

// snapshot is an RDB file of one key.
func snapshot(key, value string) string {
	e := rdb.NewEncoder([]byte("REDIS0010\x00"))
	e.Text([]byte(key))
	e.Text([]byte(value))
	e.Byte(0xff)
	return string(binary.LittleEndian.AppendUint64(e.Bytes(), rdb.Checksum(0, e.Bytes())))
}

// shown is a unit as a line: "file@offset [time] {db words; db words}", with
// round brackets for a single command, or "file@offset key = value".
func shown(u Unit) string {
	place := fmt.Sprintf("%s@%d ", u.File, u.Offset)
	if u.Time != 0 {
		place += fmt.Sprintf("[%d] ", u.Time)
	}
	if u.Item.Kind == rdb.KeyItem {
		return fmt.Sprintf("%s%s = %s", place, u.Item.Key, rdb.NewDecoder(u.Item.Raw).Text())
	}
	var commands []string
	for _, c := range u.Commands {
		commands = append(commands, fmt.Sprintf("%d %s", c.DB, bytes.Join(c.Words, []byte(" "))))
	}
	text := strings.Join(commands, "; ")
	if u.Transaction {
		return place + "{" + text + "}"
	}
	return place + "(" + text + ")"
}

// all reads to the end, or to a mistake.
func all(next func() (Unit, error)) (units []string, err error) {
	for {
		u, err := next()
		if errors.Is(err, io.EOF) {
			return units, nil
		}
		if err != nil {
			return units, err
		}
		units = append(units, shown(u))
	}
}

func readAll(file string) ([]string, error) {
	return all(NewReader(strings.NewReader(file), "f").Next)
}

func expect(t *testing.T, what string, got []string, err error, want ...string) {
	t.Helper()
	if err != nil || strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%.200q: %v\n%s\nwant\n%s", what, err, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

var seedFlag = flag.Uint64("seed", uint64(time.Now().UnixNano()), "the seed of the random tests")
