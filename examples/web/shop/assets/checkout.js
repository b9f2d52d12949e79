import { act, api, post } from './api.js';
import { choice, field, h, money, notice, values } from './dom.js';
import { plant } from './plant.js';
import { trap } from './trap.js';

export async function cart({ go }) {
  const { items, total, note } = await api('/cart');
  if (!items.length) {
    return { title: 'Cart', body: [h('h1', {}, 'Your cart'), h('p', {}, 'There is nothing in it yet.'), h('a', { href: '/', class: 'button' }, 'Look around')] };
  }
  const empty = act(async () => {
    await api('/cart', { method: 'DELETE' });
    await go('/cart');
  });
  const voucher = act(async (event) => {
    event.preventDefault();
    const answer = await post('/voucher', values(event.target));
    notice(answer.message);
  });
  const area = h('textarea', { id: 'delivery-note', rows: 2, oninput: () => {
    plant('delivery-note');
    notice(`${area.value.length} of 200 characters`);
  }, onchange: act(() => post('/cart/note', { note: area.value })), maxlength: 200 }, note);
  return {
    title: 'Cart',
    body: [
      h('h1', {}, 'Your cart'),
      h('ul', { class: 'lines' }, items.map((item) => h('li', {},
        h('span', {}, `${item.quantity} × ${item.name}`),
        h('span', { class: 'price' }, money(item.price * item.quantity))))),
      h('p', { class: 'total' }, `Total ${money(total)}`),
      h('label', { class: 'field' }, h('span', {}, 'Note for the courier'), area),
      h('form', { class: 'row', onsubmit: voucher },
        field('Voucher', { name: 'voucher', required: true }),
        h('button', { type: 'submit' }, 'Apply voucher')),
      h('div', { class: 'row' },
        h('a', { href: '/checkout/address', class: 'button main', 'data-testid': 'checkout' }, 'Checkout'),
        h('button', { onclick: empty }, 'Empty the cart')),
    ],
  };
}

function steps(current) {
  return h('ol', { class: 'steps' }, ['Address', 'Delivery', 'Review'].map((name, index) => h('li', { 'aria-current': index === current && 'step' }, name)));
}

export async function address({ go }) {
  const [{ items }, known] = await Promise.all([api('/cart'), api('/checkout')]);
  if (!items.length) return { redirect: '/cart' };
  const next = act(async (event) => {
    event.preventDefault();
    await post('/checkout/address', values(event.target));
    await go('/checkout/delivery');
  });
  const was = known.address ?? {};
  return {
    title: 'Address',
    quiet: true,
    body: [
      h('h1', {}, 'Where shall it go?'),
      steps(0),
      h('form', { class: 'panel', onsubmit: next },
        field('Full name', { name: 'name', autocomplete: 'name', required: true, value: was.name }),
        field('Email', { name: 'email', type: 'email', autocomplete: 'email', required: true, value: was.email }),
        field('Street and number', { name: 'street', autocomplete: 'street-address', required: true, value: was.street }),
        field('Zip code', { name: 'zip', autocomplete: 'postal-code', inputmode: 'numeric', pattern: '[0-9]{5}', title: 'Five digits', required: true, value: was.zip }, 'Five digits'),
        field('Town', { name: 'town', autocomplete: 'address-level2', required: true, value: was.town }),
        choice('Country', { name: 'country', required: true }, [['', 'Choose…'], ['at', 'Austria'], ['nl', 'Netherlands'], ['pt', 'Portugal']], was.country),
        h('button', { type: 'submit', class: 'main' }, 'Continue to delivery')),
      h('a', { href: '/cart' }, 'Back to cart'),
    ],
  };
}

export async function delivery({ go }) {
  const known = await api('/checkout');
  if (!known.address) return { redirect: '/checkout/address' };
  const next = act(async (event) => {
    event.preventDefault();
    await post('/checkout/delivery', values(event.target));
    await go('/checkout/review');
  });
  const ways = [['bike', 'By bicycle, two days'], ['train', 'By train, four days'], ['pickup', 'I will fetch it']];
  return {
    title: 'Delivery',
    quiet: true,
    body: [
      h('h1', {}, 'How shall it travel?'),
      steps(1),
      h('form', { class: 'panel', onsubmit: next },
        h('fieldset', {}, h('legend', {}, 'Delivery'), ways.map(([value, text]) => h('label', { class: 'check' }, h('input', { type: 'radio', name: 'way', value, required: true }), text))),
        field('Not before', { name: 'date', type: 'date', min: '2020-01-01', max: '2099-12-31', required: true }),
        h('label', { class: 'check' }, h('input', { type: 'checkbox', name: 'agreed', id: 'agree', required: true }), 'Somebody will be at home'),
        h('button', { type: 'submit', class: 'main', id: 'to-review' }, 'Continue to review')),
      h('a', { href: '/checkout/address' }, 'Back to address'),
    ],
  };
}

export async function review() {
  const [known, { items, total }] = await Promise.all([api('/checkout'), api('/cart')]);
  if (!known.delivery) return { redirect: '/checkout/delivery' };
  const message = h('input', { id: 'gift-message', name: 'message', value: known.message });
  const keep = act(async () => {
    plant('gift-message');
    await post('/checkout/message', { message: message.value });
    notice('The card is written.');
  });
  const closed = () => notice('This shop sells nothing, so there is nothing to pay.');
  return {
    title: 'Review',
    quiet: true,
    body: [
      h('h1', {}, 'One last look'),
      steps(2),
      h('ul', { class: 'lines' }, items.map((item) => h('li', {}, h('span', {}, `${item.quantity} × ${item.name}`), h('span', { class: 'price' }, money(item.price * item.quantity))))),
      h('p', { class: 'total' }, `Total ${money(total)}`),
      h('div', { class: 'row' }, h('label', { class: 'field' }, h('span', {}, 'Gift message'), message), h('button', { id: 'save-gift-message', onclick: keep }, 'Write the card')),
      h('div', { class: 'row' },
        trap('pay-now', h('button', { class: 'main', onclick: closed }, 'Pay now')),
        trap('place-order', h('button', { id: 'finish', onclick: closed }, 'Place order'))),
      h('a', { href: '/checkout/delivery' }, 'Back to delivery'),
    ],
  };
}
