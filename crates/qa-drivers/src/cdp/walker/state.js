// What a control holds and which state it is in.

const SECRET_AUTOCOMPLETE = new Set(['current-password', 'new-password', 'one-time-code', 'cc-number', 'cc-csc']);
const TEXT_INPUTS = new Set([
  'text', 'search', 'tel', 'url', 'email', 'password', 'number', 'date', 'datetime-local', 'month', 'week', 'time', 'color', 'range',
]);
const UNTYPED_INPUTS = new Set(['checkbox', 'radio', 'button', 'submit', 'reset', 'image', 'file', 'hidden', 'range', 'color']);
const CHECKABLE = new Set(['checkbox', 'radio', 'switch', 'menuitemcheckbox', 'menuitemradio', 'option', 'treeitem']);

const MAX_RAW_VALUE = 720;
const MAX_VALUE = 180;
const MAX_OPTIONS = 50;

const isTextControl = (el, kind) => kind === 'textarea' || (kind === 'input' && TEXT_INPUTS.has(inputType(el)));

// Values that are never read: passwords, one-time codes, card numbers, anything drawn masked.
function isSecret(el, kind) {
  if (kind === 'input' && inputType(el) === 'password') return true;
  if (kind !== 'input' && kind !== 'textarea' && kind !== 'select' && !isContentEditable(el)) return false;
  const fill = attr(el, 'autocomplete');
  if (fill && fill.toLowerCase().split(/\s+/).some((word) => SECRET_AUTOCOMPLETE.has(word))) return true;
  const masked = styleOf(el).webkitTextSecurity;
  return masked !== undefined && masked !== 'none' && masked !== '';
}

// The value as it stands, or null if the element holds none.
function rawValue(el, kind) {
  if (isTextControl(el, kind)) return property(el, 'value');
  if (kind === 'select') return property(el, 'value');
  if (kind === 'progress' || kind === 'meter') return has(el, 'value') ? String(property(el, 'value')) : null;
  if (kind === 'input') return null;
  if (isEditingHost(el)) return editableText(el);
  const now = attr(el, 'aria-valuetext');
  return now !== null ? now : attr(el, 'aria-valuenow');
}

// The text of edited content; read far enough to know that the value was cut.
const editableText = (el) => textContentOf(el, 4 * MAX_RAW_VALUE);

// Sets `v` and the value flags of a node.
function readNodeValue(node, el, kind, isWithheld) {
  const raw = rawValue(el, kind);
  if (raw === null) return 0;
  if (isWithheld) return FLAG.withheld;
  const short = cut(raw, MAX_RAW_VALUE);
  const value = collapseAll(short);
  node.v = cut(value, MAX_VALUE);
  return raw.length > short.length || value.length > MAX_VALUE ? FLAG.valueCut : 0;
}

const isDisabled = (el, kind) => (NATIVE_DISABLED.has(kind) && matches(el, ':disabled')) || attr(el, 'aria-disabled') === 'true';
const NATIVE_DISABLED = new Set(['button', 'input', 'select', 'textarea', 'optgroup', 'option', 'fieldset']);

function token(el, name, allowed) {
  const value = attr(el, name);
  return value !== null && allowed.includes(value) ? value : null;
}
const truth = (value) => (value === 'true' ? true : value === 'false' ? false : value);

