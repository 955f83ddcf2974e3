// What programs do with connect-redis: a site whose visitors are known again by
// express-session, until they leave or their time is over.
"use strict";

const express = require("express");
const session = require("express-session");
const { RedisStore } = require("connect-redis");
const { createClient } = require("redis");
const { port, host, run, until } = require("./outcome");

const client = createClient({ socket: { port, host } });
client.on("error", (e) => { throw e; });

// site listens and returns its address and its store.
async function site(options, cookie) {
  const store = new RedisStore({ client, prefix: "session:", ...options });
  const app = express();
  app.use(session({ store, secret: "it", resave: false, saveUninitialized: false, genid: (req) => req.headers.id, cookie }));
  app.get("/visit", (req, res) => {
    req.session.visits = (req.session.visits ?? 0) + 1;
    res.json([req.session.visits, req.session.name ?? null]);
  });
  app.get("/look", (req, res) => res.json([req.session.visits ?? null, req.session.name ?? null]));
  app.get("/name/:name", (req, res) => {
    req.session.name = req.params.name;
    res.json("named");
  });
  app.get("/new", (req, res) => req.session.regenerate(() => res.json(req.session.visits ?? null)));
  app.get("/leave", (req, res) => req.session.destroy(() => res.json("left")));
  const listener = await new Promise((resolve) => { const l = app.listen(0, host, () => resolve(l)); });
  return { store, base: `http://${host}:${listener.address().port}` };
}

// visitor asks as one browser does, and keeps its cookie.
function visitor(base, id) {
  let cookie = "";
  return async (path) => {
    const response = await fetch(base + path, { headers: { id, cookie, connection: "close" } });
    const [given] = response.headers.getSetCookie();
    if (given) cookie = given.split(";")[0];
    return response.json();
  };
}

const length = (store) => new Promise((resolve, reject) => store.length((e, n) => (e ? reject(e) : resolve(n))));

async function visits() {
  await client.connect();
  const { store, base } = await site({ ttl: 1000 });
  const ann = visitor(base, "ann"), bob = visitor(base, "bob");
  const said = [];
  for (const [who, path] of [[ann, "/visit"], [ann, "/visit"], [bob, "/look"], [ann, "/name/Ann"], [bob, "/visit"], [ann, "/visit"]]) said.push(await who(path));
  const kept = JSON.parse(await client.get("session:ann"));
  return [said, kept, await client.exists("session:bob"), await length(store), (await store.ids()).sort(), (await store.all()).map((s) => s.id).sort()];
}

// A look prolongs a session; one that keeps its time does not.
async function touch() {
  const { base } = await site({ ttl: 1000 }), fixed = await site({ ttl: 1000, prefix: "fixed:", disableTouch: true });
  const cid = visitor(base, "cid"), dan = visitor(fixed.base, "dan");
  await cid("/visit");
  await dan("/visit");
  const left = [await client.ttl("session:cid") > 990, await client.ttl("fixed:dan") > 990];
  await client.expire("session:cid", 50);
  await client.expire("fixed:dan", 50);
  await cid("/look");
  await dan("/look");
  return [left, await client.ttl("session:cid") > 990, await client.ttl("fixed:dan") <= 50];
}

async function leaving() {
  const { store, base } = await site({ ttl: 1000 });
  const eve = visitor(base, "eve");
  const said = [await eve("/visit"), await eve("/leave"), await client.exists("session:eve"), await eve("/visit")];
  said.push(await eve("/new"));
  await store.destroy("bob");
  return [said, await client.exists("session:bob"), (await store.ids()).sort()];
}

// The server forgets a session when its cookie has run out.
async function expiry() {
  const { base } = await site({ prefix: "short:" }, { maxAge: 1000 });
  const fay = visitor(base, "fay");
  const said = [await fay("/visit")], ttl = await client.pTTL("short:fay");
  await until(async () => !(await client.exists("short:fay")));
  said.push(await fay("/look"));
  return [said, ttl <= 1000];
}

async function clearing() {
  const { store } = await site({ prefix: "many:" });
  for (let i = 0; i < 250; i++) await store.set(`s${i}`, { cookie: {}, i });
  const before = await length(store);
  await store.clear();
  return [before, await length(store), await client.exists("session:ann")];
}

run({ visits, touch, leaving, expiry, clearing });
