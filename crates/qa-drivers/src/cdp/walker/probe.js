// Questions about one element just before and after input goes to it. WEB-051, WEB-052.
//
// All of them answer a JSON string `{"ok":true,…}` or `{"ok":false,"code":…}`.

const FRAME_DEADLINE_MS = 500;

const refuse = (code, more) => JSON.stringify({ ok: false, code, ...more });

// `tag#id.role name`, short, to say what lies over a target.
function describe(el) {
  const id = attr(el, 'id');
  let role = '';
  let name = '';
  try {
    role = roleOf(el);
    ({ name } = nameOf(el));
  } catch {
    // An element that cannot be named is still described by its tag.
  }
  const shown = name || collapseAll(textContentOf(el, 60));
  return cut(tagOf(el) + (id ? '#' + cut(id, 60) : '') + '.' + role + (shown ? ' ' + cut(shown, 60) : ''), 200);
}

const isAttached = (el) => isConnected(el) && ownerDocumentOf(el) === document;

function isDisabledInTree(el) {
  if (isDisabled(el, kindOf(el))) return true;
  for (let at = composedParent(el); at; at = composedParent(at)) if (attr(at, 'aria-disabled') === 'true') return true;
  return kindOf(el) === 'label' && labelControlOf(el) !== null && isDisabled(labelControlOf(el), kindOf(labelControlOf(el)));
}

const isInert = (el) => {
  for (let at = el; at; at = composedParent(at)) if (has(at, 'inert')) return true;
  return false;
};

// The boxes of an element that a person could point at.
function boxesOf(el) {
  if (kindOf(el) === 'area') {
    const map = parentElementOf(el);
    const box = map && areaBox(el, attr(map, 'name'));
    return box ? [box] : [];
  }
  const boxes = Array.from(rectsOf(el)).filter((box) => box.width > 0 && box.height > 0);
  if (boxes.length || rendering(el) !== CONTENTS) return boxes;
  const inner = [];
  for (let at = firstElementOf(shadowOf(el) || el); at; at = nextElementOf(at)) inner.push(...boxesOf(at));
  return inner;
}

// Where to try a click: the middle of each piece inside the viewport, then points around it.
function clickPoints(el) {
  const points = [];
  const around = [];
  for (const box of boxesOf(el).slice(0, 8)) {
    const left = Math.max(0, box.left);
    const top = Math.max(0, box.top);
    const right = Math.min(globalThis.innerWidth, box.right);
    const bottom = Math.min(globalThis.innerHeight, box.bottom);
    if (right <= left || bottom <= top) continue;
    const at = (fx, fy) => [left + (right - left) * fx, top + (bottom - top) * fy];
    points.push(at(0.5, 0.5));
    around.push(at(0.25, 0.5), at(0.75, 0.5), at(0.5, 0.25), at(0.5, 0.75));
  }
  return points.concat(around);
}

// The first point at which a click would reach the element, or what is in the way. A point on a
// control inside the element would do something else, so it comes last.
function reach(el, labels) {
  let cover = null;
  let second = null;
  for (const [x, y] of clickPoints(el)) {
    const hit = deepestAt(x, y);
    if (!isHitFor(el, hit, labels)) cover = cover || hit;
    else if (!isOnInnerControl(el, hit)) return { x, y };
    else second = second || { x, y };
  }
  return second || { cover };
}

function isOnInnerControl(el, hit) {
  const control = closest(hit, INTERACTIVE);
  return control !== null && control !== el && !contains(control, el) && composedContains(el, control);
}

const sameBox = (a, b) => a.x === b.x && a.y === b.y && a.width === b.width && a.height === b.height;

const nextFrame = () =>
  new Promise((done) => {
    const timer = setTimeout(done, FRAME_DEADLINE_MS);
    requestAnimationFrame(() => {
      clearTimeout(timer);
      done();
    });
  });

