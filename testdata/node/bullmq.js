// What programs do with BullMQ: jobs that are done at once, later, again, one at
// a time, in the order of their weight, after their children, and every so
// often; and those whose worker has gone.
"use strict";

const { Queue, Worker, QueueEvents, FlowProducer, UnrecoverableError } = require("bullmq");
const { port, host, run } = require("./outcome");

const connection = { host, port };
const open = [];

function queueOf(name, options) {
  const queue = new Queue(name, { connection, ...options });
  open.push(queue);
  return queue;
}

function workerOf(name, process, options) {
  const worker = new Worker(name, process, { connection, drainDelay: 1, ...options });
  worker.on("error", (e) => { throw e; });
  open.push(worker);
  return worker;
}

// ended waits until so many jobs of the worker have come to an end.
function ended(worker, n) {
  const jobs = [];
  return new Promise((resolve) => {
    const another = (how) => (job, result) => {
      jobs.push(`${job.name} ${how}: ${result?.message ?? JSON.stringify(result)}`);
      if (jobs.length === n) resolve(jobs);
    };
    worker.on("completed", another("done"));
    worker.on("failed", (job, e) => { if (job.finishedOn) another("failed")(job, e); });
  });
}

async function closed(outcome) {
  await Promise.all(open.splice(0).map((each) => each.close()));
  return outcome;
}

const counts = (queue) => queue.getJobCounts("active", "completed", "delayed", "failed", "paused", "prioritized", "wait", "waiting-children");

// Many jobs, three at a time; what they say on their way reaches whoever listens.
async function plain() {
  const queue = queueOf("plain"), events = new QueueEvents("plain", { connection, lastEventId: "0-0" });
  open.push(events);
  queue.setMaxListeners(0);
  await events.waitUntilReady();
  const told = [];
  for (const name of ["added", "waiting", "duplicated", "active", "progress", "completed"]) {
    events.on(name, (e) => { if (e.jobId === "job-7") told.push(name); });
  }
  const jobs = await queue.addBulk([...Array(40).keys()].map((n) => ({ name: "square", data: { n }, opts: { jobId: `job-${n}` } })));
  await queue.add("square", { n: 100 }, { jobId: "job-7" }); // there is one
  workerOf("plain", async (job) => {
    await job.updateProgress(50);
    await job.log("squared");
    return job.data.n ** 2;
  }, { concurrency: 3 });
  const results = await Promise.all(jobs.map((job) => job.waitUntilFinished(events)));
  const job = await queue.getJob("job-7");
  return closed([results, told, await counts(queue), await job.getState(), job.progress, (await queue.getJobLogs("job-7")).logs,
    (await queue.getCompleted(0, 2)).length, await queue.getWorkersCount()]);
}

// The later comes later, whatever the order of asking; one is called up before its time.
async function delayed() {
  const queue = queueOf("delayed"), order = [];
  const timestamp = Date.now();
  await queue.add("third", {}, { timestamp, delay: 450 });
  await queue.add("first", {}, { timestamp, delay: 150 });
  await queue.add("second", {}, { timestamp, delay: 300 });
  const far = await queue.add("far", {}, { delay: 3600000, jobId: "far" });
  const before = await counts(queue);
  const worker = workerOf("delayed", async (job) => { order.push([job.name, Date.now() - timestamp >= job.opts.delay]); });
  await ended(worker, 3);
  const last = ended(worker, 1);
  await far.promote();
  await last;
  return closed([before, order, await counts(queue)]);
}

// A job that fails is tried again after a while that grows, as often as it may be.
async function retries() {
  const queue = queueOf("retries"), tries = {};
  await queue.add("twice", { fail: 2 }, { attempts: 3, backoff: { type: "exponential", delay: 40 }, jobId: "twice" });
  await queue.add("always", { fail: 9 }, { attempts: 3, backoff: { type: "fixed", delay: 30 }, jobId: "always" });
  await queue.add("hopeless", { fail: 9, hopeless: true }, { attempts: 5, backoff: 10, jobId: "hopeless" });
  const worker = workerOf("retries", async (job) => {
    (tries[job.name] ??= []).push(Date.now());
    if (job.data.hopeless) throw new UnrecoverableError("no use");
    if (job.attemptsMade < job.data.fail) throw new Error(`failure ${job.attemptsMade}`);
    return "at last";
  });
  const ends = (await ended(worker, 3)).sort();
  const waited = tries.twice[1] - tries.twice[0] >= 39 && tries.twice[2] - tries.twice[1] >= 79;
  const made = Object.entries(tries).map(([name, at]) => [name, at.length]).sort().map(String);
  const after = await counts(queue);
  const reasons = (await queue.getFailed()).map((j) => [j.name, j.failedReason, j.attemptsMade]).sort();
  const again = ended(worker, 1);
  const job = await queue.getJob("always");
  await job.updateData({ fail: 0 });
  await job.retry();
  return closed([ends, made, waited, after, reasons, await again]);
}

