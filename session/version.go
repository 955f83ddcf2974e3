package session

import (
	"runtime/debug"
	"sync"
)

// Version is Troupe's, Commit the revision that the program was built from. The build
// of a release sets them; see Revision.
var (
	Version = "0.1.0"
	Commit  = ""
)

// RedisVersion is the version of Redis whose commands and answers clients may
// count on.
const RedisVersion = "7.2.4"

// Revision is the commit that the program was built from, "" if nobody knows, and
// whether more was built than that commit has. Without Commit it is what Go has noted.
var Revision = sync.OnceValues(func() (commit string, modified bool) {
	if Commit != "" {
		return Commit, false
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "", false
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			commit = s.Value
		case "vcs.modified":
			modified = s.Value == "true"
		}
	}
	return commit, modified
})
