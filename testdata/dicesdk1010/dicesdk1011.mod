module github.com/troupedb/troupe/testdata/dicesdk1010

go 1.24.0

require (
	github.com/dicedb/dicedb-go v1.0.11
	google.golang.org/protobuf v1.36.5
)

require github.com/google/uuid v1.6.0 // indirect
