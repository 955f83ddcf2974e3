// The server seen live: what INFO and its kin tell, once a second.

import { runAll, fields, parts, sized, counted } from './server.js';

const kept = 120; // seconds that are plotted
const series = [
  { name: 'Commands a second', value: (now, before, dt) => (now.total_commands_processed - before.total_commands_processed) / dt, show: counted },
  { name: 'p99 of the busiest command', value: (now, before) => busiest(now, before).p99 || 0, show: us => us < 1000 ? (+us).toFixed(0) + ' µs' : (us / 1000).toFixed(1) + ' ms' },
  { name: 'Memory', value: now => +now.used_memory, show: sized },
  { name: 'Clients', value: now => +now.connected_clients, show: counted },
  { name: 'Watches of live queries', value: now => +now.live_watches, show: counted },
  { name: 'Pushes a second', value: (now, before, dt) => (now.pushes - before.pushes) / dt, show: counted },
  { name: 'Keys', value: now => keys(now), show: counted },
  { name: 'Processor', value: (now, before, dt) => 100 * (cpu(now) - cpu(before)) / dt, show: n => n.toFixed(0) + ' %' },
];

const cpu = now => +now.used_cpu_user + +now.used_cpu_sys;

function keys(now) {
  let sum = 0;
  for (const name in now) if (/^db\d+$/.test(name)) sum += +parts(now[name]).keys;
  return sum;
}

// busiest is the latency of the command that clients send most.
function busiest(now, before) {
  let most = 0, latency = {};
  for (const name in now) {
    if (!name.startsWith('cmdstat_')) continue;
    const more = parts(now[name]).calls - (before[name] ? parts(before[name]).calls : 0);
    const known = now['latency_percentiles_usec_' + name.slice('cmdstat_'.length)];
    if (more > most && known) [most, latency] = [more, parts(known)];
  }
  return latency;
}

let timer, before, asking = false;
const charts = series.map(one => {
  const box = document.createElement('div');
  box.className = 'chart';
  const value = document.createElement('b'), canvas = document.createElement('canvas');
  canvas.setAttribute('role', 'img');
  canvas.setAttribute('aria-label', one.name);
  box.append(value, one.name, canvas);
  document.getElementById('charts').append(box);
  return { ...one, points: [], out: value, canvas };
});

export function open() {
  if (timer) return;
  look();
  timer = setInterval(look, 1000);
}

export function close() {
  clearInterval(timer);
  timer = undefined;
}

async function look() {
  if (asking) return;
  asking = true;
  const state = document.getElementById('state');
  try {
    const [info, actors, stats, list, slow] = await runAll([
      ['INFO', 'everything'], ['ACTORS'], ['WATCHES', 'STATS'], ['WATCHES', 'LIST', 'COUNT', '10'], ['SLOWLOG', 'GET', '10']]);
    if (info.error) throw new Error(info.error);
    const now = { ...fields(info), pushes: stats.pushes || 0, at: performance.now() };
    show(now);
    showActors(actors);
    fill('watches', Array.isArray(list) ? list.map(w => [w.query, w.watches, w.evaluations, w.pushes, w.covered]) : []);
    fill('slow', Array.isArray(slow) ? slow.map(s => [new Date(s[1] * 1000).toLocaleTimeString(), s[2] / 1000 + ' ms', s[3].join(' ')]) : []);
    before = now;
    state.className = state.textContent = '';
  } catch (e) {
    state.className = 'bad';
    state.textContent = e.message;
  }
  asking = false;
}

function show(now) {
  document.getElementById('server').textContent =
    `version ${now.troupe_version || now.redis_version}, up ${since(+now.uptime_in_seconds)}, ${now.role || ''}`;
  if (!before) return;
  const dt = (now.at - before.at) / 1000;
  for (const chart of charts) {
    const value = +chart.value(now, before, dt);
    chart.points.push(value);
    if (chart.points.length > kept) chart.points.shift();
    chart.out.textContent = chart.show(value);
    plot(chart.canvas, chart.points);
  }
  const rows = [];
  for (const name in now) {
    if (!name.startsWith('cmdstat_')) continue;
    const command = name.slice('cmdstat_'.length), calls = +parts(now[name]).calls;
    const was = before[name] ? +parts(before[name]).calls : 0;
    const latency = now['latency_percentiles_usec_' + command] ? parts(now['latency_percentiles_usec_' + command]) : {};
    rows.push([command, (calls - was) / dt, calls, latency.p50, latency.p99]);
  }
  rows.sort((x, y) => y[1] - x[1] || y[2] - x[2]);
  fill('commands', rows.slice(0, 12).map(r => [r[0], counted(r[1]), counted(r[2]), micros(r[3]), micros(r[4])]));
}

const micros = text => text ? (+text).toFixed(0) + ' µs' : '';

function since(seconds) {
  const d = Math.floor(seconds / 86400), h = Math.floor(seconds / 3600) % 24, m = Math.floor(seconds / 60) % 60;
  return d ? `${d} d ${h} h` : h ? `${h} h ${m} min` : m ? `${m} min` : `${seconds} s`;
}

// showActors counts actors by their kind; shards have a line each.
function showActors(reply) {
  const note = document.getElementById('actors-note');
  note.textContent = reply && reply.error ? reply.error : '';
  const kinds = new Map();
  for (const [path, waiting] of Object.entries(reply && !reply.error ? reply : {})) {
    const kind = path.startsWith('shard/') ? path : path.split('/')[0] + 's';
    const sum = kinds.get(kind) || [0, 0];
    kinds.set(kind, [sum[0] + 1, sum[1] + Math.max(0, waiting)]);
  }
  fill('actors', [...kinds].map(([kind, [n, waiting]]) => [kind, n, waiting]));
}

function fill(table, rows) {
  const body = document.querySelector('#' + table + ' tbody');
  body.replaceChildren(...rows.map(row => {
    const line = document.createElement('tr');
    line.append(...row.map(text => {
      const cell = document.createElement('td');
      cell.textContent = text ?? '';
      return cell;
    }));
    return line;
  }));
}

function plot(canvas, points) {
  const scale = window.devicePixelRatio || 1;
  const width = canvas.clientWidth, height = canvas.clientHeight;
  if (!width) return;
  if (canvas.width !== Math.round(width * scale)) {
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
  }
  const pen = canvas.getContext('2d');
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.clearRect(0, 0, width, height);
  const top = Math.max(...points, 1e-9) * 1.1;
  const x = i => width * (kept - points.length + i) / (kept - 1), y = v => height - 2 - (height - 4) * v / top;
  pen.beginPath();
  points.forEach((v, i) => i ? pen.lineTo(x(i), y(v)) : pen.moveTo(x(i), y(v)));
  pen.strokeStyle = getComputedStyle(canvas).getPropertyValue('--main');
  pen.lineWidth = 1.6;
  pen.stroke();
  pen.lineTo(x(points.length - 1), height);
  pen.lineTo(x(0), height);
  pen.globalAlpha = .12;
  pen.fillStyle = pen.strokeStyle;
  pen.fill();
  pen.globalAlpha = 1;
}
