import { api, ApiError, act, post } from './api.js';
import { h, notice } from './dom.js';
import { trap } from './trap.js';
import * as catalog from './catalog.js';
import * as checkout from './checkout.js';
import * as account from './account.js';
import * as corner from './corner.js';

const routes = [
  [/^\/$/, catalog.home],
  [/^\/search$/, catalog.search],
  [/^\/category\/(\w+)$/, catalog.category],
  [/^\/product\/(\d+)$/, catalog.product],
  [/^\/offers$/, catalog.offers],
  [/^\/saved$/, catalog.saved],
  [/^\/cart$/, checkout.cart],
  [/^\/checkout\/address$/, checkout.address],
  [/^\/checkout\/delivery$/, checkout.delivery],
  [/^\/checkout\/review$/, checkout.review],
  [/^\/login$/, account.login],
  [/^\/account$/, account.account],
  [/^\/orders$/, account.orders],
  [/^\/orders\/(\d+)$/, account.order],
  [/^\/settings$/, account.settings],
  [/^\/more$/, corner.more],
  [/^\/journal$/, corner.journal],
  [/^\/workshop$/, corner.workshop],
  [/^\/gift$/, corner.gift],
  [/^\/help$/, corner.help],
  [/^\/newsletter$/, corner.newsletter],
];

let latest = 0;

/** Goes to a route without loading a document. */
export function go(path) {
  if (path !== location.pathname + location.search) history.pushState({}, '', path);
  return render();
}

/** Draws the current route; of two drawings under way only the later one is shown. */
export async function render() {
  const turn = (latest += 1);
  const [screen, argument] = match(location.pathname);
  let view;
  try {
    const [shown, me, cart] = await Promise.all([screen({ argument, go, query: new URLSearchParams(location.search) }), api('/me'), api('/cart')]);
    view = { ...shown, me, cart };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    view = { title: 'Not available', me: {}, cart: { items: [] }, body: [h('h1', {}, 'Not available'), h('p', {}, error.message), h('button', { onclick: render }, 'Try again')] };
  }
  if (turn !== latest) return;
  if (view.redirect) {
    history.replaceState({}, '', view.redirect);
    return render();
  }
  document.title = `${view.title} · Lantern & Loom`;
  header(view);
  document.getElementById('main').replaceChildren(...[view.body].flat(2).filter(Boolean));
  notice('');
  scrollTo(0, 0);
  view.drawn?.();
}

function match(path) {
  for (const [pattern, screen] of routes) {
    const found = pattern.exec(path);
    if (found) return [screen, found[1]];
  }
  return [corner.missing];
}

function header({ me, cart, quiet }) {
  const brand = h('a', { class: 'brand', href: '/', id: 'brand' }, 'Lantern & Loom');
  const pieces = cart.items.reduce((sum, item) => sum + item.quantity, 0);
  const here = (path) => ({ href: path, 'aria-current': location.pathname === path && 'page' });
  const parts = quiet
    ? [brand]
    : [
        brand,
        h('form', { role: 'search', class: 'search', onsubmit: find },
          h('input', { id: 'search', type: 'search', name: 'q', 'aria-label': 'Search the shop', placeholder: 'Search the shop' }),
          h('button', { type: 'submit' }, 'Search')),
        h('nav', { 'aria-label': 'Main' },
          h('a', here('/category/desk'), 'Desk'),
          h('a', here('/category/living'), 'Living'),
          h('a', here('/offers'), 'Offers'),
          h('a', here('/saved'), 'Saved'),
          h('a', { ...here('/cart'), 'data-testid': 'cart-link' }, `Cart (${pieces})`),
          h('a', here(me.user ? '/account' : '/login'), me.user ? 'Account' : 'Sign in'),
          h('a', here('/more'), 'More')),
        me.user && trap('sign-out', signOut()),
      ];
  document.getElementById('header').replaceChildren(...parts.filter(Boolean));
}

function find(event) {
  event.preventDefault();
  const words = new FormData(event.target).get('q').trim();
  if (words) go(`/search?q=${encodeURIComponent(words)}`);
}

// An icon and a tooltip, no text: only the title says what it does.
function signOut() {
  const button = h('button', { class: 'icon', title: 'Sign out', onclick: act(async () => { await post('/logout'); await go('/'); }) });
  button.innerHTML = '<svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true"><path d="M10 4H5v16h5M14 8l4 4-4 4M18 12H9" fill="none" stroke="currentColor" stroke-width="2"/></svg>';
  return button;
}

document.addEventListener('click', (event) => {
  const link = event.target.closest('a[href^="/"]');
  if (!link || link.dataset.document !== undefined || event.defaultPrevented || event.button !== 0) return;
  event.preventDefault();
  go(link.getAttribute('href'));
});

addEventListener('popstate', () => {
  // A page that has lost its content comes back whole.
  if (document.getElementById('main')) render();
  else location.reload();
});

function tick() {
  const clock = document.getElementById('clock');
  if (clock) clock.textContent = new Date().toISOString().slice(11, 19);
}

tick();
setInterval(tick, 1000);
render();