// The states that exist for the element; null if none does.
function statesOf(el, kind, role, isInDisabled, hasAria) {
  const s = {};
  const type = kind === 'input' ? inputType(el) : '';
  if (type === 'checkbox' || type === 'radio') s.checked = property(el, 'indeterminate') ? 'mixed' : property(el, 'checked');
  else if (hasAria && CHECKABLE.has(role)) {
    const checked = token(el, 'aria-checked', ['true', 'false', 'mixed']);
    if (checked !== null) s.checked = truth(checked);
  }
  if (isInDisabled || isDisabled(el, kind)) s.disabled = true;

  if (kind === 'summary' && isDetailsSummary(el)) s.expanded = has(parentElementOf(el), 'open');
  else if (kind === 'details') s.expanded = has(el, 'open');
  else if (kind === 'option') s.selected = property(el, 'selected');

  const isField = kind === 'input' || kind === 'textarea' || kind === 'select';
  if (isField) {
    if (property(el, 'readOnly')) s.readonly = true;
    if (property(el, 'required')) s.required = true;
    if (!has(el, 'aria-invalid') && matches(el, ':user-invalid')) s.invalid = true;
  }
  if (kind === 'dialog' && matches(el, ':modal')) s.modal = true;
  if (role === 'heading') s.level = /^h[1-6]$/.test(kind) ? +kind[1] : 2;
  if (hasAria) ariaStates(s, el);
  for (const _ in s) return s;
  return null;
}

function ariaStates(s, el) {
  const expanded = token(el, 'aria-expanded', ['true', 'false']);
  if (expanded !== null) s.expanded = truth(expanded);
  const selected = token(el, 'aria-selected', ['true', 'false']);
  if (selected !== null) s.selected = truth(selected);
  const pressed = token(el, 'aria-pressed', ['true', 'false', 'mixed']);
  if (pressed !== null) s.pressed = truth(pressed);
  if (attr(el, 'aria-readonly') === 'true') s.readonly = true;
  if (attr(el, 'aria-required') === 'true') s.required = true;
  const invalid = attr(el, 'aria-invalid');
  if (invalid && invalid !== 'false') s.invalid = true;
  const level = parseInt(attr(el, 'aria-level') || '', 10);
  if (level > 0) s.level = level;
  const current = attr(el, 'aria-current');
  if (current && current !== 'false') s.current = cut(current, 60);
  if (attr(el, 'aria-modal') === 'true') s.modal = true;
  if (attr(el, 'aria-busy') === 'true') s.busy = true;
}

// What a form filler needs to know about a control; empty fields are left out.
function formFacts(el, kind, labels) {
  const facts = { type: kind === 'input' ? inputType(el) : kind };
  const put = (key, name, most = 200) => {
    const value = attr(el, name);
    if (value !== null && value !== '') facts[key] = cut(value, most);
  };
  put('ac', 'autocomplete');
  put('nm', 'name');
  put('ph', 'placeholder');
  put('pt', 'pattern', 500);
  put('min', 'min');
  put('max', 'max');
  put('step', 'step');
  const label = labels.of(el).map((at) => labels.textOf(at)).filter(isText).join(' ');
  if (label) facts.lb = cut(label, 200);
  const most = property(el, 'maxLength');
  if (most > -1 && most !== null) facts.ml = most;
  const least = property(el, 'minLength');
  if (least > 0) facts.mi = least;
  if (property(el, 'required')) facts.req = true;
  if (property(el, 'multiple')) facts.multiple = true;
  if (has(el, 'accept')) put('accept', 'accept');
  if (kind === 'select') facts.opts = optionFacts(el);
  if (kind === 'input' && has(el, 'list')) {
    const list = byId(rootOf(el), attr(el, 'list'));
    if (list && kindOf(list) === 'datalist' && find(list, 'option')) facts.dt = true;
  }
  return facts;
}

function optionFacts(el) {
  const options = property(el, 'options');
  const facts = [];
  for (let i = 0; i < options.length && i < MAX_OPTIONS; i += 1) {
    const option = options[i];
    const fact = { v: cut(property(option, 'value'), 200), l: cut(property(option, 'label'), 200) };
    if (matches(option, ':disabled')) fact.dis = true;
    if (property(option, 'selected')) fact.sel = true;
    facts.push(fact);
  }
  return facts;
}

// Would its activation submit a form?
function isSubmitLike(el, kind) {
  const type = kind === 'input' || kind === 'button' ? property(el, 'type') : '';
  if (kind === 'input') return type === 'submit' || type === 'image';
  return kind === 'button' && type === 'submit' && (property(el, 'form') !== null || attr(el, 'type') === 'submit');
}
