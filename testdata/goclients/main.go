// Command goclients does what programs do with Redis's libraries for Go. Its
// first argument names one of them, the second is the server's port, the third
// the milliseconds it may take. It prints what came of it as one line of JSON:
// what each step returned.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"sync/atomic"
	"time"
)

// step is a part of a program. It returns what it saw, or panics.
type step struct {
	name string
	run  func(ctx context.Context, addr string) any
}

var programs = map[string][]step{
	"rueidis": rueidisSteps(),
	"asynq":   asynqSteps,
	"redsync": locksSteps,
}

func main() {
	if len(os.Args) != 4 || programs[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: goclients rueidis|asynq|redsync PORT MILLISECONDS")
		os.Exit(2)
	}
	within := time.Duration(must(strconv.Atoi(os.Args[3]))) * time.Millisecond
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	var at atomic.Value
	time.AfterFunc(within, func() {
		fmt.Fprintf(os.Stderr, "after %v still at %v\n", within, at.Load())
		os.Exit(1)
	})
	outcome := map[string]any{}
	for _, s := range programs[os.Args[1]] {
		at.Store(s.name)
		outcome[s.name] = s.run(ctx, "127.0.0.1:"+os.Args[2])
	}
	fmt.Println(string(must(json.Marshal(outcome))))
}

func must[T any](v T, err error) T {
	check(err)
	return v
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// failing is the text of an error.
func failing[T any](v T, err error) string {
	if err == nil {
		return fmt.Sprintf("no error but %v", v)
	}
	return err.Error()
}

// until asks again and again until the answer is yes.
func until(isTrue func() bool) {
	for !isTrue() {
		time.Sleep(2 * time.Millisecond)
	}
}
