package admin

import (
	"strings"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/session"
)

var _ = Commands.Add(command.Spec[Call]{
	Meta: command.Meta{
		Name: "DEBUG|PROTOCOL", Arity: debugArity, Complexity: "O(1)",
		Syntax:  "<STRING | INTEGER | DOUBLE | BIGNUM | NULL | ARRAY | SET | MAP | ATTRIB | PUSH | VERBATIM | TRUE | FALSE>",
		Summary: "Answers with a value of the type, for tests of clients.",
		Group:   "server", Since: "0.1.0", Flags: debugFlags,
		Examples: "> DEBUG PROTOCOL integer\n:12345\n> DEBUG PROTOCOL set\n~[:0, :1, :2]\n" +
			"> DEBUG PROTOCOL float\n-ERR Wrong protocol type name. Please use one of the following: " + protocolTypes + "\n",
	},
	Run: takes(1, 1, debugProtocol),
})

const protocolTypes = "string|integer|double|bignum|null|array|set|map|attrib|push|verbatim|true|false"

var (
	errProtocolType = resp.Error("ERR Wrong protocol type name. Please use one of the following: " + protocolTypes)
	errNeedsRESP3   = resp.Error("ERR RESP2 is not supported by this command")
)

// protocolSamples are the values. There are no attributes in our replies, so
// of that only what they would stand before is sent.
var protocolSamples = map[string]resp.Reply{
	"string":   resp.BulkString("Hello World"),
	"integer":  resp.Int(12345),
	"double":   resp.Double(3.141),
	"bignum":   resp.Big("1234567999999999999999999999999999999"),
	"null":     resp.Nil,
	"array":    resp.Array(resp.Zero, resp.One, resp.Int(2)),
	"set":      resp.Set(resp.Zero, resp.One, resp.Int(2)),
	"map":      resp.Map(resp.Zero, resp.Bool(false), resp.One, resp.Bool(true), resp.Int(2), resp.Bool(false)),
	"attrib":   resp.BulkString("Some real reply following the attribute"),
	"verbatim": resp.VerbatimText("txt", "This is a verbatim\nstring"),
	"true":     resp.Bool(true),
	"false":    resp.Bool(false),
}

func debugProtocol(c Call, a *command.Args) resp.Reply {
	name := strings.ToLower(string(a.Bytes()))
	if name == "push" {
		return samplePush(c.Session)
	}
	if sample, ok := protocolSamples[name]; ok {
		return sample
	}
	return errProtocolType
}

// samplePush sends a push, which follows the reply.
func samplePush(s *session.Session) resp.Reply {
	if s.Protocol() == 2 {
		return errNeedsRESP3
	}
	frame := resp.V3.Append(nil, resp.Push(resp.BulkString("server-cpu-usage"), resp.Int(42)))
	s.Deliver(frame)
	return resp.BulkString("Some real reply preceding the push reply")
}
