package session

// Version is Troupe's; RedisVersion is the version of Redis whose commands and
// answers clients may count on.
const (
	Version      = "0.1.0"
	RedisVersion = "7.2.4"
)
