// How the page speaks with the server: commands by POST, live queries by
// server-sent events, read by fetch: an EventSource can neither say who asks nor
// hear why it is refused.

let credentials = '';

export const events = new EventTarget(); // "refused" when nobody may ask

export function logIn(user, password) {
  const bytes = new TextEncoder().encode(user + ':' + password);
  credentials = 'Basic ' + btoa(String.fromCharCode(...bytes));
}

async function ask(path, options) {
  const headers = { 'X-Requested-With': 'troupe', ...options.headers };
  if (credentials) headers.Authorization = credentials;
  const answer = await fetch(path, { ...options, headers });
  if (answer.status === 401) events.dispatchEvent(new Event('refused'));
  return answer;
}

async function post(path, body) {
  const answer = await ask(path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
  return answer.json();
}

// run sends one command and gives its reply; an error is thrown.
export async function run(...words) {
  const answer = await post('command', words);
  if (answer.error) throw new Error(answer.error);
  return answer.result;
}

// runAll sends several at once and gives their replies; an error among them stands
// as {error}.
export async function runAll(commands) {
  const answers = await post('command', commands);
  if (answers.error) throw new Error(answers.error);
  return answers.map(answer => answer.error ? answer : answer.result);
}

// watch has show called with each frame of a query, and wrong with what ends it,
// keeps it from beginning or interrupts it: then it goes on by itself where it has
// stopped. What it returns ends it.
export function watch(query, options, show, wrong) {
  const abort = new AbortController();
  let token = '', pause = 500;
  const take = frame => {
    token = frame.token;
    pause = 500;
    if (frame.kind === 'end') throw new Refusal(frame.result.error);
    if (frame.kind !== 'progress') show(frame);
  };
  const once = async () => {
    const wishes = new URLSearchParams(options);
    wishes.set('q', query);
    if (token) wishes.set('resume', token);
    const answer = await ask('watch?' + wishes, { signal: abort.signal });
    if (!answer.ok) throw new Refusal((await answer.json()).error);
    for await (const data of messages(answer.body)) take(JSON.parse(data));
    throw new Error('the link was cut');
  };
  const go = async () => {
    while (!abort.signal.aborted) {
      try {
        await once();
      } catch (e) {
        if (abort.signal.aborted) return;
        wrong(e);
        if (e instanceof Refusal) return;
      }
      await new Promise(done => setTimeout(done, pause));
      pause = Math.min(pause * 2, 10000);
    }
  };
  go();
  return () => abort.abort();
}

// Refusal is an error that trying again does not help.
class Refusal extends Error {}

// messages are the data of server-sent events.
async function* messages(body) {
  let rest = '', data = [];
  for await (const text of body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split('\n');
    rest = lines.pop();
    for (const line of lines) {
      if (line.startsWith('data:')) {
        data.push(line.slice(5).trimStart());
      } else if (line === '' && data.length) {
        yield data.join('\n');
        data = [];
      }
    }
  }
}

// fields takes the text of INFO apart.
export function fields(text) {
  const all = {};
  for (const line of text.split('\r\n')) {
    const at = line.indexOf(':');
    if (at > 0 && line[0] !== '#') all[line.slice(0, at)] = line.slice(at + 1);
  }
  return all;
}

// parts takes apart what INFO says of one command: calls=1,usec=2
export function parts(text) {
  return Object.fromEntries(text.split(',').map(part => part.split('=')));
}

export function sized(bytes) {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  let n = 0;
  for (; bytes >= 1024 && n < units.length - 1; n++) bytes /= 1024;
  return (n ? bytes.toFixed(bytes < 10 ? 2 : 1) : bytes) + ' ' + units[n];
}

export function counted(n) {
  return n >= 1e6 ? (n / 1e6).toFixed(2) + ' M' : n >= 1e4 ? (n / 1e3).toFixed(1) + ' k' : String(Math.round(n * 10) / 10);
}
