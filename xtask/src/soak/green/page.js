// Runs in each document before anything of the app, with a plan: it makes the page differ as the
// plan says, and bears witness of what the page shows and of which element got which input.
//
// It is code of its own on purpose. It shares nothing with what it is there to check, and reads
// names more generously than an accessibility tree does: what it does not find is not there.
(plan) => {
  'use strict';

  // --- Reading the page -----------------------------------------------------------------------

  const roots = new WeakMap();
  const squeeze = (text) => String(text ?? '').replace(/\s+/g, ' ').trim();

  /** All elements in document order, those in shadow roots of any kind and in frames too. */
  function* elements(root = document) {
    for (const el of root.querySelectorAll('*')) {
      yield el;
      const shadow = roots.get(el) || el.shadowRoot;
      if (shadow) yield* elements(shadow);
      if (el.localName !== 'iframe') continue;
      let inner = null;
      try {
        inner = el.contentDocument;
      } catch {
        // Another origin's.
      }
      if (inner) yield* elements(inner);
    }
  }

  const above = (el) => el.parentElement || (el.getRootNode().host ?? null);
  const styleOf = (el) => (el.ownerDocument.defaultView || window).getComputedStyle(el);
  const hasArea = (el) => [...el.getClientRects()].some((box) => box.width > 0 && box.height > 0);

  /** Whether a person could see it, somewhere on the page. */
  function isShown(el) {
    // What is skipped, as in closed details, has a box if it is asked for one.
    const own = styleOf(el);
    if (!el.isConnected || own.visibility !== 'visible') return false;
    if (own.display !== 'contents' && !el.checkVisibility()) return false;
    if (!hasArea(el) && styleOf(el).display !== 'contents') return false;
    for (let at = el; at; at = above(at)) {
      const style = styleOf(at);
      if (style.display === 'none' || style.opacity === '0') return false;
      if (style.overflow !== 'visible' && style.display !== 'contents' && !hasArea(at)) return false;
    }
    return true;
  }

  const BY_TAG = {
    button: ['button'], summary: ['button'], textarea: ['textbox'], select: ['combobox', 'listbox'],
    h1: ['heading'], h2: ['heading'], h3: ['heading'], ul: ['list'], ol: ['list'], li: ['listitem'],
    p: ['paragraph'], nav: ['navigation'], main: ['main'], form: ['form'], img: ['image', 'img'],
    dialog: ['dialog'], section: ['region'], article: ['article'], table: ['table'], td: ['cell'],
    th: ['columnheader'], option: ['option'], strong: ['strong'], b: ['strong'], fieldset: ['group'],
    header: ['banner'], footer: ['contentinfo'], iframe: ['iframe'], details: ['group'], time: ['time'],
  };
  const BY_TYPE = {
    checkbox: ['checkbox'], radio: ['radio'], range: ['slider'], button: ['button'], submit: ['button'],
    reset: ['button'], image: ['button'], search: ['searchbox', 'textbox'], number: ['spinbutton', 'textbox'],
  };

  function rolesOf(el) {
    const roles = [];
    const written = el.getAttribute('role');
    if (written) return [written];
    if (el.localName === 'a' && el.hasAttribute('href')) roles.push('link');
    if (el.localName === 'input') roles.push(...(BY_TYPE[el.type] || ['textbox']));
    roles.push(...(BY_TAG[el.localName] || []), 'generic');
    return roles;
  }

  /** Runs of text right inside an element. */
  function runsOf(el) {
    const runs = [''];
    for (const node of el.childNodes) {
      if (node.nodeType === Node.TEXT_NODE) runs[runs.length - 1] += node.data;
      else runs.push('');
    }
    return runs.map(squeeze).filter(Boolean);
  }

  function textsOf(node) {
    const parts = [];
    const walk = (at) => {
      for (const child of at.childNodes) {
        if (child.nodeType === Node.TEXT_NODE) parts.push(child.data);
        else if (child.localName === 'img' && child.alt) parts.push(child.alt);
        else walk(child);
      }
    };
    walk(node);
    return [squeeze(parts.join('')), squeeze(parts.join(' '))];
  }

  /** All that an element could be called. */
  function namesOf(el) {
    const names = [];
    for (const id of (el.getAttribute('aria-labelledby') || '').split(/\s+/).filter(Boolean)) {
      const label = el.getRootNode().getElementById?.(id);
      if (label) names.push(...textsOf(label));
    }
    for (const name of ['aria-label', 'alt', 'title', 'placeholder']) names.push(squeeze(el.getAttribute(name)));
    for (const label of el.labels || []) {
      names.push(...textsOf(label), ...[...label.children].flatMap(textsOf), ...runsOf(label));
      const bare = label.cloneNode(true);
      for (const control of bare.querySelectorAll('select,textarea')) control.remove();
      names.push(...textsOf(bare));
    }
    if (el.localName === 'input') names.push(squeeze(el.value));
    names.push(...textsOf(el));
    return names.filter(Boolean);
  }

  /** Whether an element is what a role and a name ask for; one that is not given asks for nothing. */
  function answers(el, { role, name, tag }) {
    if (tag && el.localName !== tag) return false;
    if (role === 'text') return runsOf(el).includes(squeeze(name));
    if (role && !rolesOf(el).includes(role)) return false;
    return name === undefined || name === null || name === '' || namesOf(el).includes(squeeze(name));
  }

  const isWithin = (el, root) => {
    for (let at = el; at; at = above(at)) if (at === root) return at !== el;
    return false;
  };
  const find = (wanted, root) => [...elements()].filter((el) => answers(el, wanted) && isShown(el) && (!root || isWithin(el, root)));

  /** Whether a claim of a scenario is true right now. */
  function isTrue({ kind, expected, scope }) {
    if (kind === 'page-url') {
      const plain = location.origin + location.pathname;
      const wanted = expected.url ?? expected.contains;
      const url = /[?#]/.test(wanted) ? location.href : plain;
      return expected.url === undefined ? url.includes(wanted) : url === wanted;
    }
    let root = null;
    if (scope) {
      const containers = find(scope);
      if (containers.length !== 1) return false;
      [root] = containers;
    }
    const found = find(expected, root);
    switch (kind) {
      case 'node-present':
        return found.length > 0;
      case 'node-absent':
        return found.length === 0;
      case 'node-in-viewport':
        return found.some((el) => {
          const box = el.getBoundingClientRect();
          return box.right > 0 && box.bottom > 0 && box.left < innerWidth && box.top < innerHeight;
        });
      case 'node-value':
        return found.length === 1 && [found[0].value, found[0].selectedOptions?.[0]?.label].some((value) => squeeze(value) === squeeze(expected.value));
      default:
        return false;
    }
  }

  // --- Remembering, over documents ------------------------------------------------------------

  const stored = (key, empty) => JSON.parse(sessionStorage.getItem(key) ?? empty);
  const store = (key, value) => sessionStorage.setItem(key, JSON.stringify(value));
  const noteChange = () => store('change-count', stored('change-count', '0') + 1);

  const INPUTS = ['click', 'input', 'change', 'keydown'];

  /** An event that goes into a shadow root is noted there once more, with what is inside. */
  function noteInput(event) {
    const path = event.composedPath().filter((el) => el instanceof Element).slice(0, 6);
    const who = path.map((el) => ({ roles: rolesOf(el), names: namesOf(el) }));
    store('input-log', [...stored('input-log', '[]'), { type: event.type, trusted: event.isTrusted, who }].slice(-40));
  }

  /** Whether input of a kind arrived at an element with this name since the log was begun. */
  function arrived({ types, role, name }) {
    const log = stored('input-log', '[]');
    // An element whose role alone is another one is found by its name (REP-054).
    const now = plan.kind === 'role' && plan.role === role ? plan.to : role;
    const isIt = ({ roles, names }) => (!role || roles.includes(role) || roles.includes(now)) && (!name || names.includes(squeeze(name)));
    return log.some(({ type, who }) => types.includes(type) && who.some(isIt));
  }

  document.addEventListener('witness-question', (event) => {
    const { claims = [], action = null, forget = false } = JSON.parse(event.detail);
    if (forget) store('input-log', []);
    const answer = { claims: claims.map(isTrue), action: action && arrived(action), changes: stored('change-count', '0') };
    document.dispatchEvent(new CustomEvent('witness-answer', { detail: JSON.stringify(answer) }));
  });

  // --- Changing the page ----------------------------------------------------------------------

  const done = new WeakSet();
  const once = (el) => !done.has(el) && done.add(el);
  const isMeant = (el) => answers(el, plan);
  const inPath = (event) => event.composedPath().find((el) => el instanceof Element && isMeant(el));
  const stopEvent = (event) => {
    event.stopImmediatePropagation();
    event.preventDefault();
  };

  function otherWords(el) {
    const texts = [];
    const walk = (at) => at.childNodes.forEach((child) => (child.nodeType === Node.TEXT_NODE ? texts.push(child) : walk(child)));
    if (plan.role === 'text') {
      texts.push(...[...el.childNodes].filter((child) => child.nodeType === Node.TEXT_NODE));
    } else {
      walk(el);
    }
    const [first, ...rest] = texts.filter((node) => squeeze(node.data));
    if (!first) return;
    first.data = plan.to;
    rest.forEach((node) => (node.data = ''));
    noteChange();
  }

  function leftover() {
    if (window !== top || !document.body || document.getElementById('left')) return;
    const host = document.createElement('div');
    host.id = 'left';
    const made = document.createElement({ button: 'button', link: 'a', heading: 'h2' }[plan.role] || 'p');
    made.textContent = plan.name;
    if (plan.role === 'link') made.href = '/more';
    if (plan.where === 'frame') {
      const frame = document.createElement('iframe');
      frame.srcdoc = '<!doctype html><body>' + made.outerHTML;
      host.append(frame);
    } else if (plan.where === 'page' || plan.where === 'hidden') {
      host.append(made);
    } else {
      host.attachShadow({ mode: plan.where }).append(made);
    }
    if (plan.where === 'hidden') host.style.display = 'none';
    const nav = plan.inside && [...elements()].find((el) => answers(el, plan.inside));
    if (plan.inside && !nav) return;
    (nav || document.body).append(host);
    noteChange();
  }

  // Looked up by the app itself, in its script or its style.
  const NEEDED = new Set(['main', 'header', 'notice', 'clock', 'store-map', 'map', 'craft', 'edit-title']);

  const harmless = {
    style() {
      if (!document.head || document.getElementById('other-style')) return;
      const style = document.createElement('style');
      style.id = 'other-style';
      style.textContent = plan.css;
      document.head.append(style);
      noteChange();
    },
    classes() {
      // Those that the style sheet knows stay: without its style an element may read otherwise.
      for (const el of document.querySelectorAll('[class]')) if (once(el)) el.className = `c${plan.salt} ${el.className} x${plan.salt}`;
      noteChange();
    },
    ids() {
      for (const el of document.querySelectorAll('[id]')) {
        if (NEEDED.has(el.id) || !once(el)) continue;
        for (const label of document.querySelectorAll(`label[for="${CSS.escape(el.id)}"]`)) label.htmlFor = `${plan.salt}-${el.id}`;
        el.id = `${plan.salt}-${el.id}`;
      }
      noteChange();
    },
    wrap() {
      for (const el of document.querySelectorAll('main button, main a[href]')) {
        if (!once(el) || !el.parentElement) continue;
        const box = document.createElement('span');
        el.replaceWith(box);
        box.append(el);
      }
      noteChange();
    },
    words() {
      const footer = document.querySelector('footer');
      if (!footer || !once(footer)) return;
      footer.append(Object.assign(document.createElement('p'), { textContent: plan.text }));
      noteChange();
    },
  };

  /** What is done to each element that the plan means, as often as the page is drawn. */
  const changes = {
    text: (el) => otherWords(el),
    remove(el) {
      el.remove();
      noteChange();
    },
    hide(el) {
      if (!once(el)) return;
      const styles = {
        display: 'display:none!important',
        visibility: 'visibility:hidden!important',
        size: 'position:absolute!important;width:0!important;height:0!important;padding:0!important;border:0!important;min-width:0!important;overflow:hidden!important',
      };
      el.style.cssText += `;${styles[plan.how]}`;
      noteChange();
    },
    twin(el) {
      if (!once(el)) return;
      const twin = el.cloneNode(true);
      done.add(twin);
      if (el.localName === 'input' || el.localName === 'textarea') {
        // A field is named by what stands around it.
        twin.setAttribute('aria-label', plan.name);
        twin.removeAttribute('required');
      }
      el.after(twin);
      // A second summary of closed details is not there for anybody.
      if (isShown(twin)) noteChange();
    },
    role(el) {
      if (el.getAttribute('role') === plan.to) return;
      el.setAttribute('role', plan.to);
      noteChange();
    },
    name(el) {
      if (el.getAttribute('aria-label') === plan.to) return;
      el.setAttribute('aria-label', plan.to);
      noteChange();
    },
    flicker(el) {
      if (!once(el)) return;
      noteChange();
      setTimeout(() => {
        el.style.cssText += ';display:none!important';
      }, plan.ms);
    },
    push(el) {
      if (!once(el)) return;
      const space = document.createElement('div');
      space.style.height = '4000px';
      el.before(space);
      noteChange();
    },
    move(el) {
      if (!once(el)) return;
      document.body.append(el);
      noteChange();
    },
  };

  const listeners = {
    dead(event) {
      if (!inPath(event)) return;
      noteChange();
      stopEvent(event);
    },
    elsewhere(event) {
      if (!inPath(event)) return;
      noteChange();
      stopEvent(event);
      location.assign(plan.to);
    },
    late(event) {
      const el = event.isTrusted && inPath(event);
      if (!el) return;
      noteChange();
      stopEvent(event);
      setTimeout(() => {
        if (event.type === 'click') return el.click();
        const again = new KeyboardEvent('keydown', { key: event.key, bubbles: true, cancelable: true });
        if (el.dispatchEvent(again) && event.key === 'Enter') el.form?.requestSubmit();
      }, plan.ms);
    },
    wrong(event) {
      const el = inPath(event);
      if (!el || el.value === plan.to) return;
      noteChange();
      // Two events come of one choice, and must not undo each other.
      const other = el.localName === 'select' ? (el.selectedIndex + 1) % el.options.length : 0;
      setTimeout(() => {
        if (el.localName === 'select') el.selectedIndex = other;
        else el.value = plan.to;
      }, plan.ms);
    },
  };
  const LISTENED = { dead: ['click', 'keydown'], elsewhere: ['click', 'keydown'], late: ['click', 'keydown'], wrong: ['change', 'input'] };

  function reorder() {
    for (const list of document.querySelectorAll('ul, ol')) {
      if (list.children.length < 2 || !once(list)) continue;
      list.append(...[...list.children].reverse());
      noteChange();
    }
  }

  let busy = false;
  function change() {
    if (busy) return;
    busy = true;
    try {
      if (plan.kind === 'leftover') leftover();
      else if (plan.kind === 'reorder') reorder();
      else if (harmless[plan.kind]) harmless[plan.kind]();
      else if (changes[plan.kind]) [...elements()].filter((el) => el.isConnected && isMeant(el)).forEach(changes[plan.kind]);
    } finally {
      busy = false;
    }
  }

  const observer = new MutationObserver(change);
  const watch = (root) => observer.observe(root, { childList: true, subtree: true, characterData: true });
  const attachShadow = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function attach(init) {
    const root = attachShadow.call(this, init);
    roots.set(this, root);
    listen(root);
    watch(root);
    return root;
  };

  function listen(target) {
    for (const type of INPUTS) target.addEventListener(type, noteInput, true);
    for (const type of LISTENED[plan.kind] || []) target.addEventListener(type, listeners[plan.kind], true);
  }

  if (plan.kind === 'slow') {
    const { fetch } = window;
    window.fetch = async (...request) => {
      const response = await fetch(...request);
      noteChange();
      await new Promise((resolve) => setTimeout(resolve, plan.ms));
      return response;
    };
  }
  listen(window);
  watch(document);
}
