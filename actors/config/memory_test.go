package config

import (
	"testing"

	"github.com/troupedb/troupe/actors"
)

// -c goes before every other limit; its policy is for those who name none.
func TestCapacity(t *testing.T) {
	t.Parallel()
	f := func(from Sources, limit, policy string) {
		t.Helper()
		from.Capacity = "64mb"
		c, err := Load(from)
		if err != nil {
			t.Fatal(err)
		}
		if c.Text("maxmemory") != limit || c.Text("maxmemory-policy") != policy {
			t.Errorf("%+v: %s bytes, %s; want %s, %s", from, c.Text("maxmemory"), c.Text("maxmemory-policy"), limit, policy)
		}
	}
	const limit = "67108864"
	f(Sources{}, limit, "allkeys-lru")
	f(Sources{Flags: []Flag{{"maxmemory", []string{"1gb"}}}}, limit, "allkeys-lru")
	f(Sources{Flags: []Flag{{"maxmemory-policy", []string{"volatile-ttl"}}}}, limit, "volatile-ttl")
	f(Sources{Environ: []string{"TROUPE_MAXMEMORY_POLICY=noeviction"}}, limit, "noeviction")
	if _, err := Load(Sources{Capacity: "much"}); err == nil || err.Error() != "-c: maxmemory: argument must be a memory value" {
		t.Errorf("%v", err)
	}
}

// A share of the machine's memory is bytes from then on.
func TestShareOfMachine(t *testing.T) {
	t.Parallel()
	there := actors.MachineMemory()
	if there == 0 {
		t.Skip("how much memory there is can't be told here")
	}
	c, err := Load(Sources{Flags: []Flag{{"maxmemory", []string{"40%"}}}})
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Int("maxmemory"); got != there/100*40 {
		t.Errorf("40%% of %d is %d", there, got)
	}
}