// No more than two in any 200 ms, however many hands there are.
async function rateLimit() {
  const queue = queueOf("limited"), at = [];
  await queue.addBulk([...Array(6).keys()].map((n) => ({ name: `${n}`, data: {} })));
  const began = Date.now();
  const worker = workerOf("limited", async () => { at.push(Date.now()); }, { concurrency: 6, limiter: { max: 2, duration: 200 } });
  const ends = await ended(worker, 6);
  return closed([ends.length, at[5] - began >= 390, await counts(queue)]);
}

// The weightier first, the last come first where that is asked for.
async function priorities() {
  const queue = queueOf("weights"), order = [];
  await queue.pause();
  for (const [name, priority] of [["low", 9], ["high", 1], ["middle", 5], ["high too", 1]]) await queue.add(name, {}, { priority });
  await queue.add("plain", {});
  await queue.add("lifo", {}, { lifo: true });
  const before = await counts(queue);
  const worker = workerOf("weights", async (job) => { order.push(job.name); });
  const all = ended(worker, 6);
  await queue.resume();
  await all;
  return closed([before, order, await counts(queue), await queue.isPaused()]);
}

// A parent waits for its children, and theirs, and is given their results.
async function flows() {
  const flow = new FlowProducer({ connection });
  open.push(flow);
  const child = (name, n, children) => ({ name, queueName: "parts", data: { n }, opts: { jobId: name }, children });
  await flow.add({
    name: "whole", queueName: "whole", data: {}, opts: { jobId: "whole" },
    children: [child("a", 1), child("b", 2, [child("b1", 10), child("b2", 20)]), child("c", 4)],
  });
  const whole = queueOf("whole"), waiting = await counts(whole);
  const sum = async (job) => Object.values(await job.getChildrenValues()).reduce((x, y) => x + y, job.data.n ?? 0);
  workerOf("parts", sum, { concurrency: 2 });
  const end = await ended(workerOf("whole", sum), 1);
  const tree = await flow.getFlow({ id: "whole", queueName: "whole" });
  const names = (node) => [node.job.name, (node.children ?? []).map(names).sort().map(String)];
  const job = await whole.getJob("whole");
  return closed([waiting, end, names(tree), Object.entries(await job.getChildrenValues()).map(([k, v]) => `${k}=${v}`).sort(), await counts(whole)]);
}

// A scheduler makes a job every so often, and no more than it may.
async function repeated() {
  const queue = queueOf("repeated");
  const worker = workerOf("repeated", async (job) => job.data.n);
  const three = ended(worker, 3);
  await queue.upsertJobScheduler("each", { every: 100, limit: 3 }, { name: "tick", data: { n: 5 } });
  await queue.upsertJobScheduler("yearly", { pattern: "0 0 1 1 *" }, { name: "new year", data: {} });
  const ends = await three;
  const left = (await queue.getJobSchedulers()).map((s) => s.key);
  return closed([ends, left, await queue.removeJobScheduler("yearly"), await queue.removeJobScheduler("yearly"), await counts(queue)]);
}

// The job of a worker that has gone silent goes to another.
async function stalled() {
  const queue = queueOf("stalled");
  await queue.add("job", {}, { jobId: "job" });
  let taken;
  const lost = new Promise((resolve) => { taken = resolve; });
  const silent = workerOf("stalled", () => { taken(); return new Promise(() => {}); },
    { lockDuration: 150, skipLockRenewal: true, skipStalledCheck: true });
  await lost;
  const worker = workerOf("stalled", async () => "by the other", { stalledInterval: 100 });
  const told = [];
  worker.on("stalled", (id, from) => told.push([id, from]));
  const ends = await ended(worker, 1);
  open.splice(open.indexOf(silent), 1);
  await silent.close(true);
  return closed([ends, told, await counts(queue), (await queue.getJob("job")).stalledCounter]);
}

// One of equals is enough; a job can be taken back, a queue emptied and forgotten.
async function removal() {
  const queue = queueOf("removal");
  const twins = [];
  for (let i = 0; i < 3; i++) twins.push((await queue.add("twin", { i }, { deduplication: { id: "same" } })).id);
  const job = await queue.add("gone", {}, { delay: 100000 });
  await job.changeDelay(200000);
  const change = [job.delay, await job.getState()];
  await job.remove();
  const state = await job.getState();
  await queue.drain(true);
  const drained = await counts(queue);
  const worker = workerOf("removal", async () => { });
  const done = ended(worker, 4);
  await queue.addBulk([..."abcd"].map((name) => ({ name, data: {}, opts: { removeOnComplete: { count: 2 } } })));
  await done;
  const kept = await counts(queue);
  await worker.close();
  const cleaned = (await queue.clean(0, 100, "completed")).length;
  await queue.obliterate();
  return closed([new Set(twins).size, change, state, drained, kept, cleaned, await counts(queue)]);
}

run({ plain, delayed, retries, rateLimit, priorities, flows, repeated, stalled, removal });
