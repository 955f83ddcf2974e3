package stream_test

import (
	"testing"

	"github.com/troupedb/troupe/keyspace/shardtest"
	"github.com/troupedb/troupe/keyspace/str"
	"github.com/troupedb/troupe/keyspace/stream"
)

func newWorld(t *testing.T) *shardtest.World {
	return shardtest.New(t, 2, &stream.Commands, &str.Commands)
}

func TestExamples(t *testing.T) {
	t.Parallel()
	shardtest.Examples(t, &stream.Commands, &stream.Commands, &str.Commands)
}
