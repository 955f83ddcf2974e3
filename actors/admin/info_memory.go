package admin

import "runtime"

func (r *report) memoryUse() {
	m, process := r.measure(), r.process.read()
	used := m.allocated()
	limit := r.settings.Int("maxmemory")
	r.Bytes("used_memory", used)
	r.Bytes("used_memory_rss", process.resident)
	r.Bytes("used_memory_peak", m.peak)
	r.percent("used_memory_peak_perc", ratio(used, m.peak))
	r.Add("used_memory_overhead", m.overhead())
	r.Add("used_memory_startup", m.startup)
	r.Add("used_memory_dataset", m.dataset())
	r.percent("used_memory_dataset_perc", ratio(m.dataset(), used-m.startup))
	r.Add("allocator_allocated", m.used()+m.slabUsed+m.tables)
	r.Add("allocator_active", m.active())
	r.Add("allocator_resident", m.resident())
	r.Bytes("total_system_memory", systemMemory())
	r.Bytes("maxmemory", limit)
	r.Add("maxmemory_policy", r.settings.Text("maxmemory-policy"))
	r.Fixed("allocator_frag_ratio", ratio(m.active(), m.used()+m.slabUsed+m.tables), 2)
	r.Add("allocator_frag_bytes", m.active()-m.used()-m.slabUsed-m.tables)
	r.Fixed("allocator_rss_ratio", ratio(m.resident(), m.active()), 2)
	r.Add("allocator_rss_bytes", m.resident()-m.active())
	r.Fixed("rss_overhead_ratio", ratio(process.resident, m.resident()), 2)
	r.Add("rss_overhead_bytes", process.resident-m.resident())
	r.Fixed("mem_fragmentation_ratio", ratio(process.resident, used), 2)
	r.Add("mem_fragmentation_bytes", process.resident-used)
	r.Add("mem_not_counted_for_evict", r.system.Node.Loose())
	r.Add("mem_replication_backlog", 0)
	r.Add("mem_total_replication_buffers", 0)
	r.Add("mem_clients_slaves", 0)
	r.Add("mem_clients_normal", m.clients)
	r.Add("mem_cluster_links", 0)
	r.Add("mem_aof_buffer", 0)
	r.Add("mem_allocator", "slabs+"+runtime.Version())
	r.Add("active_defrag_running", r.compactionShare())
	r.Add("lazyfree_pending_objects", m.pending)
	r.Add("lazyfreed_objects", r.shardStats().Freed)
	r.Add("mem_go_heap", m.objects)
	r.Add("mem_go_limit", r.system.Memory().GoLimit)
	r.Add("mem_go_stacks", m.stacks)
	r.Add("mem_buffers", m.buffers)
	r.Add("mem_slabs_used", m.slabUsed)
	r.Add("mem_slabs_resident", m.slabResident)
	r.Add("mem_slabs_gaps", m.gaps)
	r.Add("mem_slabs_spare", m.spare)
	r.Add("mem_tables", m.tables)
}

func (r *report) percent(name string, share float64) {
	r.Fixed(name, 100*share, 2)
	r.text = append(r.text[:len(r.text)-2], "%\r\n"...)
}

func (r *report) processor() {
	process := r.process.read()
	r.Fixed("used_cpu_sys", process.system, 6)
	r.Fixed("used_cpu_user", process.user, 6)
	r.Fixed("used_cpu_sys_children", 0, 6)
	r.Fixed("used_cpu_user_children", 0, 6)
}
