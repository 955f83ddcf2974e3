package admin

import (
	"time"

	"github.com/troupedb/troupe/keyspace/journal"
	"github.com/troupedb/troupe/keyspace/persist"
)

// persistence tells how what is kept on disk is, in Redis's fields and then in
// ours.
func (r *report) persistence() {
	if r.system.Store == nil {
		r.persistenceOf(persist.Status{
			Changes: r.shardStats().Changes, SaveTook: -1, RewriteTook: -1,
			Saved: time.UnixMilli(r.system.Server.Millis() - r.system.Server.Uptime().Milliseconds()),
		})
		return
	}
	r.persistenceOf(r.system.Store.Status())
}

func (r *report) persistenceOf(st persist.Status) {
	r.flag("loading", st.Loading != nil)
	r.Add("async_loading", 0)
	r.snapshot(st)
	r.Add("rdb_changes_since_last_save", st.Changes)
	r.flag("rdb_bgsave_in_progress", st.Saving)
	r.Add("rdb_last_save_time", st.Saved.Unix())
	r.Add("rdb_last_bgsave_status", status(st.SaveError))
	r.Add("rdb_last_bgsave_time_sec", seconds(st.SaveTook, true))
	r.Add("rdb_current_bgsave_time_sec", seconds(st.For, st.Saving))
	r.Add("rdb_saves", st.Saves)
	r.Add("rdb_last_cow_size", st.SaveEarly)
	r.Add("rdb_last_load_keys_expired", st.LastLoad.Ended)
	r.Add("rdb_last_load_keys_loaded", st.LastLoad.Keys)
	r.flag("aof_enabled", st.Journal != nil)
	r.flag("aof_rewrite_in_progress", st.Rewriting)
	r.flag("aof_rewrite_scheduled", st.Next)
	r.Add("aof_last_rewrite_time_sec", seconds(st.RewriteTook, true))
	r.Add("aof_current_rewrite_time_sec", seconds(st.For, st.Rewriting))
	r.Add("aof_last_bgrewrite_status", status(st.RewriteError))
	r.Add("aof_rewrites", st.Rewrites)
	r.Add("aof_rewrites_consecutive_failures", st.RewriteFailures)
	r.Add("aof_last_write_status", status(st.Trouble))
	r.Add("aof_last_cow_size", st.RewriteEarly)
	if st.Journal != nil {
		r.journal(st.Journal, st.Policy)
	}
	r.Add("version", st.Version)
	if st.Loading != nil {
		r.loading(st.Loading)
	}
}

// snapshot tells how far the one is that is being written. What redis-server
// copies when it changes, the shards keep: see keyspace/save.go.
func (r *report) snapshot(st persist.Status) {
	r.Add("current_cow_peak", st.Peak)
	r.Add("current_cow_size", st.Early)
	r.Add("current_cow_size_age", 0)
	percent := 0.0
	if st.Total > 0 {
		percent = 100 * float64(st.Walked) / float64(st.Total)
	}
	r.Fixed("current_fork_perc", percent, 2)
	r.Add("current_save_keys_processed", st.Walked)
	r.Add("current_save_keys_total", st.Total)
}

// journal tells how the journal is.
func (r *report) journal(j *journal.Stats, policy journal.Policy) {
	r.Add("aof_current_size", j.BaseSize+j.SinceSnapshot)
	r.Add("aof_base_size", j.BaseSize)
	r.Add("aof_buffer_length", j.Backlog)
	r.flag("aof_pending_bio_fsync", j.Waiting > 0)
	r.Add("aof_delayed_fsync", 0)
	r.Add("journal_fsync_policy", policy)
	r.Add("journal_segments", j.Segments)
	r.Add("journal_bytes", j.JournalBytes)
	r.Add("journal_bytes_written", j.Written)
	r.Add("journal_fsyncs", j.Fsyncs)
	r.Add("journal_last_fsync_usec", j.LastFsync.Microseconds())
	r.Add("journal_longest_fsync_usec", j.LongestFsync.Microseconds())
	r.Add("journal_failures", j.Failures)
	r.Add("epoch", j.Epoch)
	r.Add("durable_version", j.Durable)
}

// loading tells how far loading has come.
func (r *report) loading(p *persist.Progress) {
	r.Add("loading_start_time", p.Began.Unix())
	r.Add("loading_total_bytes", p.Total)
	r.Add("loading_rdb_used_mem", p.Memory)
	r.Add("loading_loaded_bytes", p.Done)
	percent, left := 0.0, int64(1)
	if wait, ok := p.Left(time.Now()); ok {
		percent, left = 100*float64(p.Done)/float64(p.Total), int64(wait.Seconds())
	}
	r.Fixed("loading_loaded_perc", percent, 2)
	r.Add("loading_eta_seconds", left)
}

// flag adds a line with 1 or 0.
func (r *report) flag(name string, is bool) {
	n := 0
	if is {
		n = 1
	}
	r.Add(name, n)
}

func status(err error) string {
	if err != nil {
		return "err"
	}
	return "ok"
}

// seconds is a time in seconds, -1 if there is none.
func seconds(d time.Duration, is bool) int64 {
	if !is || d < 0 {
		return -1
	}
	return int64(d.Seconds())
}
