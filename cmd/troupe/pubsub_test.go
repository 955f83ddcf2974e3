package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/troupedb/troupe/actors/config"
)

// A subscriber that does not read is cut off at its limit; the publisher never
// waits for it, and others miss nothing.
func TestSlowSubscriber(t *testing.T) {
	t.Parallel()
	eachShape(t, func(t *testing.T, sh shape) {
		s := startServer(t, sh, config.Flag{Name: "client-output-buffer-limit", Words: []string{"pubsub", "1mb", "0", "0"}})
		slow, good, publisher := s.client(), s.client(), s.client()
		slow.want(`["subscribe", "c", :1]`, "SUBSCRIBE", "c")
		good.want(`["subscribe", "c", :1]`, "SUBSCRIBE", "c")
		padding := strings.Repeat("x", 64<<10)
		sent := 0
		for cut := false; !cut; sent++ {
			reply := publisher.ask("PUBLISH", "c", fmt.Sprintf("%d %s", sent, padding))
			got, err := good.next()
			if err != nil || len(got.Items()) != 3 || got.Items()[2].Str() != fmt.Sprint(sent, " ", padding) {
				t.Fatalf("message %d is %.40v, %v", sent, got, err)
			}
			if cut = reply == ":1"; sent > 1000 {
				t.Fatal("the slow subscriber is there still")
			}
		}
		eventually(t, "its link is closed", func() bool { return s.Server.Connected() == 2 })
		publisher.want(":1", "PUBLISH", "c", "end")
	})
}

// What a link has subscribed to twenty thousand times is all there, and gone at
// its end.
func TestManyChannels(t *testing.T) {
	t.Parallel()
	const channels, part = 20_000, 1000
	s := startServer(t, shape{shards: 2})
	a, b := s.client(), s.client()
	for from := 0; from < channels; from += part {
		words := []string{"SUBSCRIBE"}
		for i := range part {
			words = append(words, fmt.Sprint("c", from+i))
		}
		a.send(request(words...))
		for i := range part {
			if got, want := a.receive(), fmt.Sprintf(`["subscribe", "c%d", :%d]`, from+i, from+i+1); got != want {
				t.Fatalf("%s, want %s", got, want)
			}
		}
	}
	b.want(":1", "PUBLISH", "c777", "x")
	if got := a.receive(); got != `["message", "c777", "x"]` {
		t.Errorf("told %s", got)
	}
	if got := b.ask("INFO", "stats"); !strings.Contains(got, fmt.Sprint("pubsub_channels:", channels)) {
		t.Error("INFO counts other channels")
	}
	a.conn.Close()
	eventually(t, "nobody listens", func() bool { return b.ask("PUBSUB", "CHANNELS") == "[]" })
}

// After the confirmation of UNSUBSCRIBE nothing comes, and between the two
// confirmations nothing is missing: messages are numbered.
func TestConfirmationsAreBounds(t *testing.T) {
	t.Parallel()
	eachShape(t, func(t *testing.T, sh shape) {
		s := startServer(t, sh)
		stop, done := make(chan struct{}), make(chan struct{})
		publisher, listener := s.client(), s.client()
		go func() {
			defer close(done)
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
					publisher.ask("PUBLISH", "c", fmt.Sprintf("%09d", n))
				}
			}
		}()
		for range 100 {
			listener.want(`["subscribe", "c", :1]`, "SUBSCRIBE", "c")
			listenFor(t, listener, 20)
			listener.send(request("UNSUBSCRIBE", "c"))
			drainUntil(t, listener, `["unsubscribe", "c", :0]`)
			listener.want("+PONG", "PING")
		}
		close(stop)
		<-done
	})
}

// listenFor takes messages that follow each other.
func listenFor(t *testing.T, c *client, n int) {
	t.Helper()
	last := -1
	for range n {
		last = follows(t, c.receive(), last)
	}
}

// drainUntil takes messages that follow each other, up to a confirmation.
func drainUntil(t *testing.T, c *client, confirmation string) {
	t.Helper()
	last := -1
	for got := c.receive(); got != confirmation; got = c.receive() {
		last = follows(t, got, last)
	}
}

func follows(t *testing.T, message string, last int) (n int) {
	t.Helper()
	if _, err := fmt.Sscanf(message, `["message", "c", "%d"]`, &n); err != nil {
		t.Fatalf("%s is no message", message)
	}
	if last >= 0 && n != last+1 {
		t.Fatalf("message %d comes after %d", n, last)
	}
	return n
}

// Redis's own library for Go gets what is published, by channel and by pattern.
func TestGoRedisListens(t *testing.T) {
	t.Parallel()
	eachShape(t, func(t *testing.T, sh shape) {
		s := startServer(t, sh, config.Flag{Name: "notify-keyspace-events", Words: []string{"Kg"}})
		for _, protocol := range []int{2, 3} {
			news := fmt.Sprint("news", protocol)
			c := redis.NewClient(&redis.Options{Addr: s.addr, Protocol: protocol})
			t.Cleanup(func() { c.Close() })
			listener := c.PSubscribe(t.Context(), "__keyspace@0__:*")
			t.Cleanup(func() { listener.Close() })
			if err := listener.Subscribe(t.Context(), news); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if _, err := listener.Receive(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			if n := c.Publish(t.Context(), news, "hello").Val(); n != 1 {
				t.Errorf("%d receivers", n)
			}
			c.Set(t.Context(), "k", "v", 0)
			c.Del(t.Context(), "k")
			for _, want := range []string{news + ": hello", "__keyspace@0__:k: del"} {
				m, err := listener.ReceiveMessage(t.Context())
				if err != nil || m.Channel+": "+m.Payload != want {
					t.Errorf("%v, %v; want %s", m, err, want)
				}
			}
		}
	})
}
