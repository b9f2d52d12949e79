import { act, api, post } from './api.js';
import { h, field, money, notice, values } from './dom.js';
import { plant } from './plant.js';
import { foreignOrigin, trap, trapForm } from './trap.js';

const categories = { desk: 'Desk', living: 'Living' };

function card(product) {
  return h('li', { class: 'card' },
    h('a', { href: `/product/${product.id}` },
      h('img', { src: `/assets/img/${product.id}.svg`, alt: '', width: 200, height: 150 }),
      h('span', { class: 'name' }, product.name)),
    h('span', { class: 'price' }, money(product.price)));
}

const grid = (products) => h('ul', { class: 'grid' }, products.map(card));

export async function home({ go }) {
  const products = await api('/products');
  // A banner as real shops build it: a plain box that listens for clicks.
  const banner = h('div', { class: 'hero', onclick: () => go('/product/3') },
    h('strong', {}, 'Made slowly, kept long'),
    h('span', {}, 'Meet the notebook everybody borrows'));
  const list = grid(products);
  // An icon that only its tooltip explains.
  const larger = h('button', { class: 'icon', title: 'Larger pictures', onclick: () => list.classList.toggle('large') });
  larger.innerHTML = '<svg viewBox="0 0 24 24" width="20" height="20"><path d="M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z" fill="currentColor"/></svg>';
  return { title: 'Home', body: [banner, h('div', { class: 'heading' }, h('h1', {}, 'All our things'), larger), list] };
}

export async function category({ argument }) {
  const products = await api(`/products?category=${argument}`);
  const name = categories[argument] ?? 'Nothing';
  const summary = h('p', { role: 'status' });
  const compare = () => {
    plant('compare-all');
    const prices = products.map((product) => product.price);
    summary.textContent = `From ${money(Math.min(...prices))} to ${money(Math.max(...prices))}`;
  };
  return {
    title: name,
    body: [h('h1', {}, name), argument === 'desk' && h('button', { onclick: compare }, 'Compare all'), summary, grid(products)],
  };
}

export async function search({ query }) {
  const words = query.get('q') ?? '';
  const found = await api(`/search?q=${encodeURIComponent(words)}`);
  const list = h('div', {}, grid(found));
  const refine = h('input', { id: 'refine', name: 'refine', placeholder: 'Part of a name', onkeydown: (event) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    plant('refine-enter');
    const part = refine.value.trim().toLowerCase();
    list.replaceChildren(grid(found.filter((product) => product.name.toLowerCase().includes(part))));
  } });
  const save = act(async () => {
    await post('/searches', { words });
    notice('Search saved.');
  });
  return {
    title: 'Search',
    body: [
      h('h1', {}, 'Search results'),
      h('p', {}, found.length ? `${found.length} things found` : 'Nothing found. Try “lamp”.'),
      h('div', { class: 'row' }, h('label', { class: 'field' }, h('span', {}, 'Refine results'), refine), h('button', { onclick: save }, 'Save this search')),
      list,
    ],
  };
}

