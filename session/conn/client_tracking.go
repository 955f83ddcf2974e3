package conn

import (
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/session"
)

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name:   "CLIENT|TRACKING",
		Syntax: "<ON | OFF> [REDIRECT client-id] [PREFIX prefix [PREFIX prefix ...]] [BCAST] [OPTIN] [OPTOUT] [NOLOOP]", Arity: -3,
		Complexity: "O(N), where N is the number of prefixes",
		Summary:    "Has the connection told when keys change that it has read, so that it can keep a cache.",
		Group:      "connection", Since: "0.1.0", Flags: control,
		Examples: "> CLIENT TRACKING ON\n+OK\n> CLIENT TRACKING ON PREFIX a\n-ERR PREFIX option requires BCAST mode to be enabled\n" +
			"> CLIENT TRACKING OFF\n+OK\n> CLIENT TRACKING MAYBE\n-ERR syntax error\n",
	},
	Run: track,
})

var (
	errRedirectTwice = resp.Error("ERR A client can only redirect to a single other client")
	errRedirectTo    = resp.Error("ERR The client ID you want redirect to does not exist")
)

// track reads the options before it looks at the first word, as Redis does.
func track(s *session.Session, a *command.Args) resp.Reply {
	word := a.Bytes()
	options := readTracking(s, a)
	if a.Bad() {
		return a.Err()
	}
	switch {
	case command.EqualFold(word, "ON"):
		return s.Track(options)
	case command.EqualFold(word, "OFF"):
		s.Untrack()
		return resp.OK
	}
	return resp.ErrSyntax
}

func readTracking(s *session.Session, a *command.Args) (o session.TrackOptions) {
	for a.More() && !a.Bad() {
		switch {
		case a.OptionWith("REDIRECT", 1):
			if o.Redirect != 0 {
				a.Fail(errRedirectTwice)
			}
			o.Redirect = uint64(a.Int())
			if !a.Bad() && s.Server().Session(o.Redirect) == nil {
				a.Fail(errRedirectTo)
			}
		case a.OptionWith("PREFIX", 1):
			o.Prefixes = append(o.Prefixes, string(a.Bytes()))
		case a.Option("BCAST"):
			o.Broadcast = true
		case a.Option("OPTIN"):
			o.OptIn = true
		case a.Option("OPTOUT"):
			o.OptOut = true
		case a.Option("NOLOOP"):
			o.NoLoop = true
		default:
			a.Syntax()
		}
	}
	return o
}

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name: "CLIENT|CACHING", Syntax: "<YES | NO>", Arity: 3, Complexity: "O(1)",
		Summary: "Tells whether the keys of the next command are tracked, where CLIENT TRACKING leaves that open.",
		Group:   "connection", Since: "0.1.0", Flags: control,
		Examples: "> CLIENT TRACKING ON OPTIN\n+OK\n> CLIENT CACHING YES\n+OK\n> CLIENT CACHING NO\n-ERR CLIENT CACHING NO is only valid when tracking is enabled in OPTOUT mode.\n",
	},
	Run: caching,
})

func caching(s *session.Session, a *command.Args) resp.Reply {
	if refusal := s.MayCache(); refusal.IsError() {
		return refusal
	}
	switch {
	case a.Option("YES"):
		return s.Caching(true)
	case a.Option("NO"):
		return s.Caching(false)
	}
	return resp.ErrSyntax
}

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name: "CLIENT|GETREDIR", Arity: 2, Complexity: "O(1)",
		Summary: "Tells to which connection the invalidations of tracked keys go: 0 for this one, -1 while nothing is tracked.",
		Group:   "connection", Since: "0.1.0", Flags: control,
		Examples: "> CLIENT GETREDIR\n:-1\n> CLIENT GETREDIR 1\n-ERR wrong number of arguments for 'client|getredir' command\n",
	},
	Run: func(s *session.Session, _ *command.Args) resp.Reply { return resp.Int(s.Redirect.Load()) },
})

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name: "CLIENT|TRACKINGINFO", Arity: 2, Complexity: "O(1)",
		Summary: "Tells how the connection's reads are tracked.",
		Group:   "connection", Since: "0.1.0", Flags: control,
		Examples: "> CLIENT TRACKINGINFO\n%{\"flags\": ~[\"off\"], \"redirect\": :-1, \"prefixes\": []}\n> CLIENT TRACKINGINFO now\n-ERR wrong number of arguments for 'client|trackinginfo' command\n",
	},
	Run: trackingInfo,
})

func trackingInfo(s *session.Session, _ *command.Args) resp.Reply {
	var flags []resp.Reply
	for _, word := range s.TrackedFlags() {
		flags = append(flags, resp.BulkString(word))
	}
	return resp.Map(
		resp.BulkString("flags"), resp.Set(flags...),
		resp.BulkString("redirect"), resp.Int(s.Redirect.Load()),
		resp.BulkString("prefixes"), resp.Strings(s.Prefixes()...),
	)
}
