/** Creates an element: attributes, `on<event>` listeners, children (strings, nodes, arrays, nothing). */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === false || value == null) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, '');
    else element.setAttribute(name, value);
  }
  element.append(...children.flat(3).filter((child) => child != null && child !== false));
  return element;
}

/** A labelled form field. */
export function field(label, attributes, hint) {
  const control = h('input', attributes);
  return h('label', { class: 'field' }, h('span', {}, label), control, hint && h('small', {}, hint));
}

/** A labelled select; each option is [value, text]. */
export function choice(label, attributes, options, chosen) {
  const select = h('select', attributes, options.map(([value, text]) => h('option', { value, selected: value === chosen }, text)));
  return h('label', { class: 'field' }, h('span', {}, label), select);
}

/** Shows a sentence in the status line; an empty one clears it. */
export function notice(text) {
  document.getElementById('notice').textContent = text;
}

export function money(amount) {
  return `€${amount}.00`;
}

/** The values of a form as a plain object. */
export function values(form) {
  return Object.fromEntries(new FormData(form));
}
