// What programs do with socket.io: two servers of one application, each with
// guests of its own, and what one tells a room reaches those of the other; by
// streams, by messages, and by messages to shards.
"use strict";

const { createServer } = require("node:http");
const { Server } = require("socket.io");
const { io: guest } = require("socket.io-client");
const { createClient } = require("redis");
const { createAdapter, createShardedAdapter } = require("@socket.io/redis-adapter");
const { createAdapter: createStreamsAdapter } = require("@socket.io/redis-streams-adapter");
const { port, host, run, connect, until } = require("./outcome");

const redis = connect();

const node = async () => {
  const client = createClient({ socket: { port, host } });
  client.on("error", (e) => { throw e; });
  return client.connect();
};

// adapters are the ways in which servers talk.
const adapters = {
  streams: async () => createStreamsAdapter(await node(), { streamName: "socket.io", channelPrefix: "streams", maxLen: 1000 }),
  "streams by ioredis": async () => createStreamsAdapter(connect(), { streamName: "socket.io:2", channelPrefix: "streams:2", blockTimeInMs: 100 }),
  messages: async () => createAdapter(await node(), await node(), { key: "messages" }),
  "messages by ioredis": async () => createAdapter(connect(), connect(), { key: "messages:2" }),
  shards: async () => createShardedAdapter(await node(), await node(), { channelPrefix: "shards" }),
};

async function serverWith(adapter) {
  const http = createServer();
  const io = new Server(http, { adapter, connectionStateRecovery: undefined });
  io.on("connection", (socket) => {
    socket.on("join", async (room, done) => { await socket.join(room); done(); });
    socket.on("say", (room, text) => socket.to(room).emit("said", text));
  });
  await new Promise((resolve) => http.listen(0, host, resolve));
  return { io, url: `http://${host}:${http.address().port}` };
}

async function enter(server, name, room) {
  const socket = guest(server.url, { transports: ["websocket"], forceNew: true, reconnection: false });
  const one = { name, socket, heard: [], greeted: new Set() };
  socket.on("said", (text) => one.heard.push(text));
  socket.on("greeting", (from) => one.greeted.add(from));
  socket.on("ask", (question, answer) => answer(`${name} on ${question}`));
  await new Promise((resolve, reject) => { socket.on("connect", resolve); socket.on("connect_error", reject); });
  if (room) await socket.emitWithAck("join", room);
  return one;
}

// together is true once each server counts both.
const together = (...servers) => until(async () =>
  (await Promise.all(servers.map((s) => s.io.of("/").adapter.serverCount()))).every((n) => n === 2));

// listening is true once both servers listen to the room, which has a channel of
// its own where messages go to shards.
const listening = async () => (await redis.pubsub("SHARDNUMSUB", "shards#/#room#"))[1] === 2;

async function converse(adapter) {
  const first = await serverWith(await adapter()), second = await serverWith(await adapter());
  await together(first, second);
  const ann = await enter(first, "ann", "room"), bob = await enter(second, "bob", "room");
  const cid = await enter(second, "cid", "elsewhere"), dan = await enter(first, "dan");
  const all = [ann, bob, cid, dan];
  if (adapter === adapters.shards) await until(listening);
  // A server reads a stream from where it stands when it begins to, and again
  // so until it has got something.
  await until(() => {
    first.io.emit("greeting", "first");
    second.io.emit("greeting", "second");
    return all.every((one) => one.greeted.size === 2);
  });
  const heard = (...counts) => until(() => all.every((one, i) => one.heard.length === counts[i]));

  first.io.to("room").emit("said", "to the room");
  await heard(1, 1, 0, 0);
  ann.socket.emit("say", "room", "by ann");
  await heard(1, 2, 0, 0);
  second.io.except("room").emit("said", "to the others");
  await heard(1, 2, 1, 1);
  first.io.local.emit("said", "to those here");
  await heard(2, 2, 1, 2);
  second.io.emit("said", Buffer.from("to all").toString("base64"));
  await heard(3, 3, 2, 3);
  const sockets = (await first.io.fetchSockets()).length, inRoom = (await second.io.in("room").fetchSockets()).length;
  const answers = (await first.io.timeout(10000).to("room").emitWithAck("ask", "rooms")).sort();
  second.io.in("elsewhere").socketsJoin("room");
  first.io.in(dan.socket.id).socketsJoin("late");
  await until(async () => (await first.io.in("room").fetchSockets()).length === 3 && (await second.io.in("late").fetchSockets()).length === 1);
  first.io.to("room").emit("said", "to three");
  await heard(4, 4, 3, 3);
  first.io.on("question", (n, answer) => answer(n + 1));
  second.io.on("question", (n, answer) => answer(n + 2));
  const asked = await first.io.serverSideEmitWithAck("question", 1);
  second.io.in("room").disconnectSockets(true);
  await until(async () => (await first.io.fetchSockets()).length === 1);
  for (const one of all) one.socket.disconnect();
  for (const server of [first, second]) await server.io.close();
  return [all.map((one) => [one.name, one.heard]), sockets, inRoom, answers, asked];
}

const steps = {};
for (const [name, adapter] of Object.entries(adapters)) steps[name] = () => converse(adapter);
steps.left = async () => [await redis.exists("socket.io", "socket.io:2"), await redis.xlen("socket.io") > 0];
run(steps);
