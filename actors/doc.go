// Package actors starts the server: it spawns the actors, wires them to each
// other, and decides what follows when one fails. Start makes a System, which
// serves links; Open makes a DB, which is the same server as a library.
//
// # Embedding
//
// A program that opens a DB has the whole server in its process, without a
// socket:
//
//	db, err := actors.Open(actors.Options{})
//	if err != nil { … }
//	defer db.Close()
//	err = db.Set(ctx, "greeting", []byte("hello"))
//
// Options.Dir is where the data are kept. With Options.Binds the same server also
// listens, so that redis-cli can look at what the program does.
//
// Every command is there through DB.Do; the usual ones have methods with types
// (DB.Get, DB.HSet, DB.ZRange). Reading a key, field or member that is not there
// is ErrNotFound; an error of a command is a *CommandError.
//
//	what                                      how
//	one command                               DB.Do, DB.Get, DB.Set …
//	several as one change                     DB.Batch
//	several in a row, fast                    DB.Pipeline
//	read, decide, write, if nothing changed   DB.Update
//	be told of each new answer of a query     DB.Watch
//	channels                                  DB.Subscribe, DB.Publish
//	keys in order                             DB.Scan
//	another database                          DB.DB
//	a link of one's own                       DB.Conn
//
// A method runs where it is called: the goroutine that asks works on the shard
// itself when that is idle, so a Get takes no context switch, and allocates its
// result and nothing else. Any number of goroutines may ask at once; the calls of
// each take effect in their order. More than one shard lets them work side by
// side, and Batch and Pipeline spread the cost of asking over many commands.
//
// Who comes from rosedb finds the names of that library in package rosedb below.
package actors
