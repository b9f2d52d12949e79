// The report can be read without this. Here is what makes it quick to use: links that open what they
// lead to, a filter, keys, copying, and a map that zooms. Texts of the app are only ever read, never
// made into elements.
'use strict';
(() => {
  const byId = (id) => document.getElementById(id);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];

  document.documentElement.classList.add('js');
  const said = byId('said');
  const rows = all('.steps > li');

  // ---- Places: open, bring into view, give the focus.

  /** Opens everything that hides an element, the filter among them. */
  function reveal(element) {
    const row = element.closest('.steps > li');
    if (row && row.hidden) resetFilter();
    for (let at = element; at; at = at.parentElement) {
      if (at.tagName === 'DETAILS') at.open = true;
    }
  }

  /** What of a step, finding or crash takes the focus. */
  function grip(place) {
    return place.matches('li, details') ? place.querySelector('summary') : place;
  }

  function show(element) {
    reveal(element);
    const place = element.closest('.steps > li, details.finding') || element;
    place.scrollIntoView({ block: 'start' });
    grip(place).focus({ preventScroll: true });
  }

  /** The element that the address names. */
  function target() {
    const hash = location.hash.slice(1);
    try {
      return hash && byId(decodeURIComponent(hash));
    } catch {
      return null; // Not an encoded text.
    }
  }

  function follow() {
    const element = target();
    if (element && element.closest('main')) show(element);
  }
  addEventListener('hashchange', follow);
  // A second click on the same link changes no address.
  document.addEventListener('click', (event) => {
    const link = event.target.closest('a[href^="#"]');
    if (link && link.getAttribute('href') === location.hash) follow();
  });

  // ---- The filter of steps.

  const search = byId('search');
  const choices = ['by-result', 'by-page', 'by-crash', 'by-finding'].map(byId);
  const [byResult, byPage, byCrash, byFinding] = choices;
  const texts = new Map();

  /** All words of a step. They are read when somebody searches, not before. */
  function text(row) {
    if (!texts.has(row)) texts.set(row, row.textContent.toLowerCase());
    return texts.get(row);
  }

  function filter() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = (row) =>
      (!byResult.value || row.classList.contains(byResult.value)) &&
      (!byPage.value || row.dataset.pages.split(' ').includes(byPage.value)) &&
      (!byCrash.checked || row.classList.contains('with-crash')) &&
      (!byFinding.checked || row.classList.contains('with-finding')) &&
      words.every((word) => text(row).includes(word));
    let shown = 0;
    for (const row of rows) {
      row.hidden = !fits(row);
      if (!row.hidden) shown += 1;
    }
    byId('no-match').hidden = shown > 0 || rows.length === 0;
    const matches = byId('matches');
    matches.textContent = matches.dataset.text
      .replace('{shown}', shown)
      .replace('{all}', rows.length);
  }

  function resetFilter() {
    search.value = '';
    byResult.value = byPage.value = '';
    byCrash.checked = byFinding.checked = false;
    filter();
  }

  search.addEventListener('input', filter);
  for (const choice of choices) choice.addEventListener('change', filter);
  byId('reset').addEventListener('click', resetFilter);

  // ---- Copying.

  async function copy(button) {
    const source = byId(button.dataset.copy);
    let done = true;
    try {
      await navigator.clipboard.writeText(source.textContent);
    } catch {
      // Some browsers give a local file no clipboard; a selection can be copied everywhere.
      reveal(source);
      getSelection().selectAllChildren(source);
      done = document.execCommand('copy');
    }
    const before = button.textContent;
    said.textContent = button.textContent = done ? said.dataset.copied : said.dataset.failed;
    setTimeout(() => {
      button.textContent = before;
    }, 1600);
  }
  for (const button of all('[data-copy]')) {
    button.addEventListener('click', () => button.disabled || copy(button));
  }

  // ---- Keys.

  const keys = byId('keys');
  const keysOn = byId('keys-on');
  let current = null; // The step that keys reached last.

  byId('help').addEventListener('click', () => keys.showModal());
  byId('keys-close').addEventListener('click', () => keys.close());

  /** The next visible one of `list` after what has the focus, or after what is in view. */
  function neighbour(list, direction) {
    const visible = list.filter((element) => !element.hidden);
    const active = document.activeElement;
    let at = visible.findIndex((element) => element === active || element.contains(active));
    if (at < 0) at = visible.indexOf(current);
    if (at >= 0) return visible[at + direction];
    const line = 60; // Below the bar.
    const below = (element) => element.getBoundingClientRect().top >= line;
    return direction > 0
      ? visible.find(below) || visible.at(-1)
      : visible.findLast((element) => !below(element)) || visible[0];
  }

  function go(list, direction) {
    const element = neighbour(list, direction);
    if (!element) return;
    current = element;
    for (let at = element.parentElement; at; at = at.parentElement) {
      if (at.tagName === 'DETAILS') at.open = true;
    }
    grip(element).focus({ preventScroll: true });
    element.scrollIntoView({ block: 'nearest' });
  }

  const crashes = all('.card.crash');
  const findings = all('details.finding');
  const actions = {
    j: () => go(rows, 1),
    k: () => go(rows, -1),
    c: () => go(crashes, 1),
    C: () => go(crashes, -1),
    f: () => go(findings, 1),
    F: () => go(findings, -1),
    '/': () => {
      byId('filter').scrollIntoView({ block: 'start' });
      search.focus({ preventScroll: true });
    },
    m: () => {
      byId('map').scrollIntoView({ block: 'start' });
      if (board) board.focus({ preventScroll: true });
    },
    t: () => {
      scrollTo({ top: 0 });
      current = null;
      document.activeElement.blur();
    },
    '?': () => keys.showModal(),
  };

  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
    const field = event.target.closest('input, select, textarea');
    if (event.key === 'Escape' && field && !keys.open) field.blur();
    if (field || keys.open || (!keysOn.checked && event.key !== '?')) return;
    const action = Object.hasOwn(actions, event.key) && actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });

  // ---- The map.

  const board = byId('board');
  if (board) zoomable(board, byId('graph'));

  function zoomable(board, graph) {
    const { width, height } = graph.viewBox.baseVal;
    const view = { x: 0, y: 0, scale: 1 }; // Scale: pixels of the screen for a unit of the map.
    const fitting = () => Math.min(board.clientWidth / width, board.clientHeight / height);
    const least = () => Math.min(fitting(), 1) * 0.8;

    function draw() {
      const [w, h] = [board.clientWidth / view.scale, board.clientHeight / view.scale];
      // The map stays in reach; what is smaller than the frame is centred.
      const hold = (at, seen, size) =>
        seen >= size ? (size - seen) / 2 : Math.max(-40, Math.min(at, size - seen + 40));
      view.x = hold(view.x, w, width);
      view.y = hold(view.y, h, height);
      graph.setAttribute('viewBox', `${view.x} ${view.y} ${w} ${h}`);
      // A finger scrolls the report over a map that is seen whole, and moves one that is not.
      board.classList.toggle('whole', view.scale <= fitting() * 1.01);
    }

    /** Zooms so that the point at `x`, `y` of the frame stays where it is. */
    function zoom(factor, x = board.clientWidth / 2, y = board.clientHeight / 2) {
      const scale = Math.max(least(), Math.min(view.scale * factor, 4));
      view.x += x / view.scale - x / scale;
      view.y += y / view.scale - y / scale;
      view.scale = scale;
      draw();
    }

    function move(dx, dy) {
      view.x -= dx / view.scale;
      view.y -= dy / view.scale;
      draw();
    }

    function fit() {
      view.scale = Math.min(fitting(), 1);
      draw();
    }

    board.classList.add('zooming');
    graph.removeAttribute('width');
    graph.removeAttribute('height');
    // The frame is no higher than the map needs. One that would be too small to read is not shown
    // whole at first, but from its start.
    const readable = Math.max(0.7, Math.min(board.clientWidth / width, 1));
    const high = Math.ceil(height * readable);
    if (high < board.clientHeight) board.style.height = `${Math.max(high, 280)}px`;
    fit();
    if (view.scale < 0.7) {
      view.scale = 0.7;
      view.x = -20;
      view.y = (height - board.clientHeight / view.scale) / 2;
      draw();
    }
    new ResizeObserver(draw).observe(board);

    addEventListener('beforeprint', () => graph.setAttribute('viewBox', `0 0 ${width} ${height}`));
    addEventListener('afterprint', draw);

    const factors = { in: 1.4, out: 1 / 1.4 };
    for (const button of all('[data-zoom]')) {
      button.addEventListener('click', () => {
        const factor = factors[button.dataset.zoom];
        if (factor) zoom(factor);
        else fit();
      });
    }

    board.addEventListener('keydown', (event) => {
      if (event.ctrlKey || event.altKey || event.metaKey) return;
      const step = 80;
      const does = {
        ArrowLeft: () => move(step, 0),
        ArrowRight: () => move(-step, 0),
        ArrowUp: () => move(0, step),
        ArrowDown: () => move(0, -step),
        '+': () => zoom(1.4),
        '=': () => zoom(1.4),
        '-': () => zoom(1 / 1.4),
        0: fit,
      };
      if (!Object.hasOwn(does, event.key)) return;
      event.preventDefault();
      does[event.key]();
    });

    // A page that gets the focus by Tab comes into view.
    graph.addEventListener('focusin', (event) => {
      const box = event.target.querySelector('.box');
      if (!box || !event.target.matches(':focus-visible')) return;
      const [x, y] = [box.x.baseVal.value, box.y.baseVal.value];
      const [w, h] = [board.clientWidth / view.scale, board.clientHeight / view.scale];
      const inside = x > view.x && y > view.y && x + 180 < view.x + w && y + 180 < view.y + h;
      if (inside) return;
      view.x = x + 90 - w / 2;
      view.y = y + 90 - h / 2;
      draw();
    });

    board.addEventListener(
      'wheel',
      (event) => {
        // A plain wheel scrolls the report; a pinch on a touch pad arrives with Ctrl.
        if (!event.ctrlKey && !event.metaKey) return;
        event.preventDefault();
        const frame = board.getBoundingClientRect();
        const factor = Math.exp(-event.deltaY * 0.003);
        zoom(factor, event.clientX - frame.left, event.clientY - frame.top);
      },
      { passive: false },
    );

    const fingers = new Map();
    let moved = 0;
    const spread = ([a, b]) => Math.hypot(a.x - b.x, a.y - b.y);

    board.addEventListener('pointerdown', (event) => {
      if (event.button !== 0) return;
      if (fingers.size === 0) moved = 0;
      fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    });
    board.addEventListener('pointermove', (event) => {
      const finger = fingers.get(event.pointerId);
      if (!finger) return;
      const [dx, dy] = [event.clientX - finger.x, event.clientY - finger.y];
      moved += Math.abs(dx) + Math.abs(dy);
      // Only a drag takes the pointer, so that a click still reaches its link.
      if (moved > 6 && !board.hasPointerCapture(event.pointerId)) {
        board.setPointerCapture(event.pointerId);
      }
      const before = fingers.size === 2 && spread([...fingers.values()]);
      [finger.x, finger.y] = [event.clientX, event.clientY];
      if (fingers.size === 1) move(dx, dy);
      if (before) {
        const [a, b] = [...fingers.values()];
        const frame = board.getBoundingClientRect();
        const [x, y] = [(a.x + b.x) / 2 - frame.left, (a.y + b.y) / 2 - frame.top];
        move(dx / 2, dy / 2);
        zoom(spread([a, b]) / before, x, y);
      }
    });
    for (const end of ['pointerup', 'pointercancel']) {
      board.addEventListener(end, (event) => fingers.delete(event.pointerId));
    }
    // The end of a drag is no click, and a link is not dragged away.
    board.addEventListener('click', (event) => moved > 6 && event.preventDefault(), true);
    board.addEventListener('dragstart', (event) => event.preventDefault());
  }

  // ---- Printing: what matters is open, whatever was closed on the screen.

  let opened = [];
  addEventListener('beforeprint', () => {
    const closed = 'details:not([open])';
    opened = all(`.crash ${closed}, .kind ${closed}, .with-crash ${closed}`);
    for (const details of opened) details.open = true;
  });
  addEventListener('afterprint', () => {
    for (const details of opened) details.open = false;
  });

  filter();
  follow();
  // A browser that has loaded goes to the anchor itself, and takes the focus away.
  addEventListener('load', () => requestAnimationFrame(follow));
})();
