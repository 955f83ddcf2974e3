package rosedb_test

import (
	"fmt"
	"log"

	"github.com/troupedb/troupe/actors/rosedb"
)

func Example() {
	db, err := rosedb.Open(rosedb.Options{}) // with DirPath, it is all there the next time
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	batch := db.NewBatch(rosedb.DefaultBatchOptions)
	for _, name := range []string{"ann", "bob", "eve"} {
		if err := batch.Put([]byte("user:"+name), []byte(name)); err != nil {
			log.Fatal(err)
		}
	}
	if err := batch.Commit(); err != nil {
		log.Fatal(err)
	}
	err = db.AscendGreaterOrEqual([]byte("user:b"), func(key, value []byte) (bool, error) {
		fmt.Printf("%s %s\n", key, value)
		return true, nil
	})
	fmt.Println(err)
	values, err := db.PrefixScan("user:", 2, 0)
	fmt.Printf("%s %v\n", values, err)
	// Output:
	// user:bob bob
	// user:eve eve
	// <nil>
	// [ann bob] <nil>
}
