package admin

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/session"
	"github.com/troupedb/troupe/session/acl"
	"github.com/troupedb/troupe/subscription"
)

// shardStats are the sums of the shards' counters; of times, the longest.
func (r *report) shardStats() (sum keyspace.Stats) {
	r.Tx.EachShard(func(sh *keyspace.Shard) {
		sum.Hits += sh.Stats.Hits
		sum.Misses += sh.Stats.Misses
		sum.Expired += sh.Stats.Expired
		sum.Evicted += sh.Stats.Evicted
		sum.Changes += sh.Stats.Changes
		sum.Moved += sh.Stats.Moved
		sum.Stayed += sh.Stats.Stayed
		sum.KeysMoved += sh.Stats.KeysMoved
		sum.KeysStayed += sh.Stats.KeysStayed
		sum.Freed += sh.Stats.Freed
		sum.Spilled += sh.Stats.Spilled
		sum.Fetched += sh.Stats.Fetched
		sum.HeldFetches += sh.Stats.HeldFetches
		sum.CompactedFor = max(sum.CompactedFor, sh.Stats.CompactedFor+sh.Stats.CompactingFor)
		sum.CompactingFor = max(sum.CompactingFor, sh.Stats.CompactingFor)
	})
	return sum
}

func (r *report) stats() {
	server := r.system.Server
	shards, in, out := r.shardStats(), int64(0), int64(0)
	in, out = server.Traffic()
	commands := server.Stats.Commands.Load()
	pace := r.pace.look(server.Nanos(), totals{commands, in, out})
	failures := int64(0)
	for _, n := range server.Stats.Errors() {
		failures += n
	}
	r.Add("total_connections_received", server.Stats.Accepted.Load())
	r.Add("total_commands_processed", commands)
	r.Add("instantaneous_ops_per_sec", int64(pace.commands))
	r.Add("total_net_input_bytes", in)
	r.Add("total_net_output_bytes", out)
	r.Add("total_net_repl_input_bytes", 0)
	r.Add("total_net_repl_output_bytes", 0)
	r.Fixed("instantaneous_input_kbps", pace.in/1024, 2)
	r.Fixed("instantaneous_output_kbps", pace.out/1024, 2)
	r.Fixed("instantaneous_input_repl_kbps", 0, 2)
	r.Fixed("instantaneous_output_repl_kbps", 0, 2)
	r.Add("rejected_connections", server.Stats.Rejected.Load())
	r.Add("rate_limited_connections", server.Stats.RateLimited.Load())
	r.Add("handshake_timeouts", server.Stats.HandshakesLate.Load())
	r.Add("tls_handshake_failures", server.Stats.HandshakesFailed.Load())
	r.Add("sync_full", 0)
	r.Add("sync_partial_ok", 0)
	r.Add("sync_partial_err", 0)
	r.Add("expired_keys", shards.Expired)
	r.Add("evicted_keys", shards.Evicted)
	r.Add("evicted_clients", server.EvictedClients())
	exceeded, exceededTotal := r.system.Node.Exceeded()
	r.Add("total_eviction_exceeded_time", exceededTotal)
	r.Add("current_eviction_exceeded_time", exceeded)
	r.Add("keyspace_hits", shards.Hits)
	r.Add("keyspace_misses", shards.Misses)
	r.Add("latest_fork_usec", 0)
	r.Add("total_forks", 0)
	hub := server.Hub
	r.Add("pubsub_channels", hub.Len(subscription.Channel))
	r.Add("pubsub_patterns", hub.Len(subscription.Pattern))
	r.Add("pubsubshard_channels", hub.Len(subscription.ShardChannel))
	caches := hub.TrackCounts()
	r.Add("active_defrag_hits", shards.Moved)
	r.Add("active_defrag_misses", shards.Stayed)
	r.Add("active_defrag_key_hits", shards.KeysMoved)
	r.Add("active_defrag_key_misses", shards.KeysStayed)
	r.Add("total_active_defrag_time", shards.CompactedFor/int64(time.Millisecond))
	r.Add("current_active_defrag_time", shards.CompactingFor/int64(time.Millisecond))
	r.Add("tracking_total_keys", caches.Keys)
	r.Add("tracking_total_items", caches.Items)
	r.Add("tracking_total_prefixes", caches.Prefixes)
	r.Add("total_error_replies", failures)
	r.Add("client_query_buffer_limit_disconnections", server.Stats.QueryCut.Load())
	r.Add("client_output_buffer_limit_disconnections", server.Stats.OutputCut.Load())
	denied := &server.Stats.Denied
	r.Add("acl_access_denied_auth", denied[acl.DeniedAuth].Load())
	r.Add("acl_access_denied_cmd", denied[acl.DeniedCommand].Load())
	r.Add("acl_access_denied_key", denied[acl.DeniedKey].Load())
	r.Add("acl_access_denied_channel", denied[acl.DeniedChannel].Load())
	r.Add("total_changes", shards.Changes)
	live, _, _ := server.Watches.Stats()
	r.Add("live_query_evaluations", live.Evaluations)
	r.Add("live_query_pushes", live.Pushes)
	r.Add("live_query_changes_covered", live.Covered)
	r.Add("live_query_evaluation_usec", live.Nanos/1000)
}

