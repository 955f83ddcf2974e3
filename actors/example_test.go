package actors_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/troupedb/troupe/actors"
)

func Example() {
	ctx := context.Background()
	db, err := actors.Open(actors.Options{}) // with Dir, it is all there the next time
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	if err := db.SetText(ctx, "greeting", "hello", actors.For(time.Hour)); err != nil {
		log.Fatal(err)
	}
	greeting, err := db.GetText(ctx, "greeting")
	fmt.Println(greeting, err)
	_, err = db.GetText(ctx, "farewell")
	fmt.Println(errors.Is(err, actors.ErrNotFound))
	// Output:
	// hello <nil>
	// true
}

// open opens a database for an example.
func open() (*actors.DB, context.Context) {
	db, err := actors.Open(actors.Options{})
	if err != nil {
		log.Fatal(err)
	}
	return db, context.Background()
}

// To serve others beside the program itself, say where.
func ExampleOpen() {
	db, err := actors.Open(actors.Options{Binds: []string{"127.0.0.1"}}) // Port: 7379
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	fmt.Println(len(db.System().Addresses()), "address for redis-cli")
	// Output: 1 address for redis-cli
}

func ExampleDB_Do() {
	db, ctx := open()
	defer db.Close()
	added, err := db.Do(ctx, "ZADD", "board", 10, "ann", 7.5, "bob")
	fmt.Println(added.Int(), err)
	board, err := db.Do(ctx, "ZRANGE", "board", 0, -1, "WITHSCORES")
	for member, score := range board.Pairs() {
		fmt.Println(member.Text(), score.Float())
	}
	fmt.Println(board, err)
	// Output:
	// 2 <nil>
	// bob 7.5
	// ann 10
	// [["bob", ,7.5], ["ann", ,10]] <nil>
}

func ExampleCommandError() {
	db, ctx := open()
	defer db.Close()
	_, err := db.LPush(ctx, "list", "a")
	fmt.Println(err)
	_, err = db.Incr(ctx, "list")
	var answered *actors.CommandError
	if errors.As(err, &answered) {
		fmt.Println(answered.Code)
	}
	// Output:
	// <nil>
	// WRONGTYPE
}

// A batch is one change: nobody sees the one without the other.
func ExampleDB_Batch() {
	db, ctx := open()
	defer db.Close()
	b := db.Batch()
	b.Set("user:1", []byte("ann"))
	count := b.Queue("INCR", "users")
	if _, err := b.Commit(ctx); err != nil {
		log.Fatal(err)
	}
	n, err := count.Reply()
	fmt.Println(n.Int(), err)
	// Output: 1 <nil>
}

func ExampleDB_Pipeline() {
	db, ctx := open()
	defer db.Close()
	p := db.Pipeline()
	for i := range 3 {
		p.Queue("INCRBY", "sum", i+1)
	}
	replies, err := p.Commit(ctx)
	fmt.Println(replies, err)
	// Output: [:1 :3 :6] <nil>
}

// A transfer that happens once, or not at all, whoever else is at the accounts.
func ExampleDB_Update() {
	db, ctx := open()
	defer db.Close()
	if err := db.MSet(ctx, "ann", "70", "bob", "5"); err != nil {
		log.Fatal(err)
	}
	err := db.Update(ctx, func(tx *actors.Tx) error {
		has, err := tx.Do(ctx, "GET", "ann") // from here on, a change of ann means another try
		if err != nil {
			return err
		}
		if has.Int() < 50 {
			return errors.New("ann has too little")
		}
		tx.Queue("DECRBY", "ann", 50)
		tx.Queue("INCRBY", "bob", 50)
		return nil
	})
	accounts, _ := db.Do(ctx, "MGET", "ann", "bob")
	fmt.Println(accounts.Strings(), err)
	// Output: [20 55] <nil>
}

// The channel has the first answer, and each new one.
func ExampleDB_Watch() {
	db, ctx := open()
	defer db.Close()
	ctx, cancel := context.WithCancel(ctx)
	states, err := db.Watch(ctx, "ZRANGE", "board", 0, 1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println((<-states).Result)
	for _, name := range []string{"ann", "bob"} {
		if _, err := db.ZAdd(ctx, "board", actors.Member{Member: name, Score: 10}); err != nil {
			log.Fatal(err)
		}
		state := <-states
		fmt.Println(state.Result.Strings(), state.Covered)
	}
	cancel()
	_, open := <-states
	fmt.Println(open)
	// Output:
	// []
	// [ann] 1
	// [ann bob] 1
	// false
}

func ExampleDB_Scan() {
	db, ctx := open()
	defer db.Close()
	if err := db.MSet(ctx, "user:2", "bob", "user:1", "ann", "users", "2", "user:3", "eve"); err != nil {
		log.Fatal(err)
	}
	for kv, err := range db.Scan(ctx, actors.Range{Prefix: "user:"}) {
		fmt.Printf("%s %s %v\n", kv.Key, kv.Value, err)
	}
	for kv, err := range db.Scan(ctx, actors.Range{From: "user:2", Reverse: true, Limit: 2, KeysOnly: true}) {
		fmt.Println(kv.Key, err)
	}
	// Output:
	// user:1 ann <nil>
	// user:2 bob <nil>
	// user:3 eve <nil>
	// users <nil>
	// user:3 <nil>
}

func ExampleDB_Subscribe() {
	db, ctx := open()
	defer db.Close()
	messages, err := db.Subscribe(ctx, "news")
	if err != nil {
		log.Fatal(err)
	}
	n, err := db.Publish(ctx, "news", "hello")
	fmt.Println(n, err)
	fmt.Println((<-messages).Payload)
	// Output:
	// 1 <nil>
	// hello
}

// A worker waits for jobs until it is told to stop. A job that comes is done by one
// worker, and none is lost.
func ExampleDB_BLPop() {
	db, ctx := open()
	defer db.Close()
	ctx, stop := context.WithCancel(ctx)
	worker := make(chan error)
	go func() {
		for {
			_, job, err := db.BLPop(ctx, "urgent", "jobs")
			if err != nil {
				worker <- err
				return
			}
			fmt.Println("done:", job)
			stop()
		}
	}()
	if _, err := db.RPush(ctx, "jobs", "sweep"); err != nil {
		log.Fatal(err)
	}
	fmt.Println(<-worker)
	// Output:
	// done: sweep
	// context canceled
}
