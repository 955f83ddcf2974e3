package transport

import (
	"bytes"
	"fmt"
	"io"
	"testing"
)

// BenchmarkTransportEcho is the cost of one small frame there and back, with
// its client: links many at once, each with depth frames on the way.
func BenchmarkTransportEcho(b *testing.B) {
	for _, kind := range kinds() {
		for _, shape := range []struct{ links, depth int }{{1, 1}, {50, 1}, {50, 16}, {8, 512}} {
			b.Run(fmt.Sprintf("%s/links=%d/depth=%d", kind, shape.links, shape.depth), func(b *testing.B) {
				benchmarkEcho(b, kind, shape.links, shape.depth)
			})
		}
	}
}

func benchmarkEcho(b *testing.B, kind string, links, depth int) {
	const small = 40
	s := newStage(b, kind, Config{}, echo)
	requests := bytes.Repeat([]byte{'x'}, small*depth)
	turns := make(chan bool, links)
	done := make(chan error, links)
	for range links {
		conn := s.dial()
		go func() {
			replies := make([]byte, len(requests))
			for range turns {
				conn.Write(requests)
				if _, err := io.ReadFull(conn, replies); err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	b.ResetTimer()
	for range b.N / depth {
		turns <- true
	}
	close(turns)
	for range links {
		if err := <-done; err != nil {
			b.Fatal(err)
		}
	}
}