// Is the element ready to be clicked, and where? `options.frames: false` leaves out the check
// that its box holds still for two frames (a page whose clock is paused draws none);
// `options.scroll: true` brings it to the middle even if it is in the viewport already. The answer
// says whether it had to be `scrolled`: then the page may be about to change.
async function probe(ref, options) {
  const { frames = true, scroll = false } = options || {};
  const el = element(ref);
  if (!el || !isAttached(el)) return refuse('TARGET_DETACHED');
  const hidden = () => {
    if (kindOf(el) === 'area') return boxesOf(el).length === 0;
    const shown = rendering(el);
    return shown === GONE || shown === VEILED || boxesOf(el).length === 0;
  };
  if (hidden()) return refuse('TARGET_INVISIBLE');
  if (hasChanged(el)) return refuse('TARGET_CHANGED');
  if (isDisabledInTree(el)) return refuse('TARGET_DISABLED');
  if (isInert(el)) return refuse('TARGET_OBSCURED', { by: 'inert' });

  const labels = new Labels();
  let found = scroll ? {} : reach(el, labels);
  const scrolled = found.x === undefined;
  if (scrolled) {
    bringIntoView(el);
    found = reach(el, labels);
  }
  if (frames) {
    const before = boxOf(el);
    await nextFrame();
    const between = isAttached(el) ? boxOf(el) : null;
    await nextFrame();
    if (!isAttached(el)) return refuse('TARGET_DETACHED', { scrolled });
    if (!between || !sameBox(before, between) || !sameBox(between, boxOf(el))) return refuse('TARGET_MOVING', { scrolled });
    if (hidden()) return refuse('TARGET_INVISIBLE', { scrolled });
    if (hasChanged(el)) return refuse('TARGET_CHANGED', { scrolled });
    if (isDisabledInTree(el)) return refuse('TARGET_DISABLED', { scrolled });
    found = reach(el, labels);
  }
  if (found.x === undefined) {
    return refuse('TARGET_OBSCURED', { scrolled, by: found.cover ? describe(found.cover) : 'outside the viewport' });
  }
  const role = roleOf(el);
  expectPress(el);
  guardPress(el);
  return JSON.stringify({
    ok: true,
    x: tenth(found.x),
    y: tenth(found.y),
    scrolled,
    b: boxArray(boxOf(el)),
    tag: tagOf(el),
    role,
    name: cut(nameOf(el, labels, role).name, MAX_NAME),
    focused: deepActive() === el,
  });
}

const scrollIntoView = method(Element, 'scrollIntoView');
function bringIntoView(el) {
  const target = kindOf(el) === 'area' ? parentElementOf(el) : el;
  scrollIntoView(target, { block: 'center', inline: 'center', behavior: 'instant' });
}

// Brings an element to where it can be seen, unless it can be already. The answer says whether it
// was `scrolled` there: then the page may be about to change.
function scrollTo(ref) {
  const el = element(ref);
  if (!el || !isAttached(el)) return refuse('TARGET_DETACHED');
  const shown = rendering(el);
  if (shown === GONE || shown === VEILED || boxesOf(el).length === 0) return refuse('TARGET_INVISIBLE');
  const before = boxOf(el);
  if (reach(el, new Labels()).x === undefined) bringIntoView(el);
  return JSON.stringify({ ok: true, scrolled: !sameBox(before, boxOf(el)) });
}

const focus = (el) => {
  for (let type = Object.getPrototypeOf(el); type; type = Object.getPrototypeOf(type)) {
    if (Object.hasOwn(type, 'focus')) return type.focus.call(el, { preventScroll: false });
  }
  return undefined;
};
const selectInput = method(HTMLInputElement, 'select');
const selectTextarea = method(HTMLTextAreaElement, 'select');

