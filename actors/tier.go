package actors

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/tier"
)

// openTier takes the folder of cold values, if there is to be one.
func (s *System) openTier() (err error) {
	c := s.options.Tier
	if c.Dir == "" {
		return nil
	}
	if c.Log == nil {
		c.Log = s.options.Log.Named("tier")
	}
	s.Tier, err = tier.Open(c)
	return err
}

// tierOf is what the keyspace uses: nil if there is none.
func (s *System) tierOf() keyspace.Tier {
	if s.Tier == nil {
		return nil
	}
	return s.Tier
}

// closeTier lets the folder go, once the batches that wait for it have run. The
// shards must be at work, and nobody else.
func (s *System) closeTier() {
	if s.Tier == nil {
		return
	}
	if err := s.Tier.Close(); err != nil {
		s.options.Log.Warn("the tier was not closed well", "error", err)
	}
}
