package generic_test

import (
	"testing"

	"github.com/troupedb/troupe/keyspace/generic"
	"github.com/troupedb/troupe/keyspace/hash"
	"github.com/troupedb/troupe/keyspace/shardtest"
	"github.com/troupedb/troupe/keyspace/str"
)

var families = []shardtest.Family{&str.Commands, &generic.Commands, &hash.Commands}

func TestExamples(t *testing.T) {
	t.Parallel()
	shardtest.Examples(t, &generic.Commands, everyFamily...)
}
