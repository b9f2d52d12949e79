// Controls that take no typed text, and where a frame's content begins.

const PICKED_INPUTS = new Set(['date', 'time', 'month', 'week', 'datetime-local', 'color', 'range']);

// Sets a control whose picker is drawn outside the page, where no input reaches it, and tells the
// page by `input` and `change`, as the picker would. `NOT_PICKED`: text can be typed into it.
function setPicked(ref, text) {
  const el = element(ref);
  if (!el || !isAttached(el)) return refuse('TARGET_DETACHED');
  if (kindOf(el) !== 'input' || !PICKED_INPUTS.has(inputType(el))) return refuse('NOT_PICKED');
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
  if (isDisabledInTree(el)) return refuse('TARGET_DISABLED');
  focus(el);
  const active = deepActive();
  if (active !== el && !(active && composedContains(active, el))) return refuse('TARGET_NOT_FOCUSED');
  return JSON.stringify({ ok: true });
}

// Where the content of a frame begins, in this document's viewport: `[x, y]`.
function contentCorner(ref) {
  const el = element(ref);
  if (!el || !isAttached(el)) return JSON.stringify([0, 0]);
  const box = boxOf(el);
  const style = styleOf(el);
  const left = clientLeftOf(el) + (parseFloat(style.paddingLeft) || 0);
  const top = clientTopOf(el) + (parseFloat(style.paddingTop) || 0);
  return JSON.stringify([box.x + left, box.y + top]);
}
