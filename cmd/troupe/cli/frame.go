package cli

import (
	"strings"

	"github.com/troupedb/troupe/resp"
)

// frame is what a live query tells.
type frame struct {
	fingerprint, kind, token string
	result                   resp.Reply
	version, covered         int64
}

// frameItems is how many elements a frame has, which always come in one order.
const frameItems = 13

// readFrame reads a reply or push that may be a frame.
func readFrame(r resp.Reply) (f frame, isFrame bool) {
	items := r.Items()
	if len(items) != frameItems || items[0].Str() != "observe" {
		return f, false
	}
	return frame{
		fingerprint: items[2].Str(), result: items[4], version: items[6].Int(), covered: items[8].Int(),
		kind: items[10].Str(), token: items[12].Str(),
	}, true
}

// appendJSON adds a frame in one line, as it is sent to channels.
func (f frame) appendJSON(dst []byte, query []string) []byte {
	dst = appendJSON(append(dst, `{"query":`...), resp.Strings(query...))
	dst = appendJSONText(append(dst, `,"fingerprint":`...), f.fingerprint)
	dst = appendJSON(append(dst, `,"result":`...), f.result)
	dst = appendJSON(append(dst, `,"version":`...), resp.Int(f.version))
	dst = appendJSON(append(dst, `,"covered":`...), resp.Int(f.covered))
	dst = appendJSONText(append(dst, `,"kind":`...), f.kind)
	return append(appendJSONText(append(dst, `,"token":`...), f.token), '}')
}

// queryOf is the query that a command watches, without what says how.
func queryOf(words []string) []string {
	if !is(words, "OBSERVE") {
		query := append([]string{}, words...)
		query[0] = query[0][:len(query[0])-len(".WATCH")]
		return query
	}
	_, query := splitObserve(words)
	return query
}

// splitObserve takes an OBSERVE apart, less where it resumes from.
func splitObserve(words []string) (options, query []string) {
	for i := 1; i < len(words); i++ {
		switch strings.ToUpper(words[i]) {
		case "EVERY", "DELTA":
			options = append(options, words[i])
		case "MAXRATE", "PROGRESS":
			options = append(options, words[i:min(i+2, len(words))]...)
			i++
		case "RESUME":
			i++
		default:
			return options, words[i:]
		}
	}
	return options, nil
}

// resuming is the command that goes on behind a frame.
func resuming(words []string, token string) []string {
	var options []string
	if is(words, "OBSERVE") {
		options, _ = splitObserve(words)
	}
	all := append([]string{"OBSERVE", "RESUME", token}, options...)
	return append(all, queryOf(words)...)
}
