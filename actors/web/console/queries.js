// Any query, watched: a card each, in which what has changed is marked.

import { run, watch } from './server.js';

const cards = document.getElementById('cards');
const field = document.getElementById('query');
const mode = document.getElementById('mode');

export function open() { field.focus(); }
export function close() {}

document.getElementById('ask').onsubmit = e => {
  e.preventDefault();
  if (field.value.trim()) add(field.value.trim(), new URLSearchParams(mode.value || ''));
};

document.getElementById('run').onclick = async () => {
  const text = field.value.trim();
  if (!text) return;
  const card = make(text);
  try {
    show(card, await run(...words(text)));
    card.about.textContent = 'run once';
  } catch (e) {
    wrong(card, e);
  }
};

function add(query, options) {
  const card = make(query);
  let frames = 0, began = performance.now();
  const end = watch(query, [...options], frame => {
    frames++;
    const seconds = (performance.now() - began) / 1000;
    card.about.textContent = `version ${frame.version}, ${frame.kind}, stands for ${frame.covered} change${frame.covered === 1 ? '' : 's'}; ` +
      `${frames} frame${frames === 1 ? '' : 's'}, ${(frames / Math.max(seconds, 1)).toFixed(1)} a second`;
    show(card, frame.result);
  }, e => wrong(card, e));
  card.end = end;
}

function make(query) {
  const box = document.createElement('div');
  box.className = 'card';
  const head = document.createElement('header'), name = document.createElement('code'), stop = document.createElement('button');
  name.textContent = query;
  stop.textContent = 'End';
  head.append(name, stop);
  const about = document.createElement('div'), result = document.createElement('div');
  about.className = 'about';
  result.className = 'result';
  box.append(head, about, result);
  cards.prepend(box);
  const card = { box, about, result, before: new Map(), end: () => {} };
  stop.onclick = () => { card.end(); box.remove(); };
  return card;
}

function wrong(card, e) {
  card.about.textContent = e.message;
  card.about.className = 'about wrong';
}

// show writes a result line by line; a line that was not there before is marked.
function show(card, result) {
  card.about.className = 'about';
  const lines = linesOf(result);
  const fresh = new Map(lines.map(line => [line[0], line[1]]));
  card.result.replaceChildren(...lines.map(([key, text]) => {
    const line = document.createElement('div');
    line.textContent = text;
    if (card.before.size && card.before.get(key) !== text) line.className = 'fresh';
    return line;
  }));
  card.before = fresh;
}

// linesOf are pairs: what a line is about, and its text.
function linesOf(result) {
  if (result === null) return [['', '(nothing)']];
  if (typeof result !== 'object') return [['', String(result)]];
  if (result.error) return [['', '(error) ' + result.error]];
  if (result.base64) return [['', '(bytes) ' + result.base64]];
  if (!Array.isArray(result)) return Object.entries(result).map(([name, value]) => [name, name + ': ' + flat(value)]);
  if (!result.length) return [['', '(empty)']];
  if (result.every(one => Array.isArray(one) && one.length === 2)) {
    return result.map(([name, value], i) => [flat(name), `${i + 1}) ${flat(name)}: ${flat(value)}`]);
  }
  return result.map((one, i) => [String(i), `${i + 1}) ${flat(one)}`]);
}

const flat = value => typeof value === 'string' ? value : JSON.stringify(value);

// words splits a line as redis-cli does, for simple quotes.
export function words(line) {
  const all = [];
  for (const match of line.matchAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'|(\S+)/g)) {
    all.push(match[1] !== undefined ? match[1].replace(/\\(.)/g, '$1') : match[2] ?? match[3]);
  }
  return all;
}
