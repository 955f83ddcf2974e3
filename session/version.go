package session

// Version is Troupe's. The build of a release sets it.
var Version = "0.1.0"

// RedisVersion is the version of Redis whose commands and answers clients may
// count on.
const RedisVersion = "7.2.4"
