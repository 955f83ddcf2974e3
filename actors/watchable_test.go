package actors

import (
	"slices"
	"testing"

	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/session"
)

// Every command that reads data can be watched, but for those that answer by
// chance or piece by piece, from the whole keyspace, or by how long ago something
// was.
func TestEveryReaderCanBeWatched(t *testing.T) {
	t.Parallel()
	c := &session.Catalogue{}
	families(c)
	var not []string
	for _, row := range c.List() {
		if row.Data != nil && row.Flags.Has(command.ReadOnly) && !row.Watchable() {
			not = append(not, row.Name)
		}
		if row.Data != nil && !row.Flags.Has(command.ReadOnly) && row.Watchable() {
			t.Errorf("%s writes and can be watched", row.Name)
		}
	}
	slices.Sort(not)
	want := []string{"DBSIZE", "HRANDFIELD", "HSCAN", "KEYRANGE", "KEYS", "OBJECT|FREQ", "OBJECT|IDLETIME", "RANDOMKEY", "SCAN",
		"SRANDMEMBER", "SSCAN", "TOUCH", "XINFO|CONSUMERS", "XPENDING", "ZRANDMEMBER", "ZSCAN"}
	if !slices.Equal(not, want) {
		t.Errorf("can't be watched: %q", not)
	}
}
