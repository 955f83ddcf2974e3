package web

import (
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics answers /metrics, in Prometheus's form. Everything is read when it is
// asked for, from counters that are kept anyway.
func (s *Server) metrics() http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(
		&collector{server: s, shards: newShardGauge(s.system.Node)},
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	return promhttp.HandlerFor(registry, promhttp.HandlerOpts{MaxRequestsInFlight: scrapesMax, ErrorLog: scrapeLog{s}})
}

// scrapesMax is how many may ask at once; others are told to come again.
const scrapesMax = 4

// scrapeLog is where promhttp tells of failures.
type scrapeLog struct{ server *Server }

// Println implements promhttp.Logger.
func (l scrapeLog) Println(v ...any) { l.server.log.Warn("metrics not told", "error", v) }

// collector tells everything of one server.
type collector struct {
	server *Server
	shards *shardGauge
}

// Describe implements prometheus.Collector. It describes nothing, as what there is
// depends on which commands have been used and whether there is a journal.
func (c *collector) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector.
func (c *collector) Collect(to chan<- prometheus.Metric) {
	t := &teller{to: to}
	c.tellServer(t)
	c.tellLinks(t)
	c.tellCommands(t)
	c.tellWatches(t)
	slabs, tables := c.tellShards(t)
	c.tellMemory(t, slabs, tables)
	c.tellDisk(t)
}

// teller sends metrics.
type teller struct{ to chan<- prometheus.Metric }

// counter and gauge send one; labels are names and values in turns.
func (t *teller) counter(name, help string, value float64, labels ...string) {
	t.tell(prometheus.CounterValue, name, help, measured{value, labels})
}

func (t *teller) gauge(name, help string, value float64, labels ...string) {
	t.tell(prometheus.GaugeValue, name, help, measured{value, labels})
}

// measured is a value with its labels.
type measured struct {
	value  float64
	labels []string
}

func (t *teller) tell(kind prometheus.ValueType, name, help string, m measured) {
	desc, values := describe(name, help, m.labels)
	t.to <- prometheus.MustNewConstMetric(desc, kind, m.value, values...)
}

func describe(name, help string, labels []string) (desc *prometheus.Desc, values []string) {
	var names []string
	for i := 0; i+1 < len(labels); i += 2 {
		names, values = append(names, labels[i]), append(values, labels[i+1])
	}
	return prometheus.NewDesc("troupe_"+name, help, names, nil), values
}

// truth is 1 or 0.
func truth(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// seconds of a time that may not be known.
func seconds(d time.Duration) float64 { return max(d, 0).Seconds() }
