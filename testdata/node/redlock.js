// What programs do with redlock: many want a lock, one at a time has it, and it
// is kept while the work lasts.
"use strict";

const { default: Redlock, ExecutionError, ResourceLockedError } = require("redlock");
const { run, connect, until } = require("./outcome");

const redis = connect();
const patient = new Redlock([redis], { retryCount: -1, retryDelay: 4, retryJitter: 4, automaticExtensionThreshold: 4850 });
const hasty = new Redlock([connect()], { retryCount: 0 });

// locked is why the hasty did not get it.
const locked = (promise) => promise.then(() => "it got it", async (e) => {
  if (!(e instanceof ExecutionError)) throw e;
  if (e.attempts.length === 0) return e.message; // it did not ask
  const [votes] = await Promise.all(e.attempts);
  return [...votes.votesAgainst.values()].map((v) => v instanceof ResourceLockedError);
});

// Eight at once add to a number by reading and writing it: none is lost.
async function contention() {
  let inside = 0, most = 0;
  const add = async () => {
    const lock = await patient.acquire(["lock:number"], 20000);
    most = Math.max(most, ++inside);
    const n = Number(await redis.get("number"));
    await redis.set("number", n + 1);
    inside--;
    return (await lock.release()).attempts.length;
  };
  const attempts = await Promise.all([...Array(8)].map(add));
  return [attempts, most, await redis.get("number"), await redis.exists("lock:number")];
}

// One has several names at once; who wants one of them waits, and is told.
async function owners() {
  const lock = await patient.acquire(["lock:a", "lock:b"], 20000);
  const held = [(await redis.get("lock:a")) === lock.value, await redis.pttl("lock:b") > 15000];
  const refused = await locked(hasty.acquire(["lock:b", "lock:c"], 20000));
  const partly = await redis.exists("lock:c");
  const before = await redis.pttl("lock:a");
  const longer = await lock.extend(60000);
  const extended = await redis.pttl("lock:a") > before;
  await longer.release();
  const again = await locked(hasty.release(longer));
  return [held, refused, partly, extended, again, await redis.exists("lock:a", "lock:b"), await locked(hasty.acquire(["lock:b"], 20000))];
}

// A lock runs out by itself, and its owner is not told a lie.
async function expiry() {
  const lock = await patient.acquire(["lock:short"], 60);
  const next = await patient.acquire(["lock:short"], 20000);
  const late = await locked(hasty.extend(lock, 20000));
  await next.release();
  return [late, await redis.exists("lock:short")];
}

// While the work lasts its lock is prolonged.
async function using() {
  let last = Infinity, prolonged = 0;
  const result = await patient.using(["lock:work"], 5000, async (signal) => {
    const value = await redis.get("lock:work");
    await until(async () => {
      const left = await redis.pttl("lock:work");
      if (left > last) prolonged++;
      last = left;
      return prolonged === 2;
    });
    return [signal.aborted, value === await redis.get("lock:work")];
  });
  await redis.set("worked", "yes");
  return [result, await redis.exists("lock:work")];
}

run({ contention, owners, expiry, using });
