// A leaderboard: the players' points change, and the list follows.

import { run, runAll, watch } from './server.js';

const key = 'demo:leaderboard';
const names = ['Ada', 'Blaise', 'Chen', 'Dorothy', 'Edsger', 'Fei-Fei', 'Grace', 'Hedy', 'Ivan', 'Joan', 'Katherine', 'Linus', 'Margaret', 'Niklaus'];
const list = document.getElementById('players');
const note = document.getElementById('board-note');
const play = document.getElementById('play');
const lines = new Map();
let end, game;

export function open() {
  if (end) return;
  end = watch(`ZRANGE ${key} 0 9 REV WITHSCORES`, {}, show, e => { note.textContent = e.message; });
}

export function close() {
  if (end) end();
  end = undefined;
  pause();
}

play.onclick = () => {
  if (game) return pause();
  game = setInterval(score, 200);
  play.textContent = 'Pause the game';
};

document.getElementById('reset').onclick = () => {
  pause();
  run('DEL', key).catch(e => { note.textContent = e.message; });
};

function pause() {
  clearInterval(game);
  game = undefined;
  play.textContent = 'Start the game';
}

function score() {
  const points = [1, 2, 3].map(() => ['ZINCRBY', key, String(1 + Math.floor(Math.random() * 9)), names[Math.floor(Math.random() * names.length)]]);
  runAll(points).catch(e => { note.textContent = e.message; pause(); });
}

function show(frame) {
  note.textContent = `version ${frame.version}, stands for ${frame.covered} changes`;
  const rows = (frame.result || []).map(pair => [String(pair[0]), +pair[1]]);
  const most = rows.length ? rows[0][1] : 1;
  list.style.height = rows.length * 34 + 'px';
  const gone = new Set(lines.keys());
  rows.forEach(([name, points], i) => {
    gone.delete(name);
    const line = lines.get(name) || add(name);
    line.style.top = i * 34 + 'px';
    line.querySelector('.rank').textContent = i + 1;
    line.querySelector('.score').textContent = points;
    line.querySelector('.bar').style.width = 100 * points / most + '%';
  });
  for (const name of gone) {
    lines.get(name).remove();
    lines.delete(name);
  }
}

function add(name) {
  const line = document.createElement('li');
  for (const part of ['bar', 'rank', 'name', 'score']) {
    const span = document.createElement('span');
    span.className = part;
    line.append(span);
  }
  line.querySelector('.name').textContent = name;
  list.append(line);
  lines.set(name, line);
  return line;
}
