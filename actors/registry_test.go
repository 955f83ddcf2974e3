package actors

import (
	"testing"

	"github.com/asynkron/protoactor-go/actor"
)

// What protoactor has registered by itself is found in the thinner registry, by those who
// know it only by its name.
func TestThinRegistryKeepsWhatIsThere(t *testing.T) {
	t.Parallel()
	system := actor.NewActorSystem()
	before := system.ProcessRegistry.LocalPIDs
	had := 0
	for _, m := range before.LocalPIDs {
		had += m.Count()
	}
	thin(system.ProcessRegistry)
	have := 0
	for _, m := range system.ProcessRegistry.LocalPIDs.LocalPIDs {
		m.IterCb(func(id string, process any) {
			have++
			if was, _ := before.GetBucket(id).Get(id); was != process {
				t.Errorf("%s is another process than before", id)
			}
			if got, ok := system.ProcessRegistry.GetLocal(id); !ok || got != process {
				t.Errorf("%s is not found", id)
			}
		})
	}
	if had == 0 || have != had {
		t.Fatalf("%d processes of %d are left", have, had)
	}
}