export async function product({ argument }) {
  const [item, reviews] = await Promise.all([
    api(`/products/${argument}`),
    // Reviews are an extra: a page without them is still a page.
    api(`/reviews/${argument}`).catch(() => null),
  ]);
  const picture = h('img', { class: 'picture', src: `/assets/img/${item.id}.svg`, alt: item.name, width: 400, height: 300 });
  const added = h('span');
  const add = act(async (event) => {
    event.preventDefault();
    await post('/cart', { id: item.id, quantity: Number(values(event.target).quantity) });
    const cart = await api('/cart');
    document.querySelector('[data-testid=cart-link]').textContent = `Cart (${cart.items.reduce((sum, line) => sum + line.quantity, 0)})`;
    added.replaceChildren(h('a', { href: '/cart', 'data-testid': 'view-cart' }, 'View cart'));
    notice(`${item.name} is in your cart.`);
  });
  const save = act(async () => {
    await post('/saved', { id: item.id });
    notice(`${item.name} is on your list.`);
  });
  return {
    title: item.name,
    body: h('article', { class: 'product' },
      picture,
      h('div', {},
        h('h1', {}, item.name),
        h('p', { class: 'price' }, money(item.price)),
        h('p', {}, item.blurb),
        h('form', { class: 'row', onsubmit: add },
          field('Quantity', { type: 'number', name: 'quantity', min: 1, max: 9, value: 1, required: true }),
          h('button', { type: 'submit', class: 'main', 'data-testid': 'add-to-cart' }, 'Add to cart'),
          added),
        h('button', { 'data-testid': 'save-for-later', onclick: save }, 'Save for later'),
        features[item.feature]?.(picture),
        h('section', { 'aria-label': 'Reviews' },
          h('h2', {}, 'Reviews'),
          reviews ? reviews.map((review) => h('p', {}, `“${review.text}” (${review.by})`)) : h('p', {}, 'Reviews are not available just now.')))),
  };
}

const features = {
  // The only words on this button are in its picture's alternative text.
  express: () => trap('buy-now', h('button', { class: 'express', onclick: () => notice('Express checkout is closed.') },
    h('img', { src: '/assets/img/1.svg', alt: 'Buy now', width: 48, height: 36 }))),
  model: () => h('button', { 'data-testid': 'view-model', onclick: () => {
    plant('view-model');
    notice('The model turns slowly on its foot.');
  } }, 'View the model'),
  wrap: () => h('button', { 'data-testid': 'gift-wrap', onclick: () => {
    plant('gift-wrap');
    notice('Wrapped in brown paper.');
  } }, 'Add gift wrap'),
  stock: () => h('button', { id: 'check-stock', onclick: act(async () => {
    const stock = await api('/stock/4');
    plant('check-stock');
    notice(`${stock.pieces} pieces in the store.`);
  }) }, 'Check the store'),
  back: (picture) => h('button', { onclick: () => {
    picture.src = plant('back-side') ?? '/assets/img/blanket-back.svg';
    notice('This is the other side.');
  } }, 'Show back side'),
};

export async function offers() {
  const raffle = trapForm('foreign-form', h('form', { method: 'post', action: `${foreignOrigin}/raffle`, class: 'panel' },
    h('h2', {}, 'Partner raffle'),
    field('Nickname', { name: 'nickname', required: true }),
    trap('foreign-form', h('button', { type: 'submit' }, 'Enter raffle'))));
  return {
    title: 'Offers',
    body: [
      h('h1', {}, 'Offers'),
      h('p', {}, 'Two lanterns light a room for less than one lamp.'),
      h('p', {}, h('a', { href: '/category/living', id: 'offer-living' }, 'Everything for living, this week')),
      raffle,
      h('p', {}, 'Printed catalogues: ', trap('foreign-link', h('a', { href: `${foreignOrigin}/catalogue` }, 'our partner’s store'))),
    ],
    drawn: () => plant('offers-visit'),
  };
}

export async function saved({ go }) {
  const list = await api('/saved');
  const clear = act(async () => {
    if (!confirm('Clear the whole list?')) {
      plant('clear-list');
      notice('Your list is as it was.');
      return;
    }
    await api('/saved', { method: 'DELETE' });
    await go('/saved');
  });
  const rename = () => {
    const name = prompt('A name for your list?');
    notice(name ? `Your list is now called ${name}.` : 'The list keeps its name.');
  };
  return {
    title: 'Saved',
    body: [
      h('h1', {}, 'Saved for later'),
      list.length
        ? [grid(list), h('div', { class: 'row' }, h('button', { onclick: clear }, 'Clear list'), h('button', { onclick: rename }, 'Rename list'), h('button', { onclick: () => alert('Your list is private.') }, 'Who can see this?'))]
        : h('p', {}, 'Your list is empty.'),
    ],
  };
}
