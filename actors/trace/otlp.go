package trace

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/troupedb/troupe/session"
)

// The parts of an ExportTraceServiceRequest in JSON that are used: see
// opentelemetry/proto/trace/v1/trace.proto. Numbers of 64 bits are texts, bytes are
// hexadecimal.
type (
	exported struct {
		ResourceSpans []resourceSpans `json:"resourceSpans"`
	}
	resourceSpans struct {
		Resource   resource     `json:"resource"`
		ScopeSpans []scopeSpans `json:"scopeSpans"`
	}
	resource struct {
		Attributes []attribute `json:"attributes"`
	}
	scopeSpans struct {
		Scope scope  `json:"scope"`
		Spans []span `json:"spans"`
	}
	scope struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	}
	span struct {
		TraceID    string      `json:"traceId"`
		SpanID     string      `json:"spanId"`
		Parent     string      `json:"parentSpanId,omitempty"`
		Name       string      `json:"name"`
		Kind       int         `json:"kind"`
		Start      string      `json:"startTimeUnixNano"`
		End        string      `json:"endTimeUnixNano"`
		Attributes []attribute `json:"attributes,omitempty"`
	}
	attribute struct {
		Key   string `json:"key"`
		Value value  `json:"value"`
	}
	value struct {
		Text   *string `json:"stringValue,omitempty"`
		Number string  `json:"intValue,omitempty"`
	}
)

// The kinds of span.
const (
	kindInternal = 1
	kindServer   = 2
)

func text(key, v string) attribute { return attribute{key, value{Text: &v}} }

func number(key string, n int64) attribute {
	return attribute{key, value{Number: strconv.FormatInt(n, 10)}}
}

// encode makes a request of traces.
func encode(traces []*session.Trace) []byte {
	var spans []span
	for _, t := range traces {
		spans = append(spans, spansOf(t)...)
	}
	body, err := json.Marshal(exported{[]resourceSpans{{
		Resource:   resource{[]attribute{text("service.name", "troupe"), text("service.version", session.Version)}},
		ScopeSpans: []scopeSpans{{scope{"troupe", session.Version}, spans}},
	}}})
	if err != nil {
		panic(err) // it is made of texts
	}
	return body
}

// spansOf are the spans of a way: the batch as its session has it, and for each
// message to shards how long it waited and how long its commands ran.
func spansOf(t *session.Trace) []span {
	id := identifier(16)
	root := span{
		TraceID: id, SpanID: identifier(8), Name: batchName(t), Kind: kindServer, Start: nanos(t.Begin), End: nanos(t.End),
		Attributes: []attribute{
			text("db.system.name", "redis"), text("db.operation.name", strings.Join(t.Commands, " ")),
			number("db.operation.batch.size", int64(t.Count)), number("troupe.session", int64(t.Session)),
		},
	}
	all := []span{root}
	for _, step := range t.Steps {
		if step.Began.IsZero() {
			continue
		}
		about := []attribute{text("troupe.shards", strings.Trim(fmt.Sprint(step.Shards), "[]")), number("troupe.commands", int64(step.Commands))}
		all = append(all,
			span{id, identifier(8), root.SpanID, "mailbox", kindInternal, nanos(step.Sent), nanos(later(step.Sent, step.Began)), about},
			span{id, identifier(8), root.SpanID, "run", kindInternal, nanos(step.Began), nanos(step.Ended), about})
	}
	return all
}

// later is the later of two times: a batch can be in a turn that had begun before.
func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func batchName(t *session.Trace) string {
	switch {
	case len(t.Commands) == 0:
		return "batch"
	case t.Count == 1:
		return t.Commands[0]
	}
	return fmt.Sprintf("%s and %d more", t.Commands[0], t.Count-1)
}

func nanos(t time.Time) string { return strconv.FormatInt(t.UnixNano(), 10) }

func identifier(bytes int) string {
	id := make([]byte, bytes)
	_, _ = rand.Read(id) // it never fails
	return hex.EncodeToString(id)
}
