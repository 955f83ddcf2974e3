// What programs do with rate-limiter-flexible: points that come back, blocks,
// penalties, and a limiter in memory where the server fails.
"use strict";

const { RateLimiterRedis, RateLimiterMemory, BurstyRateLimiter, RLWrapperBlackAndWhite, RateLimiterUnion } = require("rate-limiter-flexible");
const { createClient } = require("redis");
const { port, host, run, connect, times, until } = require("./outcome");

const redis = connect();

// tell is what a limiter says, less the time, of which only bounds are known.
const tell = (r) => (r instanceof Error ? r.message :
  r && [r.consumedPoints, r.remainingPoints, r.isFirstInDuration, r.msBeforeNext === -1 || r.msBeforeNext > 0]);
const told = (promise) => promise.then((r) => ["yes", tell(r)], (r) => ["no", tell(r)]);

async function points() {
  const limiter = new RateLimiterRedis({ storeClient: redis, keyPrefix: "points", points: 3, duration: 1000 });
  const said = [];
  for (let i = 0; i < 5; i++) said.push(await told(limiter.consume("ann")));
  said.push(await told(limiter.consume("bob", 2)), await told(limiter.penalty("bob", 5)), await told(limiter.reward("bob", 6)));
  said.push(tell(await limiter.get("bob")), tell(await limiter.get("nobody")), tell(await limiter.set("cid", 7, 0)), await told(limiter.consume("cid")));
  return [said, await limiter.delete("cid"), await limiter.delete("cid"), await redis.get("points:ann"), await redis.ttl("points:ann") > 990];
}

// Of many at once, by two limiters on two libraries, no more pass than may.
async function together() {
  const other = createClient({ socket: { port, host } });
  await other.connect();
  const options = { keyPrefix: "together", points: 20, duration: 1000 };
  const limiters = [
    new RateLimiterRedis({ storeClient: redis, ...options }),
    new RateLimiterRedis({ storeClient: other, useRedisPackage: true, ...options }),
  ];
  const all = await Promise.all([...Array(60).keys()].map((i) => told(limiters[i % 2].consume("all")).then(([answer]) => answer)));
  other.destroy();
  return [times(all), await redis.get("together:all")];
}

// Who takes too much is blocked, and who asks again then is refused without the server.
async function block() {
  const limiter = new RateLimiterRedis({ storeClient: redis, keyPrefix: "block", points: 1, duration: 1, blockDuration: 1000, inMemoryBlockOnConsumed: 3, inMemoryBlockDuration: 1000 });
  await limiter.set("k", 1, 1000);
  const said = [await told(limiter.consume("k")), await redis.ttl("block:k") > 990, await told(limiter.consume("k"))];
  await redis.del("block:k");
  said.push(await told(limiter.consume("k")));
  limiter.deleteInMemoryBlockedAll();
  said.push(await told(limiter.consume("k")));
  await limiter.block("barred", 500);
  return [said, await told(limiter.consume("barred")), await redis.ttl("block:barred") > 490];
}

// Points, and blocks, end with their time.
async function expiry() {
  const limiter = new RateLimiterRedis({ storeClient: redis, keyPrefix: "short", points: 1, duration: 1 });
  const said = [await told(limiter.consume("k")), await limiter.block("barred", 1).then(tell)];
  await until(async () => !(await redis.exists("short:k", "short:barred")));
  return [said, await told(limiter.consume("k")), await told(limiter.consume("barred"))];
}

// Several limiters as one.
async function compositions() {
  const of = (keyPrefix, points) => new RateLimiterRedis({ storeClient: redis, keyPrefix, points, duration: 1000 });
  const bursty = new BurstyRateLimiter(of("steady", 1), of("burst", 2));
  const lists = new RLWrapperBlackAndWhite({ limiter: of("lists", 1), blackList: ["bad"], whiteList: ["good"] });
  const union = new RateLimiterUnion(of("union1", 3), of("union2", 1));
  const said = [];
  for (let i = 0; i < 4; i++) said.push((await told(bursty.consume("k")))[0]);
  for (const who of ["bad", "good", "good", "other", "other"]) said.push((await told(lists.consume(who)))[0]);
  said.push((await told(union.consume("k")))[0], (await told(union.consume("k")))[0]);
  return [said, await redis.mget("steady:k", "burst:k", "lists:other", "lists:good", "union1:k", "union2:k")];
}

// Where the server answers an error or is not there, memory counts.
async function insurance() {
  const insuranceLimiter = new RateLimiterMemory({ points: 1, duration: 1000 });
  const of = (storeClient) => new RateLimiterRedis({ storeClient, keyPrefix: "insured", points: 5, duration: 1000, insuranceLimiter });
  await redis.rpush("insured:k", "a list");
  const gone = connect({ lazyConnect: true });
  await gone.connect();
  gone.disconnect();
  const said = [];
  for (const limiter of [of(redis), of(gone)]) said.push(await told(limiter.consume("k")), await told(limiter.consume("k")));
  return [said, await redis.lrange("insured:k", 0, -1)];
}

run({ points, together, block, expiry, compositions, insurance });
