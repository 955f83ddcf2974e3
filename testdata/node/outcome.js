// What every program here does: it takes the server's port and the milliseconds
// it may take, works, and prints what came of it as one line of JSON. A warning
// of Node's or an error nobody handles ends it with a message.
"use strict";

const Redis = require("ioredis");

const [port, within] = process.argv.slice(2).map(Number);
const host = "127.0.0.1";

function fail(what) {
  process.exitCode = 1;
  console.error(what?.stack ?? what);
  process.exit();
}

// run takes the steps in turn, {name: step}, and prints what each returned.
async function run(steps) {
  let name, outcome = {};
  setTimeout(() => fail(`after ${within} ms still at ${name}`), within).unref();
  process.on("warning", fail);
  process.on("unhandledRejection", fail);
  for (name in steps) outcome[name] = await steps[name]();
  process.stdout.write(JSON.stringify(outcome, finite) + "\n", () => process.exit());
}

// finite keeps apart what JSON would make null.
const finite = (_, v) => (typeof v === "number" && !Number.isFinite(v) ? `${v}` : v);

// connect opens a link by ioredis.
function connect(options) {
  const client = new Redis(port, host, { maxRetriesPerRequest: null, ...options });
  client.on("error", fail);
  return client;
}

// failing is the message with which something is rejected.
const failing = (promise) => promise.then((v) => `no error but ${JSON.stringify(v)}`, (e) => e.message);

// times counts equal texts: {text: count}, in their order.
function times(texts) {
  const count = {};
  for (const text of texts.slice().sort()) count[text] = (count[text] ?? 0) + 1;
  return count;
}

// until waits for something of another's making: it asks until the answer is yes.
async function until(isTrue) {
  while (!(await isTrue())) await new Promise((r) => setTimeout(r, 5));
}

module.exports = { port, host, run, connect, failing, times, until };
