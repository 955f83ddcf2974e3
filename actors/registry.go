package actors

import (
	"github.com/asynkron/protoactor-go/actor"
	cmap "github.com/orcaman/concurrent-map"
)

// registryMaps is in how many maps the actor system keeps its processes. Each has 32
// parts with a lock of their own, so this is enough for many cores. protoactor's own
// 1,024 take 4 MB when empty, and 10 MB once so many sessions have come and gone that
// each part has had one.
const registryMaps = 16

// thin gives the registry of a system that has just been made fewer maps.
func thin(r *actor.ProcessRegistryValue) {
	before := r.LocalPIDs.LocalPIDs
	r.LocalPIDs = &actor.SliceMap{LocalPIDs: make([]cmap.ConcurrentMap, registryMaps)}
	for i := range r.LocalPIDs.LocalPIDs {
		r.LocalPIDs.LocalPIDs[i] = cmap.New()
	}
	for _, m := range before {
		m.IterCb(func(id string, process any) { r.LocalPIDs.GetBucket(id).Set(id, process) })
	}
}
