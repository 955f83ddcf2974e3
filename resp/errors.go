package resp

import "strings"

// Error is an error reply: a code in capitals, a space, and the text.
// CR and LF would break the frame and become spaces.
func Error(codeAndText string) Reply {
	if strings.ContainsAny(codeAndText, "\r\n") {
		codeAndText = strings.NewReplacer("\r", " ", "\n", " ").Replace(codeAndText)
	}
	return Reply{kind: Failure, text: codeAndText}
}

// The texts shared by several commands, each once. They are Redis's.
var (
	ErrSyntax       = Error("ERR syntax error")
	ErrWrongType    = Error("WRONGTYPE Operation against a key holding the wrong kind of value")
	ErrNotInteger   = Error("ERR value is not an integer or out of range")
	ErrInt32        = Error("ERR value is out of range, value must between -2147483648 and 2147483647")
	ErrNotFloat     = Error("ERR value is not a valid float")
	ErrOutOfRange   = Error("ERR value is out of range")
	ErrNotPositive  = Error("ERR value is out of range, must be positive")
	ErrNoSuchKey    = Error("ERR no such key")
	ErrOffset       = Error("ERR offset is out of range")
	ErrOverflow     = Error("ERR increment or decrement would overflow")
	ErrNaN          = Error("ERR increment would produce NaN or Infinity")
	ErrStringSize   = Error("ERR string exceeds maximum allowed size (proto-max-bulk-len)")
	ErrSameObject   = Error("ERR source and destination objects are the same")
	ErrCursor       = Error("ERR invalid cursor")
	ErrDBIndex      = Error("ERR DB index is out of range")
	ErrExpireNXGT   = Error("ERR NX and XX, GT or LT options at the same time are not compatible")
	ErrExpireGTLT   = Error("ERR GT and LT options at the same time are not compatible")
	ErrExecAbort    = Error("EXECABORT Transaction discarded because of previous errors.")
	ErrNestedMulti  = Error("ERR MULTI calls can not be nested")
	ErrNoMulti      = Error("ERR EXEC without MULTI")
	ErrDiscard      = Error("ERR DISCARD without MULTI")
	ErrWatchInMulti = Error("ERR WATCH inside MULTI is not allowed")
	ErrNoAuth       = Error("NOAUTH Authentication required.")
	ErrLoading      = Error("LOADING Redis is loading the dataset in memory")
	ErrNoProto      = Error("NOPROTO unsupported protocol version")
	ErrInternal     = Error("ERR internal error: the command has failed, see the server's log")
	ErrMasterPort   = Error("ERR Invalid master port")
	ErrMaxClients   = Error("ERR max number of clients reached")
	ErrWrongPass    = Error("WRONGPASS invalid username-password pair or user is disabled.")
)

// ErrArity is the answer to a wrong number of arguments; name in any case.
func ErrArity(name string) Reply {
	return Error("ERR wrong number of arguments for '" + strings.ToLower(name) + "' command")
}

// ErrExpireTime is the answer to a time to live that is zero, negative where
// that is refused, or past what can be counted; name in any case.
func ErrExpireTime(name string) Reply {
	return Error("ERR invalid expire time in '" + strings.ToLower(name) + "' command")
}
