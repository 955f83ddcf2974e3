// What programs do with node-redis, in both protocols: collections, pipelines,
// transactions, iterators, messages, streams, scripts, functions, and a cache at
// the client.
"use strict";

const { createClient, createClientPool, defineScript, BasicClientSideCache, RESP_TYPES, WatchError } = require("redis");
const { port, host, run, failing, until } = require("./outcome");

const addTwice = defineScript({
  SCRIPT: "redis.call('incrby', KEYS[1], ARGV[1]) return redis.call('incrby', KEYS[1], ARGV[1])",
  NUMBER_OF_KEYS: 1,
  parseCommand(parser, key, n) {
    parser.pushKey(key);
    parser.push(n.toString());
  },
  transformReply: undefined,
});

const library = {
  name: "counting",
  code: "#!lua name=counting\nredis.register_function{function_name='double', callback=function(keys) " +
    "return redis.call('set', keys[1], 2 * redis.call('get', keys[1]), 'GET') end}",
};
const functions = {
  counting: {
    double: {
      NUMBER_OF_KEYS: 1,
      parseCommand(parser, key) { parser.pushKey(key); },
      transformReply: undefined,
    },
  },
};

async function connect(RESP, options) {
  const client = createClient({ socket: { port, host, reconnectStrategy: false }, RESP, scripts: { addTwice }, functions, ...options });
  client.on("error", (e) => { throw e; });
  return client.connect();
}

async function collections(c, k) {
  await c.hSet(k("h"), { a: 1, b: "two", c: "" });
  await c.zAdd(k("z"), [{ value: "ann", score: 1.5 }, { value: "bob", score: Infinity }, { value: "cid", score: -2 }]);
  await c.sAdd(k("s"), ["x", "y", "z"]);
  await c.rPush(k("l"), ["1", "2", "3", "2"]);
  return [
    await c.hGetAll(k("h")), await c.hmGet(k("h"), ["a", "none"]), await c.hIncrByFloat(k("h"), "a", 0.25),
    await c.zRangeWithScores(k("z"), 0, -1), await c.zScore(k("z"), "bob"), await c.zmScore(k("z"), ["cid", "none"]),
    await c.zIncrBy(k("z"), 10, "cid"), await c.zRank(k("z"), "none"), await c.zPopMax(k("z")),
    (await c.sMembers(k("s"))).sort(), await c.sIsMember(k("s"), "x"), await c.smIsMember(k("s"), ["x", "w"]),
    await c.lPos(k("l"), "2", { RANK: -1 }), await c.lMove(k("l"), k("m"), "LEFT", "RIGHT"), await c.lRange(k("l"), 0, -1),
    await c.set(k("n"), 1, { condition: "NX", expiration: { type: "EX", value: 1000 } }), await c.set(k("n"), 2, { condition: "NX" }),
    await c.ttl(k("n")) > 990, await c.getEx(k("n"), { type: "PERSIST" }), await c.ttl(k("n")), await c.type(k("z")),
    await c.geoAdd(k("geo"), { longitude: 13.361389, latitude: 38.115556, member: "Palermo" }), await c.geoPos(k("geo"), ["Palermo", "none"]),
    await c.setBit(k("bits"), 7, 1), await c.bitCount(k("bits")), await c.pfAdd(k("hll"), ["a", "b"]), await c.pfCount(k("hll")),
    await failing(c.incr(k("h"))), await c.exists(k("none")),
  ];
}

// What is sent in one turn of Node's goes in one packet; a transaction is whole.
async function pipelines(c, k) {
  const many = await Promise.all([...Array(200).keys()].map((i) => c.incrBy(k("sum"), i)));
  const multi = await c.multi().set(k("multi"), "v").get(k("multi")).hGetAll(k("h")).exec();
  const half = await c.multi().incr(k("h")).incr(k("count")).exec().then(() => "no error",
    (e) => e.replies.map((r) => (r instanceof Error ? r.message : r)));
  const other = await connect(2);
  await c.watch(k("multi"));
  await other.set(k("multi"), "changed");
  const broken = await c.multi().set(k("multi"), "never").exec().then(() => "done", (e) => e instanceof WatchError);
  other.destroy();
  const bytes = c.withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer });
  await bytes.set(k("bytes"), Buffer.from([0, 255, 13, 10]));
  return [many.at(-1), multi, half, broken, await c.get(k("multi")), (await bytes.get(k("bytes"))).toString("hex")];
}

async function iterators(c, k) {
  const names = [...Array(700).keys()].map((i) => `${i}`);
  await Promise.all(names.map((n) => c.set(k(`scan:${n}`), n)));
  await c.hSet(k("scanned:h"), Object.fromEntries(names.map((n) => [n, n])));
  await c.sAdd(k("scanned:s"), names);
  await c.zAdd(k("scanned:z"), names.map((n) => ({ score: Number(n), value: n })));
  const each = async (iterator, name) => {
    const seen = new Set();
    for await (const batch of iterator) for (const item of [].concat(batch)) seen.add(name(item));
    return seen.size;
  };
  return [
    await each(c.scanIterator({ MATCH: k("scan:*"), COUNT: 50, TYPE: "string" }), (n) => n),
    await each(c.hScanIterator(k("scanned:h")), (e) => e.field + e.value),
    await each(c.sScanIterator(k("scanned:s")), (n) => n),
    await each(c.zScanIterator(k("scanned:z"), { COUNT: 10 }), (m) => m.value + m.score),
  ];
}

