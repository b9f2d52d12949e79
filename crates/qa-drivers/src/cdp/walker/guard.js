// What stands between a look and the input that follows it. The element must still be what it was
// when it was looked at, or it is another one in its place (VIEW-007, REP-025); and input that
// would reach another element is kept from the page (D-08).

// What an element was at the last walk.
const lookedLike = new WeakMap();

const identityOf = (el, kind, role, name) => ({
  role, name, type: kind === 'input' ? inputType(el) : '', href: attr(el, 'href'),
});

function noteIdentity(el, kind, role, name) {
  lookedLike.set(el, identityOf(el, kind, role, name));
}

// Whether it is another element now than it was; while it is pressed, its address may be another.
function hasChanged(el, isPressed = false) {
  const before = lookedLike.get(el);
  if (before === undefined) return false;
  const kind = kindOf(el);
  const now = identityOf(el, kind, roleOf(el, kind), seedNameOf(el, kind, new Labels()));
  if (now.role !== before.role || now.name !== before.name) return true;
  return !isPressed && (now.type !== before.type || now.href !== before.href);
}

// A guard that nobody needed is not to stand in the way of a person at the same browser.
const GUARD_MS = 3000;

const elsewhere = (hit) => (hit ? describe(hit) : 'the document');
const stopEvent = (event) => {
  event.stopImmediatePropagation();
  event.preventDefault();
};

// A press is meant for `el`: each part of it that would hit something else is stopped, and with it
// the rest. `begun` says that its beginning arrived.
const press = { el: null, until: 0, begun: false, astray: '' };
const PRESS = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click'];

function meetPress(event) {
  if (!event.isTrusted) return;
  if (event.type === 'pointermove') {
    // A new press begins with a move.
    press.astray = '';
    return;
  }
  const isAwaited = press.el && performance.now() < press.until;
  const isNew = globalThis.parent === globalThis && performance.now() < GUARD_MS;
  if (!isAwaited && isNew && event.type === 'pointerdown') {
    // It was meant for the document that was here a moment ago.
    press.astray = 'another document';
    press.begun = false;
  } else if (isAwaited && !press.astray && PRESS.includes(event.type)) {
    const hit = deepestAt(event.clientX, event.clientY);
    // The click comes to where the press began and ended, whatever has happened there since.
    const isThere = event.type === 'click' || isHitFor(press.el, hit, new Labels());
    if (!isThere) press.astray = elsewhere(hit);
    // Links are given other addresses while they are pressed.
    else if (hasChanged(press.el, press.begun)) press.astray = 'another element in its place';
    else press.begun = true;
  }
  if (press.astray) stopEvent(event);
  if (event.type === 'click') press.el = null;
}

// A key, or a text that is inserted, is meant for `el` or for what is in it. What follows from a key
// may go wherever the page puts the focus then.
const keys = { el: null, until: 0, astray: '' };

function meetKey(event) {
  if (!event.isTrusted) return;
  const isFirst = event.type === 'keydown' || (event.type === 'beforeinput' && keys.el);
  if (isFirst) {
    keys.astray = '';
    const active = deepActive();
    if (keys.el && performance.now() < keys.until) {
      const isThere = active === keys.el || (active && composedContains(keys.el, active));
      if (!isThere) keys.astray = elsewhere(active);
      else if (hasChanged(keys.el)) keys.astray = 'another element in its place';
    }
    keys.el = null;
  }
  if (keys.astray) stopEvent(event);
}

// After the listeners that tell where a press landed: what is stopped here must not escape them.
function listenForGuards() {
  for (const type of ['pointermove', ...PRESS, 'auxclick', 'dblclick']) {
    listen(globalThis, type, meetPress, { capture: true, passive: false });
  }
  for (const type of ['keydown', 'keypress', 'keyup', 'beforeinput']) {
    listen(globalThis, type, meetKey, { capture: true, passive: false });
  }
}
listenForGuards();

// A document that is opened anew loses its listeners; adding one twice does nothing.
function guardPress(el) {
  Object.assign(press, { el, until: performance.now() + GUARD_MS, begun: false, astray: '' });
  listenForGuards();
}

function guardKeys(el) {
  Object.assign(keys, { el, until: performance.now() + GUARD_MS, astray: '' });
  listenForGuards();
}

// Whether the last press and the last key went where they were meant to.
function pressCame() {
  if (!press.astray) return pressArrived();
  return refuse(press.begun ? 'PRESS_INTERRUPTED' : 'TARGET_MISSED', { by: press.astray });
}
const keyArrived = () => (keys.astray ? refuse('TARGET_MISSED', { by: keys.astray }) : JSON.stringify({ ok: true }));
