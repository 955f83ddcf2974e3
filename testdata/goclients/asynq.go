package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hibiken/asynq"
)

// Tasks by asynq: done at once, later, again, once, in the order of their
// queues' weight, every so often, and many as one.
var asynqSteps = []step{
	{"plain", asynqPlain},
	{"priorities", asynqPriorities},
	{"retries", asynqRetries},
	{"unique", asynqUnique},
	{"delayed", asynqDelayed},
	{"periodic", asynqPeriodic},
	{"groups", asynqGroups},
	{"inspector", asynqInspector},
}

// quiet is a log that is not written.
type quiet struct{}

func (quiet) Debug(...any) {}
func (quiet) Info(...any)  {}
func (quiet) Warn(...any)  {}
func (quiet) Error(...any) {}
func (quiet) Fatal(words ...any) {
	panic(fmt.Sprint(words...))
}

// workshop is a server of asynq with what was done there.
type workshop struct {
	client    *asynq.Client
	inspector *asynq.Inspector
	link      asynq.RedisClientOpt
	ctx       context.Context

	mu     sync.Mutex
	done   []string
	server *asynq.Server
}

func openWorkshop(ctx context.Context, addr string) *workshop {
	link := asynq.RedisClientOpt{Addr: addr}
	return &workshop{client: asynq.NewClient(link), inspector: asynq.NewInspector(link), link: link, ctx: ctx}
}

func (w *workshop) enqueue(name string, options ...asynq.Option) (*asynq.TaskInfo, error) {
	return w.client.EnqueueContext(w.ctx, asynq.NewTask(name, []byte("payload of "+name)), options...)
}

// work begins to do tasks; what process returns is the end of a try.
func (w *workshop) work(config asynq.Config, process func(context.Context, *asynq.Task) error) {
	config.Logger, config.TaskCheckInterval, config.DelayedTaskCheckInterval = quiet{}, 5*time.Millisecond, 20*time.Millisecond
	config.ShutdownTimeout = time.Second
	if config.RetryDelayFunc == nil {
		config.RetryDelayFunc = func(int, error, *asynq.Task) time.Duration { return 0 }
	}
	w.server = asynq.NewServer(w.link, config)
	check(w.server.Start(asynq.HandlerFunc(func(ctx context.Context, t *asynq.Task) error {
		err := process(ctx, t)
		w.mu.Lock()
		defer w.mu.Unlock()
		w.done = append(w.done, t.Type())
		return err
	})))
}

// tasks is what was done, in its order.
func (w *workshop) tasks() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.done)
}

// stopAfter ends the work once that many tries were made and nothing is in hand.
func (w *workshop) stopAfter(n int, queues ...string) []string {
	until(func() bool { return len(w.tasks()) >= n })
	for _, q := range queues {
		until(func() bool { return must(w.inspector.GetQueueInfo(q)).Active == 0 })
	}
	w.server.Shutdown()
	return w.tasks()
}

func (w *workshop) close() {
	check(w.client.Close())
	check(w.inspector.Close())
}

// counts is how many tasks of a queue are in which state.
func (w *workshop) counts(queue string) string {
	i := must(w.inspector.GetQueueInfo(queue))
	return fmt.Sprintf("pending %d active %d scheduled %d retry %d archived %d completed %d aggregating %d; processed %d failed %d",
		i.Pending, i.Active, i.Scheduled, i.Retry, i.Archived, i.Completed, i.Aggregating, i.ProcessedTotal, i.FailedTotal)
}

func nothing(context.Context, *asynq.Task) error { return nil }

func asynqPlain(ctx context.Context, addr string) any {
	w := openWorkshop(ctx, addr)
	defer w.close()
	for i := range 40 {
		must(w.enqueue(fmt.Sprintf("task %02d", i), asynq.Queue("plain"), asynq.TaskID(fmt.Sprint("id-", i)), asynq.Retention(time.Hour)))
	}
	before := w.counts("plain")
	w.work(asynq.Config{Concurrency: 4, Queues: map[string]int{"plain": 1}}, func(ctx context.Context, t *asynq.Task) error {
		_, err := t.ResultWriter().Write([]byte("result of " + t.Type()))
		return err
	})
	tasks := w.stopAfter(40, "plain")
	slices.Sort(tasks)
	info := must(w.inspector.GetTaskInfo("plain", "id-7"))
	return []any{before, tasks, w.counts("plain"), info.State.String(), string(info.Payload), string(info.Result)}
}