async function messages(c, k, RESP) {
  const heard = [], listen = (message, channel) => heard.push([channel, message]);
  const subscriber = await connect(RESP);
  await subscriber.subscribe([k("news"), k("more")], listen);
  await subscriber.pSubscribe(k("n*"), listen);
  await subscriber.sSubscribe(k("shard"), listen);
  const receivers = [await c.publish(k("news"), "1"), await c.publish(k("nobody"), "2"), await c.sPublish(k("shard"), "3")];
  await until(() => heard.length === 4);
  await subscriber.unsubscribe(k("news"));
  await subscriber.pUnsubscribe(k("n*"));
  receivers.push(await c.publish(k("news"), "unheard"), await c.publish(k("more"), "4"));
  await until(() => heard.length === 5);
  const counts = await c.pubSubNumSub([k("news"), k("more")]);
  subscriber.destroy();
  return [receivers, heard, counts];
}

async function streams(c, k) {
  const key = k("stream");
  for (let i = 1; i <= 5; i++) await c.xAdd(key, `${i}-0`, { n: `${i}`, square: `${i * i}` });
  await c.xGroupCreate(key, "group", "0");
  const first = await c.xReadGroup("group", "one", { key, id: ">" }, { COUNT: 2 });
  const rest = await c.xReadGroup("group", "two", { key, id: ">" });
  const acked = await c.xAck(key, "group", ["1-0", "5-0"]);
  const claimed = await c.xAutoClaim(key, "group", "three", 0, "0", { COUNT: 1 });
  const pending = await c.xPending(key, "group");
  const waiting = await connect(2);
  const blocked = waiting.xRead({ key, id: "$" }, { BLOCK: 0 });
  await until(async () => /blocked_clients:[1-9]/.test(await c.info("clients")));
  const id = await c.xAdd(key, "6-0", { n: "6" }, { TRIM: { strategy: "MAXLEN", strategyModifier: "=", threshold: 3 } });
  const read = await blocked;
  waiting.destroy();
  const info = await c.xInfoStream(key);
  const groups = await c.xInfoGroups(key);
  return [first, rest, acked, claimed, pending, id, read, [info.length, info["last-generated-id"], info["first-entry"]],
    groups, await c.xRevRange(key, "+", "-", { COUNT: 1 }), await c.xLen(key)];
}

async function scripts(c, k) {
  const sums = [await c.addTwice(k("script"), 5), await c.multi().addTwice(k("script"), 1).exec()];
  await c.functionLoad(library.code, { REPLACE: true });
  const doubled = await c.counting.double(k("script"));
  const listed = await c.functionList();
  return [sums, doubled, await c.get(k("script")), listed.map((l) => [l.library_name, l.functions.map((f) => f.name)]),
    await c.eval("return {1, {ARGV[1]}, KEYS[1], false, true}", { keys: [k("a")], arguments: ["x"] }),
    await failing(c.eval("return redis.call('incr', KEYS[1])", { keys: [k("h")] })),
    await failing(c.evalSha("f".repeat(40)))];
}

// Workers of a pool take from a list, each waiting on a link of its own.
async function pool(c, k, RESP) {
  const workers = await createClientPool({ socket: { port, host }, RESP }, { minimum: 1, maximum: 4 }).connect();
  const taken = Promise.all([1, 2, 3, 4].map(() => workers.blPop(k("jobs"), 0)));
  for (let i = 0; i < 4; i++) await c.rPush(k("jobs"), `${i}`);
  const elements = (await taken).map((t) => t.element).sort();
  workers.destroy();
  return elements;
}

// A cache at the client: a value is asked for once until somebody changes it.
async function cache(c, k) {
  const cached = new BasicClientSideCache({ ttl: 0, maxEntries: 100, recordStats: true });
  const reader = await connect(3, { clientSideCache: cached });
  const read = [];
  const look = async () => read.push(await reader.get(k("cached")));
  await c.set(k("cached"), "1");
  await look();
  await look();
  await look();
  for (const change of [() => c.set(k("cached"), "2"), () => c.del(k("cached")), () => c.incrBy(k("cached"), 7), () => reader.incr(k("cached"))]) {
    await change();
    await reader.ping(); // an invalidation comes before the answer
    await look();
    await look();
  }
  const { hitCount, missCount } = cached.stats();
  reader.destroy();
  return [read, hitCount, missCount];
}

const steps = { collections, pipelines, iterators, messages, streams, scripts, pool };
const all = {};
for (const RESP of [2, 3]) {
  const k = (name) => `resp${RESP}:${name}`;
  for (const [name, step] of Object.entries(RESP === 3 ? { ...steps, cache } : steps)) {
    all[`RESP${RESP} ${name}`] = async () => {
      const c = await connect(RESP);
      const outcome = await step(c, k, RESP);
      await c.close();
      return outcome;
    };
  }
}
run(all);
