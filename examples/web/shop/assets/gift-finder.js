import { choice, h } from './dom.js';
import { plant } from './plant.js';

const style = `
  :host { display: block }
  select, button { font: inherit; padding: .6em 1em; border-radius: .6em; border: 1px solid var(--line); background: var(--card); color: inherit; margin: .3em .3em .3em 0 }
  .field span { display: block }
`;

/** A web component whose shadow root nobody outside can reach. */
export class GiftFinder extends HTMLElement {
  constructor() {
    super();
    const answer = h('p', {}, 'Tell us who it is for.');
    const whom = choice('Who is it for?', {}, [['reader', 'A reader'], ['host', 'A host'], ['child', 'A child']]);
    const gifts = { reader: 'a lamp', host: 'a carafe', child: 'a lantern' };
    const find = () => {
      answer.textContent = `Give ${gifts[whom.querySelector('select').value]}.`;
    };
    const surprise = () => {
      plant('surprise-me');
      answer.textContent = 'Give a blanket.';
    };
    this.attachShadow({ mode: 'closed' }).append(
      h('style', {}, style),
      whom,
      h('button', { type: 'button', onclick: find }, 'Find a gift'),
      h('button', { type: 'button', onclick: surprise }, 'Surprise me'),
      answer,
    );
  }
}
