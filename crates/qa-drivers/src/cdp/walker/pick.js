// Controls that take no typed text, and the way from a point in a frame to the page around it.

const PICKED_INPUTS = new Set(['date', 'time', 'month', 'week', 'datetime-local', 'color', 'range']);

// Sets a control whose picker is drawn outside the page, where no input reaches it, and tells the
// page by `input` and `change`, as the picker would. `NOT_PICKED`: text can be typed into it.
function setPicked(ref, text) {
  const el = element(ref);
  if (!el || !isAttached(el)) return refuse('TARGET_DETACHED');
  if (kindOf(el) !== 'input' || !PICKED_INPUTS.has(inputType(el))) return refuse('NOT_PICKED');
  if (hasChanged(el)) return refuse('TARGET_CHANGED');
  if (isDisabledInTree(el)) return refuse('TARGET_DISABLED');
  if (property(el, 'readOnly') === true) return refuse('TARGET_NOT_EDITABLE');
  focus(el);
  setProperty(HTMLInputElement, 'value', el, text);
  const fire = method(EventTarget, 'dispatchEvent');
  fire(el, new Event('input', { bubbles: true, composed: true }));
  fire(el, new Event('change', { bubbles: true }));
  return JSON.stringify({ ok: true });
}

// Gives an element the focus and leaves its content alone.
function focusOn(ref) {
  const el = element(ref);
  if (!el || !isAttached(el)) return refuse('TARGET_DETACHED');
  if (hasChanged(el)) return refuse('TARGET_CHANGED');
  if (isDisabledInTree(el)) return refuse('TARGET_DISABLED');
  focus(el);
  const active = deepActive();
  if (active !== el && !(active && composedContains(active, el))) return refuse('TARGET_NOT_FOCUSED');
  guardKeys(el);
  return JSON.stringify({ ok: true });
}

// Where a point of a frame's viewport lies in this document's viewport, once the frame has been
// brought there; refused if something else is seen at that point.
async function framePoint(ref, x, y) {
  const el = element(ref);
  if (!el || !isAttached(el)) return refuse('TARGET_DETACHED');
  let at = pointInFrame(el, x, y);
  if (!isInViewport(at)) {
    bringIntoView(el);
    at = pointInFrame(el, x, y);
    // A frame larger than the viewport.
    if (!isInViewport(at)) globalThis.scrollBy({ left: at.x - globalThis.innerWidth / 2, top: at.y - globalThis.innerHeight / 2, behavior: 'instant' });
    await nextFrame();
    await nextFrame();
    at = pointInFrame(el, x, y);
  }
  const hit = isInViewport(at) ? deepestAt(at.x, at.y) : null;
  if (hit !== el) return refuse('TARGET_OBSCURED', { by: hit ? describe(hit) : 'outside the viewport' });
  guardPress(el);
  return JSON.stringify({ ok: true, x: tenth(at.x), y: tenth(at.y) });
}

function pointInFrame(el, x, y) {
  const { left, top, scaleX, scaleY } = contentOrigin(el, boxOf(el));
  return { x: left + x * scaleX, y: top + y * scaleY };
}

const isInViewport = ({ x, y }) => x >= 0 && y >= 0 && x < globalThis.innerWidth && y < globalThis.innerHeight;
