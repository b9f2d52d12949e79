// The second, simpler name of a node: role and name as the driver behind older scenario files
// gives them. VIEW-001, VIEW-003, VIEW-004.

const SEED_TAGS = new Set(['button', 'input', 'textarea', 'select', 'summary', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'label']);
const SEED_SELECTOR =
  'a[href],button,input,textarea,select,summary,h1,h2,h3,h4,h5,h6,label,[role],[tabindex],[contenteditable="true"]';
const SEED_INPUT_ROLES = {
  checkbox: 'checkbox', radio: 'radio', range: 'slider', button: 'button', submit: 'button', reset: 'button', image: 'button',
};
const MAX_SEED_NAME = 180;
const MAX_SEED_ROLE = 60;

function isSeedNode(el, kind, traits) {
  if (SEED_TAGS.has(kind) || traits & (TRAIT.role | TRAIT.tabindex)) return true;
  return (kind === 'a' && (traits & TRAIT.href) !== 0) || ((traits & TRAIT.editable) !== 0 && attr(el, 'contenteditable') === 'true');
}

function seedRoleOf(el, kind) {
  const written = attr(el, 'role');
  if (written) return written.slice(0, MAX_SEED_ROLE);
  switch (kind) {
    case 'a':
      if (has(el, 'href')) return 'link';
      break;
    case 'button': case 'summary':
      return 'button';
    case 'textarea':
      return 'textbox';
    case 'select':
      return 'combobox';
    case 'input':
      return SEED_INPUT_ROLES[inputType(el)] || 'textbox';
    case 'h1': case 'h2': case 'h3': case 'h4': case 'h5': case 'h6':
      return 'heading';
    default:
  }
  return has(el, 'tabindex') ? 'focusable' : 'generic';
}

const short = (texts) => collapseAll(texts.join(' ')).slice(0, MAX_SEED_NAME);
const seedText = (el) => collapseAll(textContentOf(el, MAX_SEED_NAME)).slice(0, MAX_SEED_NAME);
const seedAttr = (el, name) => collapseAll((attr(el, name) || '').slice(0, 4096)).slice(0, MAX_SEED_NAME);

function seedNameOf(el, kind, labels) {
  if (!hasAttributes.call(el) && !LABELED.has(kind)) return seedText(el);
  return (
    short(referenced(el, 'aria-labelledby').map(seedText)) ||
    seedAttr(el, 'aria-label') ||
    (LABELED.has(kind) && short(labels.of(el).map(seedText))) ||
    seedAttr(el, 'alt') ||
    seedAttr(el, 'title') ||
    seedAttr(el, 'placeholder') ||
    buttonValue(el, kind) ||
    seedText(el)
  );
}
const LABELED = new Set(['button', 'input', 'meter', 'output', 'progress', 'select', 'textarea']);

const buttonValue = (el, kind) =>
  kind === 'input' && SEED_INPUT_ROLES[inputType(el)] === 'button' ? short([property(el, 'value').slice(0, 4096)]) : '';
