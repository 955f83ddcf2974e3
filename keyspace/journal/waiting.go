package journal

// waiting is those who want to be told, under the log's lock.
type waiting struct {
	durable []waiter
	room    []func()
	sync    bool // one of them asks for a sync whatever the policy
}

type waiter struct {
	version uint64
	sync    bool // whatever the policy
	f       func()
}

// WhenDurable has f called once all records up to version are on disk: at once, by the caller, or later, by
// the log's goroutine, which f must not keep. It does not hasten the sync that the policy has; under No
// that may be long. After Close f may never be called.
func (l *Log) WhenDurable(version uint64, f func()) { l.whenDurable(version, f, false) }

// WaitSync is WhenDurable for who needs an answer under every policy: under No it makes the log sync.
func (l *Log) WaitSync(version uint64, f func()) { l.whenDurable(version, f, true) }

func (l *Log) whenDurable(version uint64, f func(), sync bool) {
	l.mu.Lock()
	if version <= l.durable.Load() {
		l.mu.Unlock()
		f()
		return
	}
	sync = sync && l.Policy() == No
	l.waiting.durable = append(l.waiting.durable, waiter{version, sync, f})
	asks := sync && !l.waiting.sync
	l.waiting.sync = l.waiting.sync || asks
	l.mu.Unlock()
	if asks {
		l.call()
	}
}

// WhenRoom has f called once Full is false or the disk is in trouble, which ends the hope for room: at
// once, by the caller, or later, by the log's goroutine, which f must not keep. Ask Err first, then Full.
func (l *Log) WhenRoom(f func()) {
	l.mu.Lock()
	if !l.full.Load() || l.trouble.Load() != nil || l.closed {
		l.mu.Unlock()
		f()
		return
	}
	l.waiting.room = append(l.waiting.room, f)
	l.mu.Unlock()
}

// free lets go of what is written, and calls those who waited for room if there is enough.
func (l *Log) free() {
	l.mu.Lock()
	l.backlog.free(int(l.most.Load() / chunkBytes))
	var ready []func()
	if l.backlog.bytes <= l.most.Load()/2 {
		l.full.Store(false)
		ready, l.waiting.room = l.waiting.room, nil
	}
	l.mu.Unlock()
	for _, f := range ready {
		f()
	}
}

// publish tells up to which version all is on disk. Who asked for a sync of what came meanwhile still does.
func (l *Log) publish(version uint64) {
	l.mu.Lock()
	l.durable.Store(max(version, l.durable.Load()))
	var ready []waiter
	still := l.waiting.durable[:0]
	l.waiting.sync = false
	for _, w := range l.waiting.durable {
		if w.version <= version {
			ready = append(ready, w)
		} else {
			still = append(still, w)
			l.waiting.sync = l.waiting.sync || w.sync
		}
	}
	clear(l.waiting.durable[len(still):])
	l.waiting.durable = still
	l.mu.Unlock()
	for _, w := range ready {
		w.f()
	}
}

// fail and heal tell of the disk's trouble.
func (l *Log) fail(err error) {
	before := l.Err()
	l.mu.Lock()
	l.trouble.Store(&err)
	l.stats.Failures++
	l.stats.LastError = err
	ready := l.waiting.room
	l.waiting.room = nil
	l.mu.Unlock()
	if before == nil || before.Error() != err.Error() {
		l.config.Report(err)
	}
	for _, f := range ready {
		f()
	}
}

func (l *Log) heal() {
	if l.trouble.Swap(nil) != nil {
		l.config.Report(nil)
	}
}
