package session

import (
	"slices"
	"strings"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/session/acl"
	"github.com/troupedb/troupe/subscription"
)

// tracking is what a link has asked for by CLIENT TRACKING.
type tracking struct {
	tracker       *subscription.Tracker // nil: nothing
	optIn, optOut bool
	caching       bool // CLIENT CACHING was said, of the next command
	untracked     bool // the present command is not tracked
}

// TrackOptions are those of CLIENT TRACKING ON.
type TrackOptions struct {
	Redirect                         uint64 // another client's number; 0: none
	Broadcast, OptIn, OptOut, NoLoop bool
	Prefixes                         []string
}

// The mistakes of CLIENT TRACKING, in Redis's words.
var (
	errTrackPrefix = resp.Error("ERR PREFIX option requires BCAST mode to be enabled")
	errTrackMode   = resp.Error("ERR You can't switch BCAST mode on/off before disabling tracking for this client, and then re-enabling it with a different mode.")
	errTrackOpt    = resp.Error("ERR OPTIN and OPTOUT are not compatible with BCAST")
	errTrackBoth   = resp.Error("ERR You can't specify both OPTIN mode and OPTOUT mode")
	errTrackSwitch = resp.Error("ERR You can't switch OPTIN/OPTOUT mode before disabling tracking for this client, and then re-enabling it with a different mode.")
	errCaching     = resp.Error("ERR CLIENT CACHING can be called only when the client is in tracking mode with OPTIN or OPTOUT mode enabled")
	errCachingYes  = resp.Error("ERR CLIENT CACHING YES is only valid when tracking is enabled in OPTIN mode.")
	errCachingNo   = resp.Error("ERR CLIENT CACHING NO is only valid when tracking is enabled in OPTOUT mode.")
)

// Track is CLIENT TRACKING ON.
func (s *Session) Track(o TrackOptions) resp.Reply {
	if refusal := s.mayTrack(&o); refusal.IsError() {
		return refusal
	}
	tr := &s.tracking
	if o.Broadcast && len(o.Prefixes) == 0 {
		o.Prefixes = []string{""}
	}
	if !readsUnder(s.Account().Now(), o.Prefixes) {
		s.server.Stats.Denied[acl.DeniedKey].Add(1)
		return (&acl.Denial{Reason: acl.DeniedKey}).Refusal()
	}
	fresh := tr.tracker == nil
	if fresh {
		tr.tracker = subscription.NewTracker(s.id, subscription.TrackerEnds{
			Own: s.inbox(), Find: s.server.inboxOf, Broken: func() { s.SetFlag(FlagBrokenRedirect, true) },
		})
	}
	tr.optIn, tr.optOut = o.OptIn, o.OptOut
	tr.tracker.NoLoop.Store(o.NoLoop)
	tr.tracker.Redirect.Store(o.Redirect)
	s.Redirect.Store(int64(o.Redirect))
	s.SetFlag(FlagBrokenRedirect, false)
	s.SetFlag(FlagTracking, true)
	s.SetFlag(FlagBroadcast, o.Broadcast)
	if fresh {
		s.server.Hub.Track(tr.tracker, o.Broadcast, o.Prefixes)
	} else if o.Broadcast {
		s.server.Hub.TrackAlso(tr.tracker, o.Prefixes)
	}
	return resp.OK
}

// readsUnder reports whether a user may read all keys with any of the prefixes:
// who may not is not told their names.
func readsUnder(u *acl.User, prefixes []string) bool {
	return !slices.ContainsFunc(prefixes, func(prefix string) bool { return !u.ReadsUnder(prefix) })
}

// mayTrack refuses options that do not go together.
func (s *Session) mayTrack(o *TrackOptions) resp.Reply {
	tr := &s.tracking
	switch {
	case !o.Broadcast && len(o.Prefixes) > 0:
		return errTrackPrefix
	case tr.tracker != nil && tr.tracker.Broadcast() != o.Broadcast:
		return errTrackMode
	case o.Broadcast && (o.OptIn || o.OptOut):
		return errTrackOpt
	case o.OptIn && o.OptOut:
		return errTrackBoth
	case o.OptIn && tr.optOut || o.OptOut && tr.optIn:
		return errTrackSwitch
	}
	return s.mayHavePrefixes(o.Prefixes)
}

