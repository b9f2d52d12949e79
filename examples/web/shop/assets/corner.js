import { act, api, post } from './api.js';
import { choice, field, h, notice, values } from './dom.js';
import { GiftFinder } from './gift-finder.js';
import { plant } from './plant.js';
import { trap } from './trap.js';

customElements.define('gift-finder', GiftFinder);

export async function more() {
  const inside = [['/journal', 'Journal'], ['/workshop', 'Workshop'], ['/gift', 'Gift finder'], ['/newsletter', 'Newsletter'], ['/help', 'Help'], ['/settings', 'Settings']];
  const documents = [['/documents/about.html', 'About us'], ['/documents/terms.html', 'Terms'], ['/documents/annual.html', 'Annual report']];
  return {
    title: 'More',
    body: [
      h('h1', {}, 'More'),
      h('ul', { class: 'links' },
        inside.map(([href, name]) => h('li', {}, h('a', { href }, name))),
        documents.map(([href, name]) => h('li', {}, h('a', { href, 'data-document': true }, name)))),
    ],
  };
}

/** An endless list: the next rows come when its end scrolls into view, or by button. */
export async function journal() {
  const rows = h('ol', { class: 'journal' });
  const end = h('div', { class: 'row' });
  let next = 0;
  let busy = false;
  const extend = act(async () => {
    if (busy || next === null) return;
    busy = true;
    try {
      const page = await api(`/journal?page=${next}`);
      rows.append(...page.rows.map(row));
      next = page.next;
      end.replaceChildren(next === null ? h('p', {}, 'That was everything.') : h('button', { onclick: extend }, next === 1 ? 'Older entries' : 'Oldest entries'));
    } finally {
      busy = false;
    }
  });
  const row = (entry) => h('li', {},
    h('h2', {}, `Entry ${entry.number}`),
    h('p', {}, 'The workshop was warm, the thread was even, the kettle was on.'),
    entry.letter && h('button', { onclick: () => {
      if (entry.number > 20) plant('attic-letter');
      notice('“Dear friend, the loom is mended.”');
    } }, entry.letter));
  await extend();
  const observer = new IntersectionObserver((seen) => {
    if (seen.some((entry) => entry.isIntersecting)) extend();
  });
  return { title: 'Journal', body: [h('h1', {}, 'Journal'), rows, end], drawn: () => observer.observe(end) };
}

export async function workshop() {
  return {
    title: 'Workshop',
    body: [h('h1', {}, 'Workshop'), h('p', {}, 'Weave a small thing with us.'), h('iframe', { src: '/frame/planner.html', title: 'Workshop planner', height: 260 })],
  };
}

export async function gift() {
  return { title: 'Gift finder', body: [h('h1', {}, 'Gift finder'), document.createElement('gift-finder')] };
}

export async function help() {
  const question = (ask, answer) => h('details', {}, h('summary', {}, ask), h('p', {}, answer));
  const chat = act(async () => {
    const answer = await post('/chat');
    notice(answer.reply);
  });
  return {
    title: 'Help',
    body: [
      h('h1', {}, 'Help'),
      question('How long does a parcel take?', 'As long as the bicycle does.'),
      question('Can I return a lamp?', 'If it still shines.'),
      h('div', { class: 'row' },
        h('span', {}, 'Did this help?'),
        h('button', { id: 'helpful-yes', onclick: () => {
          plant('helpful-vote');
          notice('Thank you.');
        } }, 'Yes'),
        h('button', { id: 'helpful-no', onclick: () => notice('We will write it again.') }, 'No')),
      h('div', { class: 'row' },
        h('button', { onclick: chat }, 'Start chat'),
        trap('mailto', h('a', { href: 'mailto:desk@example.com' }, 'Write to us')),
        trap('tel', h('a', { href: 'tel:+15550100' }, 'Ring the workshop'))),
    ],
  };
}

export async function newsletter() {
  const subscribe = act(async (event) => {
    event.preventDefault();
    await post('/newsletter', values(event.target));
    event.target.replaceWith(h('p', {}, 'Look into your letter box.'));
    plant('subscribe');
  });
  return {
    title: 'Newsletter',
    body: [
      h('h1', {}, 'Newsletter'),
      h('form', { class: 'panel', onsubmit: subscribe },
        field('First name', { name: 'first', autocomplete: 'given-name', required: true }),
        field('Email', { name: 'email', type: 'email', autocomplete: 'email', required: true }),
        field('Birthday', { name: 'birthday', type: 'date', max: '2099-12-31', required: true }),
        choice('Topic', { name: 'topic', required: true }, [['', 'Choose…'], ['light', 'Light'], ['cloth', 'Cloth']]),
        h('label', { class: 'check' }, h('input', { type: 'checkbox', name: 'agreed', required: true }), 'One letter a month is fine'),
        h('button', { type: 'submit', class: 'main' }, 'Subscribe')),
    ],
  };
}

export async function missing() {
  return { title: 'Not here', body: [h('h1', {}, 'Nothing on this shelf'), h('a', { href: '/', class: 'button' }, 'Look around')] };
}
