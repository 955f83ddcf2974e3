// What programs do with ioredis: a leaderboard, a work queue, a lock, messages,
// a stream, scripts.
"use strict";

const { run, connect, failing, times, until } = require("./outcome");

const redis = connect();

// Scores change, ranks follow, ties go by name.
async function leaderboard() {
  return [
    await redis.zadd("board", 10, "ann", 20, "bob", 30, "cid"), await redis.zincrby("board", 25, "ann"),
    await redis.zrevrange("board", 0, 1, "WITHSCORES"), await redis.zrevrank("board", "bob"),
    await redis.zrangebyscore("board", "(20", "+inf"), await redis.zadd("board", "GT", "CH", 1, "cid", 99, "bob"),
    await redis.zpopmax("board", 2), await redis.zrange("board", 0, -1, "WITHSCORES"),
  ];
}

// Workers take jobs with BLMOVE and strike them off when done: each job is
// done once, and none is left.
async function queue() {
  const done = [], struck = [];
  const jobs = 60, workers = 3;
  const work = async (id) => {
    const own = connect();
    for (;;) {
      const job = await own.blmove("jobs", `doing:${id}`, "RIGHT", "LEFT", 0);
      if (job === "stop") break;
      done.push(job);
      struck.push(`${await own.lrem(`doing:${id}`, 1, job)}`);
    }
    await own.quit();
  };
  const all = [...Array(workers).keys()].map(work);
  for (let i = 0; i < jobs; i++) await redis.lpush("jobs", `job ${i}`);
  await redis.lpush("jobs", ...Array(workers).fill("stop"));
  await Promise.all(all);
  return [new Set(done).size, done.length, times(struck), await redis.llen("jobs")];
}

// A lock in the manner of Redlock: SET NX PX takes it, and only its owner gives
// it back, under an optimistic lock.
async function lock() {
  let inside = 0, most = 0;
  const seen = [];
  const enter = async (id) => {
    const own = connect();
    while ((await own.set("lock", id, "PX", 10000, "NX")) !== "OK") await new Promise((r) => setTimeout(r, 2));
    most = Math.max(most, ++inside);
    await redis.incr("entered");
    inside--;
    await own.watch("lock");
    seen.push(`mine: ${(await own.get("lock")) === id}, ${JSON.stringify(await own.multi().del("lock").exec())}`);
    await own.quit();
  };
  await Promise.all([...Array(8).keys()].map((i) => enter(`owner ${i}`)));
  return [most, times(seen), await redis.exists("lock"), await redis.get("entered")];
}

async function others() {
  const bytes = Buffer.from([0, 255, 13, 10, 128]);
  for (let i = 0; i < 300; i++) await redis.set(`scan:${i}`, i);
  const seen = new Set();
  for await (const keys of redis.scanStream({ match: "scan:*", count: 50 })) keys.forEach((k) => seen.add(k));
  return [
    await redis.pipeline().set("k", "v").incr("n").hset("h", { a: 1, b: 2 }).sadd("s", 1, 2, 3).exec(),
    await redis.hgetall("h"), await redis.set("bytes", bytes), (await redis.getBuffer("bytes")).toString("hex"),
    seen.size, await failing(redis.incr("k")), await redis.multi().incr("k").incr("n").exec().then((r) => r.map(([e, v]) => e?.message ?? v)),
  ];
}

// An event goes to who listens to its channel and to who listens to a pattern.
async function messages() {
  const heard = [], subscriber = connect();
  subscriber.on("message", (channel, message) => heard.push([channel, message]));
  subscriber.on("pmessage", (...words) => heard.push(words));
  const subscribed = [await subscriber.subscribe("news", "more"), await subscriber.psubscribe("n?ws")];
  const receivers = [await redis.publish("news", "1"), await redis.publish("nobody", "2")];
  await until(() => heard.length === 2);
  subscribed.push(await subscriber.unsubscribe("news"), await redis.pubsub("NUMSUB", "news", "more"));
  await subscriber.quit();
  return [subscribed, receivers, heard];
}

// Two consumers of a group share a stream; what one leaves the other claims.
async function stream() {
  for (let i = 1; i <= 6; i++) await redis.xadd("stream", `${i}-1`, "n", i);
  await redis.xgroup("CREATE", "stream", "group", 0);
  const read = (who, n) => redis.xreadgroup("GROUP", "group", who, "COUNT", n, "STREAMS", "stream", ">");
  return [
    await read("one", 4), await redis.xack("stream", "group", "1-1", "2-1"), await read("two", 10),
    await redis.xautoclaim("stream", "group", "two", 0, "0", "COUNT", 1), await redis.xack("stream", "group", "3-1", "5-1"),
    await redis.xpending("stream", "group"), await redis.xtrim("stream", "MINID", "3-1"), await redis.xlen("stream"),
    await redis.xread("BLOCK", 20, "STREAMS", "stream", "$"),
  ];
}

async function scripts() {
  redis.defineCommand("most", { numberOfKeys: 2, lua: "return math.max(redis.call('get', KEYS[1]) or 0, redis.call('get', KEYS[2]) or 0)" });
  redis.defineCommand("broken", { numberOfKeys: 1, lua: "return redis.call('lpush', KEYS[1], 'x')" });
  return [await redis.most("n", "none"), await redis.pipeline().most("n", "entered").exec(), await failing(redis.broken("k"))];
}

run({ leaderboard, queue, lock, others, messages, stream, scripts });
