package stream_test

import (
	"strings"
	"testing"

	"github.com/troupedb/troupe/keyspace/shardtest"
	"github.com/troupedb/troupe/keyspace/stream"
)

// The examples are what Redis does too.
func TestExamplesAgainstRedis(t *testing.T) {
	t.Parallel()
	redis := shardtest.DialRedis(t)
	for _, spec := range stream.Commands.Specs() {
		redis.Play(strings.TrimLeft(spec.Examples, "\n"))
	}
}
