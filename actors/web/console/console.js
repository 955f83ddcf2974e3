import { events, logIn, run } from './server.js';
import * as live from './live.js';
import * as queries from './queries.js';
import * as board from './board.js';

const views = { live, queries, board };
const state = document.getElementById('state');
const login = document.getElementById('login');

function choose(name) {
  for (const tab of document.querySelectorAll('[role=tab]')) {
    const chosen = tab.dataset.view === name;
    tab.setAttribute('aria-selected', chosen);
    document.getElementById(tab.dataset.view).hidden = !chosen;
    if (chosen) views[tab.dataset.view].open();
    else views[tab.dataset.view].close();
  }
  history.replaceState(null, '', '#' + name);
}

for (const tab of document.querySelectorAll('[role=tab]')) tab.onclick = () => choose(tab.dataset.view);

events.addEventListener('refused', () => {
  login.hidden = false;
  state.className = 'bad';
  state.textContent = 'who are you?';
});

login.onsubmit = async e => {
  e.preventDefault();
  logIn(login.user.value, login.password.value);
  try {
    await run('PING');
    login.hidden = true;
    state.textContent = '';
    choose(chosen());
  } catch (e) {
    state.textContent = e.message;
  }
};

const chosen = () => views[location.hash.slice(1)] ? location.hash.slice(1) : 'live';
choose(chosen());