// Focuses a field and selects everything in it, so that inserted text replaces what it held;
// `options.append: true` puts the caret behind it instead.
function focusForFill(ref, options) {
  const el = element(ref);
  if (!el || !isAttached(el)) return refuse('TARGET_DETACHED');
  if (hasChanged(el)) return refuse('TARGET_CHANGED');
  const kind = kindOf(el);
  const type = kind === 'input' ? inputType(el) : '';
  const append = Boolean(options && options.append);
  const takes = append ? !UNTYPED_INPUTS.has(type) && !PICKED_INPUTS.has(type) : !UNTYPED_INPUTS.has(type) || PICKED_INPUTS.has(type);
  const editable = (kind === 'input' && takes) || kind === 'textarea' || isContentEditable(el);
  const facts = {
    editable,
    readonly: (editable && property(el, 'readOnly') === true) || attr(el, 'aria-readonly') === 'true',
    disabled: isDisabledInTree(el),
    secret: isSecret(el, kind),
    type: kind === 'input' ? inputType(el) : kind,
  };
  if (facts.disabled) return refuse('TARGET_DISABLED', facts);
  if (!editable || facts.readonly) return refuse('TARGET_NOT_EDITABLE', facts);
  focus(el);
  if (kind === 'input') selectInput(el);
  else if (kind === 'textarea') selectTextarea(el);
  else {
    const selection = globalThis.getSelection();
    if (selection) selection.selectAllChildren(el);
  }
  if (append) {
    // Some kinds of input have no positions; the selection is theirs all the same.
    const selection = globalThis.getSelection();
    if (selection) selection.modify('move', 'forward', 'documentboundary');
  }
  const active = deepActive();
  if (active !== el && !(active && composedContains(active, el))) return refuse('TARGET_NOT_FOCUSED', facts);
  guardKeys(el);
  return JSON.stringify({ ok: true, ...facts });
}

// The whole value of a field, or that it is withheld.
function readValue(ref) {
  const el = element(ref);
  if (!el || !isAttached(el)) return refuse('TARGET_DETACHED');
  const kind = kindOf(el);
  if (isSecret(el, kind)) return JSON.stringify({ ok: true, withheld: true });
  const type = kind === 'input' ? inputType(el) : '';
  if (type === 'checkbox' || type === 'radio') return JSON.stringify({ ok: true, checked: property(el, 'checked') });
  if (isContentEditable(el) && kind !== 'input' && kind !== 'textarea') {
    return JSON.stringify({ ok: true, value: cut(property(el, 'innerText').replace(/\n$/, ''), 1000000) });
  }
  const value = rawValue(el, kind);
  return JSON.stringify({ ok: true, value: value === null ? null : cut(value, 1000000) });
}

// Chooses an option of a native select: by label, else by value, else by index. A headless
// browser draws the popup outside the page, where no input reaches it; so this is the one action
// that sets the control and tells the page by `input` and `change`, as the popup would.
function selectOption(ref, wanted) {
  const el = element(ref);
  if (!el || !isAttached(el)) return refuse('TARGET_DETACHED');
  if (kindOf(el) !== 'select') return refuse('TARGET_NOT_SELECT');
  if (hasChanged(el)) return refuse('TARGET_CHANGED');
  if (isDisabledInTree(el)) return refuse('TARGET_DISABLED');
  const options = Array.from(property(el, 'options'));
  const enabled = (option) => !matches(option, ':disabled');
  const byLabel = (option) => collapseAll(property(option, 'label')) === collapseAll(wanted.label);
  const byValue = (option) => property(option, 'value') === wanted.value;
  let found = null;
  if (typeof wanted.label === 'string') found = options.find((option) => byLabel(option) && enabled(option)) || options.find(byLabel);
  if (!found && typeof wanted.value === 'string') found = options.find(byValue);
  if (!found && Number.isInteger(wanted.index)) found = options[wanted.index];
  if (!found) return refuse('OPTION_NOT_FOUND');
  if (!enabled(found)) return refuse('OPTION_DISABLED');
  focus(el);
  const changed = !property(found, 'selected');
  if (changed) {
    setProperty(HTMLSelectElement, 'selectedIndex', el, options.indexOf(found));
    const fire = method(EventTarget, 'dispatchEvent');
    fire(el, new Event('input', { bubbles: true, composed: true }));
    fire(el, new Event('change', { bubbles: true }));
  }
  return JSON.stringify({ ok: true, value: property(el, 'value'), label: cut(property(found, 'label'), MAX_NAME), changed });
}

const setProperty = (type, name, el, value) => Object.getOwnPropertyDescriptor(type.prototype, name).set.call(el, value);
