// Command dicebench loads a server through a client library and prints what it
// saw as one line of JSON. It is the load generator of `dev bench dice`: with
// DiceDB's own library for Go, version 1.0.3 as in DiceDB's membench, or with
// go-redis, in the same loop.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dicedb/dicedb-go"
	"github.com/dicedb/dicedb-go/wire"
	"github.com/redis/go-redis/v9"
)

// asker is one client: each call is a command and its reply.
type asker interface {
	get(key string) error
	set(key, value string) error
}

type diceAsker struct{ client *dicedb.Client }

func (a diceAsker) get(key string) error { return a.fire("GET", key) }

func (a diceAsker) set(key, value string) error { return a.fire("SET", key, value) }

func (a diceAsker) fire(command string, args ...string) error {
	if r := a.client.Fire(&wire.Command{Cmd: command, Args: args}); r.Err != "" {
		return fmt.Errorf("%s: %s", command, r.Err)
	}
	return nil
}

type redisAsker struct{ client *redis.Client }

func (a redisAsker) get(key string) error { return a.client.Get(context.Background(), key).Err() }

func (a redisAsker) set(key, value string) error {
	return a.client.Set(context.Background(), key, value, 0).Err()
}

// dial opens a client of the library.
func dial(library string, port int) (asker, error) {
	if library == "dice" {
		client, err := dicedb.NewClient("127.0.0.1", port)
		return diceAsker{client}, err
	}
	return redisAsker{redis.NewClient(&redis.Options{Addr: fmt.Sprintf("127.0.0.1:%d", port), PoolSize: 1})}, nil
}

// load is what the clients do.
type load struct {
	command, value string
	keys           int
	end            time.Time
}

func (l *load) key(i int) string { return fmt.Sprintf("key:%012d", i*7919%l.keys) }

// run asks until the time has come, and returns how long each answer took.
func (l *load) run(a asker, from int) (took []time.Duration, err error) {
	for i := from; time.Now().Before(l.end); i++ {
		begin := time.Now()
		if l.command == "get" {
			err = a.get(l.key(i))
		} else {
			err = a.set(l.key(i), l.value)
		}
		if err != nil {
			return nil, err
		}
		took = append(took, time.Since(begin))
	}
	return took, nil
}

// seen is what is printed; times are in nanoseconds.
type seen struct {
	Count    int   `json:"count"`
	Lasted   int64 `json:"lasted_ns"`
	P50, P99 int64
}

func main() {
	library := flag.String("library", "dice", "dice or redis")
	port := flag.Int("port", 7379, "of the server, on this machine")
	clients := flag.Int("clients", 1, "that ask at once")
	command := flag.String("command", "get", "get or set")
	seconds := flag.Float64("seconds", 1, "")
	size := flag.Int("size", 64, "bytes of a value")
	keys := flag.Int("keys", 1000, "")
	flag.Parse()
	l := &load{command: *command, value: strings.Repeat("x", *size), keys: *keys}
	askers := make([]asker, *clients)
	for i := range askers {
		var err error
		if askers[i], err = dial(*library, *port); err != nil {
			log.Fatal(err)
		}
	}
	for i := range *keys {
		if err := askers[0].set(l.key(i), l.value); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println("loaded") // what is measured begins now
	begin := time.Now()
	l.end = begin.Add(time.Duration(*seconds * float64(time.Second)))
	took := l.all(askers)
	report := seen{Count: len(took), Lasted: int64(time.Since(begin))}
	slices.Sort(took)
	if n := len(took); n > 0 {
		report.P50, report.P99 = int64(took[n/2]), int64(took[n*99/100])
	}
	if err := json.NewEncoder(os.Stdout).Encode(report); err != nil {
		log.Fatal(err)
	}
}

// all runs every client, each in a goroutine of its own.
func (l *load) all(askers []asker) (took []time.Duration) {
	var group sync.WaitGroup
	var mu sync.Mutex
	for i, a := range askers {
		group.Go(func() {
			mine, err := l.run(a, i*l.keys/len(askers))
			if err != nil {
				log.Fatal(err)
			}
			mu.Lock()
			defer mu.Unlock()
			took = append(took, mine...)
		})
	}
	group.Wait()
	return took
}
