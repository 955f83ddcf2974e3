// What programs do with ioredis: a leaderboard, a work queue, a lock, and
// messages. The first argument is the server's port. Every step asserts; the
// last line says that all were taken.
"use strict";

const assert = require("node:assert");
const Redis = require("ioredis");

const port = Number(process.argv[2]);
const warnings = [];
process.on("warning", (w) => warnings.push(w.message));

function connect(options) {
  const client = new Redis(port, "127.0.0.1", { maxRetriesPerRequest: 0, ...options });
  client.on("error", (e) => { throw e; });
  return client;
}

// Scores change, ranks follow, ties go by name.
async function leaderboard(redis) {
  await redis.zadd("board", 10, "ann", 20, "bob", 30, "cid");
  assert.strictEqual(await redis.zincrby("board", 25, "ann"), "35");
  assert.deepStrictEqual(await redis.zrevrange("board", 0, 1, "WITHSCORES"), ["ann", "35", "cid", "30"]);
  assert.strictEqual(await redis.zrevrank("board", "bob"), 2);
  assert.deepStrictEqual(await redis.zrangebyscore("board", "(20", "+inf"), ["cid", "ann"]);
  assert.deepStrictEqual(await redis.zadd("board", "GT", "CH", 1, "cid", 99, "bob"), 1);
  assert.deepStrictEqual(await redis.zpopmax("board", 2), ["bob", "99", "ann", "35"]);
}

// Workers take jobs with BLMOVE and strike them off when done: each job is
// done once, and none is left.
async function queue(redis) {
  const done = [];
  const jobs = 60, workers = 3;
  const work = async (id) => {
    const own = connect();
    for (;;) {
      const job = await own.blmove("jobs", `doing:${id}`, "RIGHT", "LEFT", 5);
      if (job === "stop") break;
      done.push(job);
      assert.strictEqual(await own.lrem(`doing:${id}`, 1, job), 1);
    }
    await own.quit();
  };
  const all = [...Array(workers).keys()].map(work);
  for (let i = 0; i < jobs; i++) await redis.lpush("jobs", `job ${i}`);
  await redis.lpush("jobs", ...Array(workers).fill("stop"));
  await Promise.all(all);
  assert.deepStrictEqual(new Set(done).size, jobs);
  assert.strictEqual(done.length, jobs);
  assert.strictEqual(await redis.llen("jobs"), 0);
}

// A lock in the manner of Redlock: SET NX PX takes it, and only its owner gives
// it back, under an optimistic lock.
async function lock(redis) {
  let inside = 0, most = 0;
  const enter = async (id) => {
    const own = connect();
    while ((await own.set("lock", id, "PX", 10000, "NX")) !== "OK") await new Promise((r) => setTimeout(r, 2));
    most = Math.max(most, ++inside);
    await own.ping();
    inside--;
    await own.watch("lock");
    assert.strictEqual(await own.get("lock"), id);
    assert.deepStrictEqual(await own.multi().del("lock").exec(), [[null, 1]]);
    await own.quit();
  };
  await Promise.all([...Array(8).keys()].map((i) => enter(`owner ${i}`)));
  assert.strictEqual(most, 1);
  assert.strictEqual(await redis.exists("lock"), 0);
}

// Pipelines, transactions, binary values, scans.
async function others(redis) {
  const replies = await redis.pipeline().set("k", "v").incr("n").hset("h", { a: 1, b: 2 }).sadd("s", 1, 2, 3).exec();
  assert.deepStrictEqual(replies, [[null, "OK"], [null, 1], [null, 2], [null, 3]]);
  assert.deepStrictEqual(await redis.hgetall("h"), { a: "1", b: "2" });
  const bytes = Buffer.from([0, 255, 13, 10, 128]);
  await redis.set("bytes", bytes);
  assert.deepStrictEqual(await redis.getBuffer("bytes"), bytes);
  for (let i = 0; i < 300; i++) await redis.set(`scan:${i}`, i);
  const seen = new Set();
  for await (const keys of redis.scanStream({ match: "scan:*", count: 50 })) keys.forEach((k) => seen.add(k));
  assert.strictEqual(seen.size, 300);
  await assert.rejects(redis.incr("k"), /not an integer/);
}

(async () => {
  const redis = connect();
  await redis.flushall();
  for (const step of [leaderboard, queue, lock, others]) await step(redis);
  await redis.quit();
  assert.deepStrictEqual(warnings, []);
  console.log("all steps taken");
})();