func asynqPriorities(ctx context.Context, addr string) any {
	w := openWorkshop(ctx, addr)
	defer w.close()
	for i := range 3 {
		for _, queue := range []string{"low", "high", "middle"} {
			must(w.enqueue(fmt.Sprint(queue, " ", i), asynq.Queue(queue)))
		}
	}
	w.work(asynq.Config{Concurrency: 1, Queues: map[string]int{"low": 1, "middle": 2, "high": 3}, StrictPriority: true}, nothing)
	tasks := w.stopAfter(9, "low", "middle", "high")
	queues := must(w.inspector.Queues())
	slices.Sort(queues)
	return []any{tasks, queues}
}

func asynqRetries(ctx context.Context, addr string) any {
	w := openWorkshop(ctx, addr)
	defer w.close()
	must(w.enqueue("twice", asynq.Queue("retries"), asynq.MaxRetry(2), asynq.Retention(time.Hour), asynq.TaskID("twice")))
	must(w.enqueue("always", asynq.Queue("retries"), asynq.MaxRetry(2), asynq.TaskID("always")))
	must(w.enqueue("hopeless", asynq.Queue("retries"), asynq.MaxRetry(9), asynq.TaskID("hopeless")))
	w.work(asynq.Config{Concurrency: 2, Queues: map[string]int{"retries": 1}}, func(ctx context.Context, t *asynq.Task) error {
		retried, _ := asynq.GetRetryCount(ctx)
		switch {
		case t.Type() == "hopeless":
			return fmt.Errorf("no use: %w", asynq.SkipRetry)
		case t.Type() == "always" || retried < 2:
			return fmt.Errorf("failure %d", retried)
		}
		return nil
	})
	tasks := w.stopAfter(7, "retries")
	slices.Sort(tasks)
	said := []any{tasks, w.counts("retries")}
	for _, id := range []string{"twice", "always", "hopeless"} {
		info := must(w.inspector.GetTaskInfo("retries", id))
		said = append(said, fmt.Sprint(id, " ", info.State, " ", info.Retried, " ", info.LastErr))
	}
	return said
}

// One of equals is enough, until it is done or its time is over.
func asynqUnique(ctx context.Context, addr string) any {
	w := openWorkshop(ctx, addr)
	defer w.close()
	unique := []asynq.Option{asynq.Queue("unique"), asynq.Unique(time.Hour)}
	must(w.enqueue("same", unique...))
	_, twin := w.enqueue("same", unique...)
	_, other := w.enqueue("other", unique...)
	must(w.enqueue("named", asynq.Queue("unique"), asynq.TaskID("name")))
	_, namesake := w.enqueue("named", asynq.Queue("unique"), asynq.TaskID("name"))
	w.work(asynq.Config{Concurrency: 1, Queues: map[string]int{"unique": 1}}, nothing)
	tasks := w.stopAfter(3, "unique")
	_, again := w.enqueue("same", unique...)
	return []any{errors.Is(twin, asynq.ErrDuplicateTask), other == nil, errors.Is(namesake, asynq.ErrTaskIDConflict), tasks, again == nil, w.counts("unique")}
}

// asynq keeps time in seconds.
func asynqDelayed(ctx context.Context, addr string) any {
	w := openWorkshop(ctx, addr)
	defer w.close()
	began := time.Now()
	must(w.enqueue("second", asynq.Queue("delayed"), asynq.ProcessIn(2*time.Second)))
	must(w.enqueue("first", asynq.Queue("delayed"), asynq.ProcessIn(time.Second)))
	must(w.enqueue("never", asynq.Queue("delayed"), asynq.ProcessAt(began.Add(time.Hour)), asynq.TaskID("never")))
	before := w.counts("delayed")
	w.work(asynq.Config{Concurrency: 1, Queues: map[string]int{"delayed": 1}}, nothing)
	tasks := w.stopAfter(2, "delayed")
	early := time.Since(began) < time.Second
	check(w.inspector.RunTask("delayed", "never"))
	return []any{before, tasks, early, w.counts("delayed")}
}

