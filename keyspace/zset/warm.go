package zset

// Warm implements keyspace.Warmer.
func (l *large) Warm(members [][]byte) (touched byte) { return l.members.Warm(members) }