// mayHavePrefixes refuses prefixes that overlap with each other, or with one
// that the link has.
func (s *Session) mayHavePrefixes(prefixes []string) resp.Reply {
	overlap := func(a, b string) bool { return strings.HasPrefix(a, b) || strings.HasPrefix(b, a) }
	refuse := func(one, kind, other string) resp.Reply {
		return resp.Error("ERR Prefix '" + one + "' overlaps with " + kind + " prefix '" + other +
			"'. Prefixes for a single client must not overlap.")
	}
	for i, one := range prefixes {
		for _, have := range s.Prefixes() {
			if overlap(one, have) {
				return refuse(one, "an existing", have)
			}
		}
		for _, other := range prefixes[i+1:] {
			if overlap(one, other) {
				return refuse(one, "another provided", other)
			}
		}
	}
	return resp.Nothing
}

// Untrack is CLIENT TRACKING OFF.
func (s *Session) Untrack() {
	if s.tracking.tracker == nil {
		return
	}
	s.server.Hub.Untrack(s.tracking.tracker)
	s.tracking = tracking{}
	s.Redirect.Store(-1)
	s.SetFlag(FlagTracking|FlagBroadcast|FlagBrokenRedirect, false)
}

// Prefixes are those that the link hears of.
func (s *Session) Prefixes() []string {
	if s.tracking.tracker == nil {
		return nil
	}
	return s.tracking.tracker.Prefixes()
}

// TrackedFlags describe the link's tracking in the words of CLIENT TRACKINGINFO.
func (s *Session) TrackedFlags() (words []string) {
	tr := &s.tracking
	if tr.tracker == nil {
		return []string{"off"}
	}
	for _, f := range []struct {
		on   bool
		word string
	}{
		{true, "on"}, {tr.tracker.Broadcast(), "bcast"}, {tr.optIn, "optin"}, {tr.optIn && tr.caching, "caching-yes"},
		{tr.optOut, "optout"}, {tr.optOut && tr.caching, "caching-no"}, {tr.tracker.NoLoop.Load(), "noloop"},
		{s.Flags.Load()&FlagBrokenRedirect != 0, "broken_redirect"},
	} {
		if f.on {
			words = append(words, f.word)
		}
	}
	return words
}

// Caching is CLIENT CACHING YES and NO: whether the next command is tracked.
func (s *Session) Caching(yes bool) resp.Reply {
	tr := &s.tracking
	switch {
	case yes && !tr.optIn:
		return errCachingYes
	case !yes && !tr.optOut:
		return errCachingNo
	}
	tr.caching = true
	return resp.OK
}

// MayCache refuses CLIENT CACHING on a link that tracks nothing.
func (s *Session) MayCache() resp.Reply {
	if s.tracking.tracker == nil {
		return errCaching
	}
	return resp.Nothing
}

// beginTracked says whether the present command is tracked.
func (s *Session) beginTracked() {
	tr := &s.tracking
	tr.untracked = tr.optIn != tr.optOut && tr.optIn != tr.caching
}

// endTracked ends what CLIENT CACHING has said: it holds for one command, or one
// transaction, behind it.
func (s *Session) endTracked(row *Command) {
	if !s.tracking.caching || s.held != nil || s.parked || s.multi != nil {
		return
	}
	if row != nil {
		if container, _ := row.Container(); container == "CLIENT" {
			return
		}
	}
	s.tracking.caching = false
}

// inboxOf is the inbox of a client, nil if that is gone.
func (s *Server) inboxOf(id uint64) *subscription.Inbox {
	if one := s.Session(id); one != nil {
		return one.inbox()
	}
	return nil
}