// A scheduler enqueues a task every so often.
func asynqPeriodic(ctx context.Context, addr string) any {
	w := openWorkshop(ctx, addr)
	defer w.close()
	scheduler := asynq.NewScheduler(w.link, &asynq.SchedulerOpts{Logger: quiet{}, HeartbeatInterval: 50 * time.Millisecond})
	id := must(scheduler.Register("@every 1s", asynq.NewTask("tick", nil), asynq.Queue("periodic")))
	must(scheduler.Register("0 0 1 1 *", asynq.NewTask("new year", nil), asynq.Queue("periodic")))
	check(scheduler.Start())
	until(func() bool { return len(must(w.inspector.SchedulerEntries())) == 2 })
	var specs []string
	for _, e := range must(w.inspector.SchedulerEntries()) {
		specs = append(specs, e.Spec+" "+e.Task.Type())
	}
	slices.Sort(specs)
	w.work(asynq.Config{Concurrency: 1, Queues: map[string]int{"periodic": 1}}, nothing)
	until(func() bool { return len(w.tasks()) >= 2 })
	events := must(w.inspector.ListSchedulerEnqueueEvents(id))
	scheduler.Shutdown()
	tasks := w.stopAfter(2, "periodic")
	return []any{specs, tasks[:2], len(events) >= 1, len(must(w.inspector.SchedulerEntries()))}
}

// Tasks of a group are done as one.
func asynqGroups(ctx context.Context, addr string) any {
	w := openWorkshop(ctx, addr)
	defer w.close()
	for i := range 6 {
		must(w.enqueue(fmt.Sprint("part ", i), asynq.Queue("groups"), asynq.Group([]string{"even", "odd"}[i%2])))
	}
	groups := []string{}
	for _, g := range must(w.inspector.Groups("groups")) {
		groups = append(groups, fmt.Sprint(g.Group, " ", g.Size))
	}
	slices.Sort(groups)
	before := w.counts("groups")
	w.work(asynq.Config{
		Concurrency: 1, Queues: map[string]int{"groups": 1}, GroupGracePeriod: time.Second, GroupMaxSize: 3,
		GroupAggregator: asynq.GroupAggregatorFunc(func(group string, tasks []*asynq.Task) *asynq.Task {
			var names []string
			for _, t := range tasks {
				names = append(names, t.Type())
			}
			slices.Sort(names)
			return asynq.NewTask(group+": "+strings.Join(names, ", "), nil)
		}),
	}, nothing)
	tasks := w.stopAfter(2, "groups")
	slices.Sort(tasks)
	return []any{groups, before, tasks, w.counts("groups")}
}

// An inspector looks at queues, moves tasks, and stops what is under way.
func asynqInspector(ctx context.Context, addr string) any {
	w := openWorkshop(ctx, addr)
	defer w.close()
	const queue = "inspected"
	for i := range 5 {
		must(w.enqueue(fmt.Sprint("task ", i), asynq.Queue(queue), asynq.TaskID(fmt.Sprint(i)), asynq.MaxRetry(0)))
	}
	must(w.enqueue("later", asynq.Queue(queue), asynq.TaskID("later"), asynq.ProcessIn(time.Hour)))
	i := w.inspector
	var ids []string
	for _, t := range must(i.ListPendingTasks(queue, asynq.PageSize(3), asynq.Page(1))) {
		ids = append(ids, t.ID)
	}
	check(i.ArchiveTask(queue, "1"))
	check(i.DeleteTask(queue, "2"))
	said := []any{ids, w.counts(queue), failing(i.GetTaskInfo(queue, "2"))}
	check(i.RunTask(queue, "1"))
	check(i.UpdateTaskPayload(queue, "later", []byte("changed")))
	check(i.RunTask(queue, "later"))
	check(i.PauseQueue(queue))
	said = append(said, must(i.GetQueueInfo(queue)).Paused)
	began, payload := make(chan struct{}), ""
	w.work(asynq.Config{Concurrency: 1, Queues: map[string]int{queue: 1}}, func(ctx context.Context, t *asynq.Task) error {
		switch t.Type() {
		case "later":
			payload = string(t.Payload())
		case "task 4":
			close(began)
			<-ctx.Done()
			return ctx.Err()
		}
		return nil
	})
	until(func() bool { return len(must(i.Servers())) == 1 })
	check(i.UnpauseQueue(queue))
	<-began
	active := must(i.ListActiveTasks(queue))
	until(func() bool { check(i.CancelProcessing("4")); return len(w.tasks()) >= 3 })
	tasks := w.stopAfter(5, queue)
	said = append(said, len(active), tasks, payload, w.counts(queue), must(i.RunAllArchivedTasks(queue)), must(i.DeleteAllPendingTasks(queue)))
	check(i.DeleteQueue(queue, false))
	return append(said, failing(i.GetQueueInfo(queue)))
}