// pace tells how fast counters grow: since the last look that is at least a
// second old, or since the start.
type pace struct {
	mu           sync.Mutex
	before, last look
}

// paceSpan is how old, in nanoseconds, the look is that a rate is counted from.
const paceSpan = int64(1e9)

type totals struct{ commands, in, out int64 }

type look struct {
	at int64 // nanoseconds since the start
	totals
}

// rates are per second.
type rates struct{ commands, in, out float64 }

func (p *pace) look(at int64, now totals) rates {
	p.mu.Lock()
	defer p.mu.Unlock()
	if at-p.last.at >= paceSpan {
		p.before, p.last = p.last, look{at, now}
	}
	seconds := float64(at-p.before.at) / 1e9
	rate := func(n, before int64) float64 {
		if seconds <= 0 || n < before { // counters were reset
			return 0
		}
		return float64(n-before) / seconds
	}
	return rates{rate(now.commands, p.before.commands), rate(now.in, p.before.in), rate(now.out, p.before.out)}
}

func (r *report) replication() {
	r.Add("role", "master")
	r.Add("connected_slaves", 0)
	r.Add("master_failover_state", "no-failover")
	r.Add("master_replid", r.runID)
	r.Add("master_replid2", strings.Repeat("0", len(r.runID)))
	r.Add("master_repl_offset", 0)
	r.Add("second_repl_offset", -1)
	r.Add("repl_backlog_active", 0)
	r.Add("repl_backlog_size", 0)
	r.Add("repl_backlog_first_byte_offset", 0)
	r.Add("repl_backlog_histlen", 0)
}

func (r *report) cluster() { r.Add("cluster_enabled", 0) }

func (r *report) keyspace() {
	for db := range r.system.Server.Databases {
		if held, expiring := r.keys(db); held > 0 {
			r.Add(fmt.Sprint("db", db), fmt.Sprintf("keys=%d,expires=%d,avg_ttl=0", held, expiring))
		}
	}
}

// eachUsed visits the commands that have been called or refused.
func (r *report) eachUsed(visit func(*session.Command, *session.CommandStats)) {
	server := r.system.Server
	for _, row := range server.Catalogue.List() {
		stats := server.Stats.Command(row)
		if stats.Calls.Load() > 0 || stats.Rejected.Load() > 0 {
			visit(row, stats)
		}
	}
}

func (r *report) commandStats() {
	r.eachUsed(func(row *session.Command, stats *session.CommandStats) {
		calls, micros := stats.Calls.Load(), stats.Nanos.Load()/1000
		each := 0.0
		if calls > 0 {
			each = float64(stats.Nanos.Load()) / 1000 / float64(calls)
		}
		r.Add("cmdstat_"+row.Lower(), fmt.Sprintf("calls=%d,usec=%d,usec_per_call=%.2f,rejected_calls=%d,failed_calls=%d",
			calls, micros, each, stats.Rejected.Load(), stats.Failed.Load()))
	})
}

func (r *report) errorStats() {
	counts := r.system.Server.Stats.Errors()
	for _, code := range slices.Sorted(maps.Keys(counts)) {
		r.Add("errorstat_"+code, fmt.Sprint("count=", counts[code]))
	}
}

func (r *report) latencyStats() {
	percents := strings.Fields(r.settings.Text("latency-tracking-info-percentiles"))
	r.eachUsed(func(row *session.Command, stats *session.CommandStats) {
		if stats.Calls.Load() == 0 {
			return
		}
		var parts []string
		for _, word := range percents {
			percent, err := strconv.ParseFloat(word, 64)
			if err == nil {
				parts = append(parts, fmt.Sprintf("p%s=%.3f", word, percentile(stats, percent)))
			}
		}
		r.Add("latency_percentiles_usec_"+row.Lower(), strings.Join(parts, ","))
	})
}
