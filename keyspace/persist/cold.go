package persist

import "github.com/troupedb/troupe/keyspace"

// coldPart writes the cold values that the walk of a shard has met.
type coldPart struct {
	*snapshot
	met   []keyspace.ColdEntry
	image *image
	stove *keyspace.Stove // nil until there are some
	bytes []byte
}

func (p *snapshot) newColdPart() *coldPart {
	i := newImage(!p.options.Plain)
	i.untimed = p.untimed
	p.mu.Lock()
	defer p.mu.Unlock()
	p.thawed = append(p.thawed, i)
	return &coldPart{snapshot: p, image: i}
}

func (c *coldPart) close() {
	if c.stove != nil {
		c.stove.Close()
	}
}

// write writes them. One that cannot be read is the end of the file.
func (c *coldPart) write() {
	if c.stove == nil && len(c.met) > 0 {
		c.stove = c.Node.NewStove()
	}
	c.bytes = c.bytes[:0]
	db := -1
	for i := range c.met {
		e := &c.met[i]
		if e.DB != db {
			db = e.DB
			c.bytes = c.image.Database(c.bytes, db)
		}
		err := c.stove.Show(e, func(tx *keyspace.Tx, v keyspace.Value) { c.bytes = c.image.Entry(c.bytes, tx, v) })
		if err != nil {
			c.fail(err)
			return
		}
		if len(c.bytes) >= sliceBytes {
			c.put(c.bytes, c.image.wants())
			c.bytes, db = c.bytes[:0], -1
		}
	}
	c.put(c.bytes, c.image.wants())
}
