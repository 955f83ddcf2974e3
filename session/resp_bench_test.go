package session

import (
	"strconv"
	"strings"
	"testing"

	"github.com/tidwall/redcon"
)

func frames(n int, args func(i int) []string) []byte {
	var b []byte
	for i := range n {
		words := args(i)
		b = redcon.AppendArray(b, len(words))
		for _, w := range words {
			b = redcon.AppendBulkString(b, w)
		}
	}
	return b
}

func wireKey(i int) string { return "key:" + strconv.Itoa(100000+i) }

// BenchmarkReader reports the time of one command out of a pipeline of 512.
func BenchmarkReader(b *testing.B) {
	value := strings.Repeat("v", 16)
	batches := map[string][]byte{
		"GET":    frames(512, func(i int) []string { return []string{"GET", wireKey(i)} }),
		"SET":    frames(512, func(i int) []string { return []string{"SET", wireKey(i), value} }),
		"HSET21": frames(512, func(i int) []string { return append(make([]string, 20), "HSET") }),
		"INLINE": []byte(strings.Repeat("GET key:100000\r\n", 512)),
	}
	args := make([][]byte, 0, 1<<14)
	run := func(name string, next func(data []byte) (rest []byte)) {
		for kind, data := range batches {
			b.Run(kind+"/"+name, func(b *testing.B) {
				for i := 0; i < b.N; i += 512 {
					args = args[:0]
					for rest := data; len(rest) > 0; {
						rest = next(rest)
					}
				}
			})
		}
	}
	var r Reader
	lim := DefaultLimits
	run("reader", func(data []byte) []byte {
		var n int
		args, n, _ = r.Next(data, args, &lim)
		return data[n:]
	})
	run("check+redcon", func(data []byte) []byte {
		var n int
		args, n, _ = r.read(data, args, &lim)
		return data[n:]
	})
	run("redcon", func(data []byte) []byte {
		_, got, _, rest, _ := redcon.ReadNextCommand(data, args[len(args):])
		args = args[:len(args)+len(got)]
		return rest
	})
}
