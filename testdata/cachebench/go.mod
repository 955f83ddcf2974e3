module github.com/troupedb/troupe/testdata/cachebench

go 1.26.0

require github.com/dgraph-io/ristretto/v2 v2.2.0

require (
	github.com/cespare/xxhash/v2 v2.3.0 // indirect
	github.com/dustin/go-humanize v1.0.1 // indirect
	golang.org/x/sys v0.31.0 // indirect
)
