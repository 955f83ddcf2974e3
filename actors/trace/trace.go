// Package trace tells an OpenTelemetry collector how commands go through the
// actors: for some of the batches that clients send, how long they waited in a
// shard's mailbox, how long they ran there, and when their replies were there.
//
// It owns a queue and one goroutine that sends what is in it, as OTLP over HTTP
// with JSON (opentelemetry.io/docs/specs/otlp). It promises that no session and no
// shard ever waits for the collector: what does not fit into the queue is dropped
// and counted; and that keys, values and names of users are never told.
package trace

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/troupedb/troupe/actors"
	"github.com/troupedb/troupe/session"
)

// Settings is the configuration in force; actors/config keeps it.
type Settings interface {
	Text(name string) string
	Int(name string) int64
	// OnChange calls f with a setting's value, now and whenever it changes.
	OnChange(name string, f func(value string))
}

const (
	queueMax    = 2048            // traces that wait to be sent
	sendMax     = 256             // that are sent at once
	sendEvery   = time.Second     // at least, if there are any
	sendTimeout = 5 * time.Second // of a request to the collector
	endTimeout  = time.Second     // of what is under way, and left, at the end
)

// Exporter sends the traces of one system.
type Exporter struct {
	settings Settings
	log      hclog.Logger
	every    atomic.Int64 // one of so many batches is chosen
	turn     atomic.Int64
	queue    chan *session.Trace
	dropped  atomic.Int64
	life     context.Context // until Close
	stop     context.CancelFunc
	done     sync.WaitGroup
	server   *session.Server
	failing  bool // the last request was, which was logged
}

// New makes the exporter that the settings ask for.
func New(settings Settings) *Exporter {
	e := &Exporter{settings: settings, queue: make(chan *session.Trace, queueMax)}
	e.life, e.stop = context.WithCancel(context.Background())
	return e
}

// Join has the exporter begin with a system that is about to be started. Without an
// endpoint in the settings nothing is followed, until there is one.
func (e *Exporter) Join(o *actors.Options) {
	before := o.Ready
	o.Ready = func(system *actors.System) error {
		if before != nil {
			if err := before(system); err != nil {
				return err
			}
		}
		e.start(system.Server)
		return nil
	}
}

func (e *Exporter) start(server *session.Server) {
	e.server, e.log = server, server.Log.Named("trace")
	e.done.Go(e.send)
	e.settings.OnChange("otlp-sample", func(string) { e.every.Store(max(1, e.settings.Int("otlp-sample"))) })
	e.settings.OnChange("otlp-endpoint", func(endpoint string) {
		if endpoint == "" {
			server.SetTracer(nil)
		} else {
			server.SetTracer(e)
		}
	})
}

// Close sends what is left, which takes two seconds at the most, and ends. It may be
// called without a start.
func (e *Exporter) Close() {
	if e.server != nil {
		e.server.SetTracer(nil)
	}
	e.stop()
	e.done.Wait()
}

// Chosen implements session.Tracer.
func (e *Exporter) Chosen() bool { return e.turn.Add(1)%e.every.Load() == 0 }

// Tell implements session.Tracer.
func (e *Exporter) Tell(t *session.Trace) {
	select {
	case e.queue <- t:
	default:
		e.dropped.Add(1)
	}
}

// send sends what is in the queue until it is told to end.
func (e *Exporter) send() {
	tick := time.NewTicker(sendEvery)
	defer tick.Stop()
	var waiting []*session.Trace
	for {
		select {
		case t := <-e.queue:
			if waiting = append(waiting, t); len(waiting) < sendMax {
				continue
			}
		case <-tick.C:
		case <-e.life.Done():
			for len(e.queue) > 0 && len(waiting) < queueMax {
				waiting = append(waiting, <-e.queue)
			}
			e.post(waiting)
			return
		}
		e.post(waiting)
		waiting = waiting[:0]
	}
}

// post sends traces. What the collector does not take is lost.
func (e *Exporter) post(traces []*session.Trace) {
	endpoint := e.settings.Text("otlp-endpoint")
	if len(traces) == 0 || endpoint == "" {
		return
	}
	err := e.push(tracesURL(endpoint), encode(traces))
	if err != nil {
		if !e.failing {
			e.log.Warn("traces were not taken; this is said once until they are", "error", err, "traces", len(traces))
		}
	} else if dropped := e.dropped.Swap(0); dropped > 0 {
		e.log.Warn("traces were dropped: there are more than the collector takes", "traces", dropped)
	}
	e.failing = err != nil
}

// tracesURL is where a collector takes traces: the endpoint may name the path.
func tracesURL(endpoint string) string {
	if strings.HasSuffix(endpoint, "/v1/traces") {
		return endpoint
	}
	return strings.TrimSuffix(endpoint, "/") + "/v1/traces"
}

func (e *Exporter) push(url string, body []byte) error {
	ctx, cancel := context.WithTimeout(context.Background(), sendTimeout)
	defer cancel()
	defer context.AfterFunc(e.life, func() { time.AfterFunc(endTimeout, cancel) })()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	reply, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer reply.Body.Close()
	text, _ := io.ReadAll(io.LimitReader(reply.Body, 200))
	if reply.StatusCode/100 != 2 {
		return fmt.Errorf("the collector answers %s: %s", reply.Status, text)
	}
	return nil
}
