package web

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/troupedb/troupe/session"
	"github.com/troupedb/troupe/session/acl"
	"github.com/troupedb/troupe/subscription"
)

func (c *collector) tellServer(t *teller) {
	system := c.server.system
	t.gauge("info", "The server; its value is 1.", 1, "version", session.Version, "redis_version", session.RedisVersion)
	t.gauge("uptime_seconds", "Since when it serves.", system.Server.Uptime().Seconds())
	t.gauge("ready", "Whether it can do all it is there for: see /readyz.", truth(len(c.server.unready()) == 0))
	t.counter("shard_rebuilds_total", "Shards made anew after a command had failed by a mistake of the program.", float64(system.Rebuilds.Load()))
	for code, n := range system.Server.Stats.Errors() {
		t.counter("errors_total", "Errors that were answered, by code.", float64(n), "code", code)
	}
	denied := &system.Server.Stats.Denied
	for reason, name := range map[acl.Reason]string{
		acl.DeniedAuth: "auth", acl.DeniedCommand: "command", acl.DeniedKey: "key", acl.DeniedChannel: "channel",
	} {
		t.counter("access_denied_total", "What was refused for want of rights.", float64(denied[reason].Load()), "reason", name)
	}
}

func (c *collector) tellLinks(t *teller) {
	server := c.server.system.Server
	var blocked, monitors, watching, subscribed, waiting, deepest, unsent int64
	all := server.Sessions()
	for _, one := range all {
		flags := one.Flags.Load()
		blocked += int64(truth(flags&session.FlagBlocked != 0))
		monitors += int64(truth(flags&session.FlagMonitor != 0))
		watching += int64(truth(one.Watching.Load() > 0))
		subscribed += int64(truth(one.Channels.Load()+one.ShardChannels.Load() > 0))
		unsent += one.Unsent.Load()
		n := int64(one.Waiting())
		waiting, deepest = waiting+n, max(deepest, n)
	}
	t.gauge("connections", "Clients that are connected.", float64(len(all)))
	t.gauge("connections_max", "How many may be (maxclients).", float64(server.Clients.Load()))
	for kind, n := range map[string]int64{"blocked": blocked, "monitor": monitors, "watching": watching, "subscribed": subscribed} {
		t.gauge("connections_state", "Clients that wait in a blocking command, show all commands, watch live queries, listen to channels.", float64(n), "state", kind)
	}
	t.gauge("connections_unsent_bytes", "Output that clients have not taken.", float64(unsent))
	t.counter("connections_received_total", "Connections that came.", float64(server.Stats.Accepted.Load()))
	t.counter("connections_rejected_total", "Connections that were refused.", float64(server.Stats.Rejected.Load()))
	in, out := server.Traffic()
	t.counter("network_bytes_total", "Bytes of requests and replies.", float64(in), "direction", "in")
	t.counter("network_bytes_total", "Bytes of requests and replies.", float64(out), "direction", "out")
	t.gauge("http_connections", "Connections to the HTTP port.", float64(c.server.open.Load()))
	t.actors("session", len(all), waiting, deepest)
}

// actors tells of a kind of actor.
func (t *teller) actors(kind string, number int, waiting, deepest int64) {
	t.gauge("actors", "Actors, by kind.", float64(number), "kind", kind)
	t.gauge("actor_mailbox_messages", "Messages that wait for actors of a kind.", float64(waiting), "kind", kind)
	t.gauge("actor_mailbox_messages_max", "Messages that wait for the one of them for which most do.", float64(deepest), "kind", kind)
}

// bucketStep is how many classes of running times make a bucket here: each reaches
// to four times the one before.
const bucketStep = 2

func (c *collector) tellCommands(t *teller) {
	server := c.server.system.Server
	for _, row := range server.Catalogue.List() {
		stats := server.Stats.Command(row)
		rejected := stats.Rejected.Load()
		if stats.Calls.Load() == 0 && rejected == 0 {
			continue
		}
		name := row.Lower()
		t.counter("command_rejected_total", "Commands that were not run, by name.", float64(rejected), "command", name)
		t.counter("command_failed_total", "Commands that were answered with an error, by name.", float64(stats.Failed.Load()), "command", name)
		buckets, count := map[float64]uint64{}, uint64(0)
		for class := range stats.Took {
			count += uint64(stats.Took[class].Load())
			if class%bucketStep == bucketStep-1 && class < session.BucketCount-1 {
				buckets[float64(session.BucketBound(class))/1e9] = count
			}
		}
		desc, values := describe("command_duration_seconds", "How long commands have run, by name.", []string{"command", name})
		t.to <- prometheus.MustNewConstHistogram(desc, count, float64(stats.Nanos.Load())/1e9, buckets, values...)
	}
}

func (c *collector) tellWatches(t *teller) {
	watches, hub := c.server.system.Server.Watches, c.server.system.Server.Hub
	totals, queries, watchers := watches.Stats()
	t.gauge("live_queries", "Distinct live queries.", float64(queries))
	t.gauge("live_queries_kept", "Live queries without watchers, kept for those who resume.", float64(watches.Kept()))
	t.gauge("live_query_history_bytes", "Memory of the states that are kept.", float64(watches.History.Used.Load()))
	t.gauge("live_watches", "Watchers of live queries.", float64(watchers))
	t.gauge("live_watches_behind", "Watchers whose clients have not taken the newest state yet.", float64(watches.Behind()))
	t.counter("live_query_evaluations_total", "How often live queries were evaluated.", float64(totals.Evaluations))
	t.counter("live_query_evaluation_seconds_total", "How long evaluations of live queries took.", float64(totals.Nanos)/1e9)
	t.counter("live_query_pushes_total", "Frames that were pushed.", float64(totals.Pushes))
	t.counter("live_query_changes_covered_total", "Changes that the pushed frames stand for.", float64(totals.Covered))
	for kind, sort := range map[string]subscription.Sort{"channel": subscription.Channel, "pattern": subscription.Pattern} {
		t.gauge("pubsub_names", "Channels and patterns that somebody listens to.", float64(hub.Len(sort)), "kind", kind)
	}
	t.gauge("actors", "Actors, by kind.", float64(queries+watches.Kept()), "kind", "subscription")
}
