import { act, api, post } from './api.js';
import { choice, field, h, money, notice, values } from './dom.js';
import { plant } from './plant.js';
import { trap } from './trap.js';

/** Tabs by the ARIA pattern; each tab is [name, panel content]. */
function tabs(label, list) {
  const panel = h('div', { role: 'tabpanel', class: 'panel', tabindex: 0 });
  const buttons = list.map(([name, content], index) => h('button', { role: 'tab', type: 'button', onclick: () => show(index) }, name));
  function show(chosen) {
    buttons.forEach((button, index) => button.setAttribute('aria-selected', String(index === chosen)));
    panel.setAttribute('aria-label', list[chosen][0]);
    panel.replaceChildren(...list[chosen][1]());
    notice('');
  }
  show(0);
  return h('div', { class: 'tabs' }, h('div', { role: 'tablist', 'aria-label': label }, buttons), panel);
}

export async function login({ go }) {
  const { user } = await api('/me');
  if (user) return { redirect: '/account' };
  const enter = act(async (event) => {
    event.preventDefault();
    await post('/login', values(event.target));
    await go('/account');
  });
  const refuse = (event) => {
    event.preventDefault();
    notice('That email and password do not belong together.');
  };
  const byEmail = () => [h('form', { onsubmit: enter },
    field('Email', { name: 'email', type: 'email', autocomplete: 'email', required: true, id: 'login-email' }),
    h('button', { type: 'submit', class: 'main' }, 'Continue'))];
  const byPassword = () => [h('form', { onsubmit: refuse },
    field('Email for password', { name: 'email', type: 'email', autocomplete: 'username', required: true }),
    field('Password', { name: 'password', type: 'password', autocomplete: 'current-password', required: true }),
    h('button', { type: 'submit' }, 'Enter with password'))];
  return { title: 'Sign in', body: [h('h1', {}, 'Welcome back'), tabs('Ways to sign in', [['Email link', byEmail], ['Password', byPassword]])] };
}

export async function account({ go }) {
  const { user, points } = await api('/me');
  if (!user) return { redirect: '/login' };
  const leave = (path) => act(async () => {
    await post(path);
    await go('/');
  });
  const balance = h('p', {}, `${points} loyalty points`);
  const refresh = act(async () => {
    plant('refresh-points');
    balance.textContent = `${(await post('/points')).points} loyalty points`;
  });
  return {
    title: 'Account',
    body: [
      h('h1', {}, 'Your account'),
      h('p', {}, user),
      h('div', { class: 'row' }, balance, h('button', { id: 'refresh-points', onclick: refresh }, 'Count again')),
      h('ul', { class: 'links' }, h('li', {}, h('a', { href: '/orders' }, 'Orders')), h('li', {}, h('a', { href: '/settings', id: 'account-settings' }, 'Settings'))),
      // A tile as real shops build it: the box listens, the words are further down.
      trap('transfer-credit', h('div', { class: 'tile', onclick: () => notice('There is no credit.') }, h('span', {}, h('b', {}, 'Transfer'), ' your credit'))),
      h('div', { class: 'row danger' },
        trap('log-out', h('button', { onclick: leave('/logout') }, 'Log out')),
        trap('delete-account', h('button', { 'data-testid': 'close-account', onclick: leave('/account/delete') }, 'Delete account'))),
    ],
  };
}

export async function orders() {
  const { user } = await api('/me');
  if (!user) return { redirect: '/login' };
  const list = await api('/orders');
  const row = (order) => h('tr', {}, h('td', {}, h('a', { href: `/orders/${order.id}` }, `Order ${order.id}`)), h('td', {}, order.placed), h('td', { class: 'price' }, money(order.total)));
  return {
    title: 'Orders',
    body: [
      h('h1', {}, 'Your orders'),
      h('table', {}, h('thead', {}, h('tr', {}, ['Order', 'Date', 'Total'].map((name) => h('th', { scope: 'col' }, name)))), h('tbody', {}, list.map(row))),
    ],
  };
}

export async function order({ argument }) {
  const { user } = await api('/me');
  if (!user) return { redirect: '/login' };
  const shown = await api(`/orders/${argument}`);
  const track = () => {
    const request = new XMLHttpRequest();
    request.open('GET', `/api/track/${argument}`);
    request.addEventListener('load', () => notice(request.status === 200 ? JSON.parse(request.responseText).where : 'The parcel service is not available.'));
    request.send();
  };
  return {
    title: 'Order',
    body: [
      h('h1', {}, `Order ${shown.id}`),
      h('p', {}, `${shown.what}, ${money(shown.total)}, placed on ${shown.placed}`),
      h('button', { 'data-testid': 'track-parcel', onclick: track }, 'Track parcel'),
      h('a', { href: '/orders' }, 'All orders'),
    ],
  };
}

export async function settings({ go }) {
  const known = await api('/settings');
  const keep = (name, value) => post('/settings', { [name]: value }).then(() => {
    known[name] = value;
    notice('Kept.');
  });
  const profile = () => [
    h('p', {}, `We call you ${known.nickname}.`),
    h('button', { id: 'edit-profile', onclick: () => edit(known, keep, () => go('/settings')) }, 'Edit name'),
    choice('Language', { name: 'language', onchange: act((event) => keep('language', event.target.value)) }, [['en', 'English'], ['de', 'Deutsch'], ['pt', 'Português']], known.language),
  ];
  const mail = () => [['News', 'news'], ['Parcels', 'parcels']].map(([name, key]) => h('label', { class: 'check' },
    h('input', { type: 'checkbox', role: 'switch', checked: known[key], onchange: act((event) => keep(key, event.target.checked)) }), `${name} by mail`));
  const look = () => {
    const shown = h('p', {}, 'No preview yet.');
    const theme = choice('Shop window', { name: 'theme' }, [['morning', 'Morning'], ['evening', 'Evening']]);
    const preview = () => {
      const worker = new Worker('/assets/preview-worker.js', { type: 'module' });
      shown.textContent = 'Painting…';
      worker.addEventListener('message', (event) => {
        shown.textContent = event.data;
        worker.terminate();
      });
      worker.postMessage(theme.querySelector('select').value);
    };
    const reset = () => {
      if (plant('reset-layout') !== 'blank') notice('Everything is back in its place.');
    };
    return [theme, h('div', { class: 'row' }, h('button', { id: 'render-preview', onclick: preview }, 'Paint a preview'), h('button', { onclick: reset }, 'Reset layout')), shown];
  };
  const privacy = () => [h('p', {}, 'We keep nothing longer than this visit.')];
  return { title: 'Settings', body: [h('h1', {}, 'Settings'), tabs('Settings', [['Profile', profile], ['Mail', mail], ['Privacy', privacy], ['Look', look]])] };
}

// The shop's own dialog.
function edit(known, keep, done) {
  const dialog = h('dialog', { 'aria-labelledby': 'edit-title' },
    h('form', { onsubmit: act(async (event) => {
      event.preventDefault();
      await keep('nickname', values(event.target).nickname);
      dialog.close();
      await done();
    }) },
    h('h2', { id: 'edit-title' }, 'Edit name'),
    field('Nickname', { name: 'nickname', required: true, maxlength: 40, value: known.nickname }),
    h('div', { class: 'row' },
      h('button', { type: 'submit', class: 'main' }, 'Keep name'),
      h('button', { type: 'button', onclick: () => dialog.close() }, 'Never mind'))));
  dialog.addEventListener('close', () => dialog.remove());
  document.getElementById('main').append(dialog);
  dialog.showModal();
}
