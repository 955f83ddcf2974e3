package shardtest

import (
	"fmt"

	"github.com/troupedb/troupe/keyspace"
)

// StreamLines describes a stream by its parts, in lines.
func StreamLines(p *keyspace.StreamParts) (lines []string) {
	lines = AppendPart(lines, keyspace.StreamRun{Entries: p.Entries})
	lines = AppendPart(lines, keyspace.StreamHead{
		Length: p.Length, Added: p.Added, Last: p.Last, First: p.First, Deleted: p.Deleted, Groups: len(p.Groups),
	})
	for _, g := range p.Groups {
		lines = AppendPart(lines, keyspace.StreamGroupHead{Name: g.Name, Last: g.Last, Read: g.Read, Pending: len(g.Pending)})
		lines = AppendPart(lines, keyspace.StreamDeliveries(g.Pending))
		lines = AppendPart(lines, keyspace.StreamConsumers(len(g.Consumers)))
		for n, c := range g.Consumers {
			var owned []keyspace.StreamID
			for _, d := range g.Pending {
				if d.Consumer == n {
					owned = append(owned, d.ID)
				}
			}
			lines = AppendPart(lines, keyspace.StreamConsumerHead{StreamConsumer: c, Pending: len(owned)})
			lines = AppendPart(lines, keyspace.StreamOwned(owned))
		}
	}
	return lines
}

// AppendPart appends a line for each thing in a part.
func AppendPart(lines []string, part keyspace.StreamPart) []string {
	switch p := part.(type) {
	case keyspace.StreamRun:
		for id, fields := range p.Entries {
			lines = append(lines, fmt.Sprintf("entry %v %.200q", id, fields))
		}
	case keyspace.StreamDeliveries:
		for _, d := range p {
			lines = append(lines, fmt.Sprintf("delivery %+v", d))
		}
	case keyspace.StreamOwned:
		for _, id := range p {
			lines = append(lines, fmt.Sprintf("owned %v", id))
		}
	case keyspace.StreamGroupHead:
		lines = append(lines, fmt.Sprintf("group %q %v %d with %d pending", p.Name, p.Last, p.Read, p.Pending))
	case keyspace.StreamConsumerHead:
		lines = append(lines, fmt.Sprintf("consumer %q %d with %d pending", p.Name, p.Seen, p.Pending))
	default:
		lines = append(lines, fmt.Sprintf("%T %+v", p, p))
	}
	return lines
}
