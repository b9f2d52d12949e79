// The accessible name and description, after accname 1.2 and HTML-AAM.
//
// `alternative` is the recursive step of accname for one node; the bits of `how` say how the
// computation came to it. A `Naming` is one computation: it remembers the nodes already used and
// bounds the work, so that neither a reference cycle nor a huge or deep subtree costs more than a
// fixed amount. What lies beyond the bounds does not reach the name.

const ITSELF = 1; // the element whose name is asked for
const INSIDE = 2; // its content
const REFERENCED = 4; // reached through aria-labelledby or aria-describedby
const LABELLING = 8; // reached through a label element
const NATIVE = 16; // reached as legend, caption, figcaption or title
const HIDDEN = 32; // below a reference that is itself hidden: everything counts
const UNSEEN = 64; // directly in an element that `visibility` hides: its elements may count, its text does not

const BARE = 128; // without the values of controls, which change as somebody types

const MAX_NAME = 500;
const MAX_NODES_PER_NAME = 2000;
const MAX_NAME_DEPTH = 150;

const NAMED_BY_CONTENT = new Set([
  'button', 'cell', 'checkbox', 'columnheader', 'gridcell', 'heading', 'link', 'menuitem', 'menuitemcheckbox',
  'menuitemradio', 'option', 'radio', 'row', 'rowheader', 'switch', 'tab', 'tooltip', 'treeitem',
]);
// Roles whose content counts when they stand inside something that is named by content.
const TRANSPARENT = new Set([
  'generic', 'caption', 'code', 'contentinfo', 'definition', 'deletion', 'emphasis', 'insertion', 'list', 'listitem',
  'mark', 'none', 'paragraph', 'region', 'row', 'rowgroup', 'strong', 'subscript', 'superscript', 'table', 'term',
  'time', 'group', 'document', 'article', 'blockquote', 'suggestion', 'comment',
]);
// Rows and cells hold forms as often as text; the values in them are no part of what they are.
const BARE_ROLES = new Set(['cell', 'columnheader', 'gridcell', 'row', 'rowheader', 'treeitem']);
const RANGES = new Set(['progressbar', 'scrollbar', 'slider', 'spinbutton', 'meter']);
const UNSPOKEN = new Set(['script', 'style', 'template', 'noscript']);
const PLACEHOLDER_TYPES = new Set(['text', 'password', 'search', 'tel', 'email', 'url', 'number']);
const INLINE = new Set(['inline', 'contents', 'ruby', 'ruby-text', '']);

class Naming {
  constructor(labels) {
    this.labels = labels; // the `Labels` of the walk
    this.used = new Set();
    this.left = MAX_NODES_PER_NAME;
    this.depth = 0;
    this.source = ''; // where the asked element's name came from
  }
}

// Which label elements a control has. Asking each control for its `labels` searches the whole
// document every time; asking each label for its control, once per tree, does not.
class Labels {
  constructor() {
    this.roots = new Map();
    this.texts = new Map();
    this.spent = 0; // nodes visited for names
    this.documentGenerates = documentGenerates();
  }
  // What a label says.
  textOf(label) {
    let text = this.texts.get(label);
    if (text === undefined) this.texts.set(label, (text = contentOf(label, this)));
    return text;
  }
  of(control) {
    const root = rootOf(control);
    let byControl = this.roots.get(root);
    if (!byControl) {
      this.roots.set(root, (byControl = new Map()));
      const isDocument = root instanceof Document;
      const labels = isDocument ? documentFindAll(root, 'label') : root instanceof DocumentFragment ? fragmentFindAll(root, 'label') : [];
      for (const label of labels) {
        const target = labelControlOf(label);
        if (!target) continue;
        const list = byControl.get(target);
        if (list) list.push(label);
        else byControl.set(target, [label]);
      }
    }
    return byControl.get(control) || [];
  }
}

// `{name, source}`; source is 'content' if the name is what the element shows.
function nameOf(el, labels = new Labels(), role = roleOf(el)) {
  const naming = new Naming(labels);
  const name = collapse(alternative(el, ITSELF, naming, role));
  labels.spent += MAX_NODES_PER_NAME - naming.left;
  return { name, source: name ? naming.source : '' };
}

// What the element shows, whatever its role and its labels, and whatever its fields hold.
function contentOf(el, labels) {
  const naming = new Naming(labels);
  naming.used.add(el); // a control inside is labelled by it, and must not bring it in again
  const text = collapse(content(el, INSIDE | BARE, naming));
  labels.spent += MAX_NODES_PER_NAME - naming.left;
  return text;
}

function descriptionOf(el, labels, name, source) {
  const targets = referenced(el, 'aria-describedby', 'ariaDescribedByElements').slice(0, 10);
  if (targets.length) {
    const naming = new Naming(labels);
    const text = collapse(targets.map((target) => referencedText(target, naming)).join(' '));
    labels.spent += MAX_NODES_PER_NAME - naming.left;
    if (text) return text;
  }
  const text = collapse((attr(el, 'aria-description') || '').slice(0, 4096));
  if (text) return text;
  const title = source === 'title' ? '' : collapse((attr(el, 'title') || '').slice(0, 4096));
  return title === name ? '' : title;
}

function alternative(el, how, naming, role) {
  if (naming.used.has(el) || naming.left <= 0) return '';
  naming.left -= 1;
  const kind = kindOf(el);
  if (UNSPOKEN.has(kind)) return '';
  const traits = traitsOf(el);

  // Hidden content does not count, unless asked for directly.
  how &= ~UNSEEN;
  if (!(how & (HIDDEN | ITSELF))) {
    const part = partRendering(el, kind, traits);
    if (part === GONE) {
      naming.used.add(el);
      return '';
    }
    if (part === VEILED) how |= UNSEEN;
  }

  // aria-labelledby, not followed twice.
  const references = traits & TRAIT.labelledby && !(how & REFERENCED) ? referenced(el, 'aria-labelledby', 'ariaLabelledByElements') : [];
  if (references.length) {
    const text = references.map((target) => referencedText(target, naming)).filter(isText).join(' ');
    if (isText(text)) return from('labelledby', text, how, naming);
  }

  if (role === undefined) role = traits & TRAIT.role ? roleOf(el, kind) : implicitRole(el, kind);

  // A control inside a label counts with its value.
  if (how & (LABELLING | REFERENCED | INSIDE)) {
    const value = embeddedValue(el, kind, role, how, naming);
    if (value !== null) {
      naming.used.add(el);
      return value;
    }
  }

  if (traits & TRAIT.label) {
    const label = attr(el, 'aria-label');
    if (isText(label)) {
      naming.used.add(el);
      return from('label', label.slice(0, 4096), how, naming);
    }
  }

  if (role !== 'none') {
    const text = nativeText(el, kind, how, naming, references.length > 0);
    if (text !== null) return text;
  }

  const byContent =
    NAMED_BY_CONTENT.has(role) ||
    (how & INSIDE && (TRANSPARENT.has(role) || role === 'none')) ||
    how & (REFERENCED | LABELLING | NATIVE);
  let text = '';
  if (byContent) {
    naming.used.add(el);
    text = content(el, how & ITSELF ? (how & ~ITSELF) | INSIDE | (BARE_ROLES.has(role) ? BARE : 0) : how, naming, kind, traits);
    if (isText(text)) return from('content', text, how, naming);
  }

  naming.used.add(el);
  const title = traits & TRAIT.title && (role !== 'none' || kind === 'iframe') ? attr(el, 'title') : null;
  if (title !== null && isText(title)) return from('title', title.slice(0, 4096), how, naming);
  // Nothing but white space still separates the words around it.
  return text && !(how & ITSELF) ? ' ' : '';
}

const isText = (text) => /\S/.test(text);

function from(source, text, how, naming) {
  if (how & ITSELF) naming.source = source;
  return text;
}

function partRendering(el, kind, traits) {
  if (traits & TRAIT.hidden && attr(el, 'aria-hidden') === 'true') return GONE;
  // A slot has no box, the options of a closed select have none either, yet both are shown.
  if (kind === 'slot' || kind === 'option' || kind === 'optgroup') return SHOWN;
  return rendering(el);
}

function referencedText(target, naming) {
  return alternative(target, REFERENCED | (hiddenFromNames(target) ? HIDDEN : 0), naming);
}

function labelText(labels, naming) {
  return labels
    .map((label) => alternative(label, LABELLING | (hiddenFromNames(label) ? HIDDEN : 0), naming))
    .filter(isText)
    .join(' ');
}

// The value of a control that stands inside a label or inside named content; null if it is not
// such a control. The control being named is already among the used nodes and never gets here.
function embeddedValue(el, kind, role, how, naming) {
  const range = RANGES.has(role);
  if (!range && role !== 'textbox' && role !== 'searchbox' && role !== 'combobox' && role !== 'listbox' && role !== 'menu') {
    return null;
  }
  if (how & BARE && role !== 'menu') return '';
  if (how & REFERENCED && referenced(el, 'aria-labelledby').includes(el)) return null;
  if (role === 'menu') return '';
  if (range) {
    const native = kind === 'input' ? property(el, 'value') : attr(el, 'value');
    return attr(el, 'aria-valuetext') || attr(el, 'aria-valuenow') || native || '';
  }
  if (role === 'textbox' || role === 'searchbox') {
    if (isSecret(el, kind)) return '';
    return kind === 'input' || kind === 'textarea' ? String(property(el, 'value')).slice(0, 4096) : content(el, INSIDE, naming);
  }
  if (kind === 'select') {
    const chosen = Array.from(property(el, 'selectedOptions'));
    return chosen.slice(0, 20).map((option) => alternative(option, INSIDE, naming)).join(' ');
  }
  const list = role === 'listbox' ? el : ownedDescendants(el, '*').find((at) => roleOf(at) === 'listbox');
  const chosen = list ? ownedDescendants(list, '[aria-selected=true]').filter((at) => roleOf(at) === 'option') : [];
  if (chosen.length) return chosen.slice(0, 20).map((option) => alternative(option, INSIDE, naming)).join(' ');
  if (kind === 'input') return String(property(el, 'value')).slice(0, 4096);
  return role === 'combobox' && !list ? content(el, INSIDE, naming) : '';
}

// Matching descendants, and those of what it owns by aria-owns; bounded.
function ownedDescendants(el, selector) {
  const found = Array.from(findAll(el, selector)).slice(0, 500);
  for (const owned of referenced(el, 'aria-owns')) {
    if (matches(owned, selector)) found.push(owned);
    for (const inner of Array.from(findAll(owned, selector)).slice(0, 500)) found.push(inner);
  }
  return found;
}

const NATIVELY_NAMED = new Set([
  'input', 'textarea', 'select', 'button', 'meter', 'progress', 'output', 'fieldset', 'figure', 'table', 'img', 'area',
  'optgroup', 'option', 'svg:svg', 'svg:a', 'svg:g', 'svg:image',
]);

// What the host language offers as a name; null to go on to the content.
function nativeText(el, kind, how, naming, isReferencing) {
  if (!NATIVELY_NAMED.has(kind)) return null;
  const title = () => {
    const text = attr(el, 'title');
    return text !== null && isText(text) ? from('title', text, how, naming) : '';
  };
  const labelled = () => {
    if (how & REFERENCED) return '';
    const labels = naming.labels.of(el);
    naming.used.add(el);
    const text = labels.length ? labelText(labels, naming) : '';
    return text && from('label', text, how, naming);
  };
  const firstOf = (...texts) => {
    for (const text of texts) {
      const value = typeof text === 'function' ? text() : text;
      if (value && isText(value)) {
        if (how & ITSELF && typeof text !== 'function') naming.source = 'native';
        return value;
      }
    }
    return '';
  };
  const child = (wanted) => {
    for (let at = firstElementOf(el); at; at = nextElementOf(at)) {
      if (kindOf(at) !== wanted) continue;
      // An SVG title is never rendered, and is plain text.
      const text = wanted === 'svg:title' ? textContentOf(at, MAX_NAME) : alternative(at, NATIVE, naming);
      return isText(text) ? from('native', text, how, naming) : '';
    }
    return '';
  };
  switch (kind) {
    case 'input': {
      naming.used.add(el);
      const type = inputType(el);
      if (type === 'button' || type === 'submit' || type === 'reset') {
        const fallback = type === 'submit' ? 'Submit' : type === 'reset' ? 'Reset' : '';
        return firstOf(labelled, attr(el, 'value'), attr(el, 'value') === null ? fallback : '', title);
      }
      if (type === 'image') return firstOf(labelled, attr(el, 'alt'), title, 'Submit');
      return firstOf(labelled, title, PLACEHOLDER_TYPES.has(type) && attr(el, 'placeholder'), attr(el, 'aria-placeholder'));
    }
    case 'textarea':
      naming.used.add(el);
      return firstOf(labelled, title, attr(el, 'placeholder'), attr(el, 'aria-placeholder'));
    case 'select':
      naming.used.add(el);
      return firstOf(labelled, title);
    case 'button': case 'meter': case 'progress': case 'output': {
      if (isReferencing && kind === 'output') return null;
      const text = labelled();
      if (text) return text;
      return kind === 'button' || how & ~ITSELF ? null : title();
    }
    case 'fieldset': case 'figure': case 'table': {
      naming.used.add(el);
      const text = child(kind === 'fieldset' ? 'legend' : kind === 'figure' ? 'figcaption' : 'caption');
      if (isText(text)) return text;
      if (kind === 'table' && attr(el, 'summary')) return firstOf(attr(el, 'summary'));
      naming.used.delete(el);
      return how & ITSELF ? title() : null;
    }
    case 'img': case 'area':
      naming.used.add(el);
      return firstOf(attr(el, 'alt'), title);
    case 'optgroup': case 'option':
      return firstOf(attr(el, 'label')) || null;
    case 'svg:svg': case 'svg:a': case 'svg:g': case 'svg:image': {
      const text = child('svg:title');
      if (isText(text)) return text;
      const link = kind === 'svg:a' ? attr(el, 'xlink:title') : null;
      return link && isText(link) ? from('native', link, how, naming) : null;
    }
    default:
      return null;
  }
}

// The text of an element's content in composed order, generated content included.
function content(el, how, naming, kind = kindOf(el), traits = traitsOf(el)) {
  if (naming.depth >= MAX_NAME_DEPTH) return textContentOf(el, MAX_NAME);
  naming.depth += 1;
  const generates = !(how & UNSEEN) && mayGenerate(el, naming.labels);
  let out = generates ? generated(el, '::before') : '';
  const list = slotted(el, kind);
  let at = list ? 0 : firstShownOf(el);
  for (;;) {
    const node = list ? list[at] : at;
    if (!node || out.length > 8 * MAX_NAME || naming.left <= 0) break;
    out += childText(node, how, naming);
    at = list ? at + 1 : nextOf(node);
  }
  if (traits & TRAIT.owns) {
    for (const owned of referenced(el, 'aria-owns')) out += childText(owned, how, naming);
  }
  naming.depth -= 1;
  return generates ? out + generated(el, '::after') : out;
}

function childText(node, how, naming) {
  const type = nodeTypeOf(node);
  if (type === TEXT || type === CDATA) {
    naming.left -= 1;
    return how & UNSEEN ? '' : startOf(node, 8 * MAX_NAME);
  }
  if (type !== ELEMENT) return '';
  const text = alternative(node, how, naming);
  if (tagOf(node) === 'br') return ' ';
  return INLINE.has(styleOf(node).display) ? text : ' ' + text + ' ';
}

// Asking an element for its two generated boxes costs more than all the rest of its name, so it is
// not asked where no style sheet of the document has such a rule. Inside a shadow root, and for
// what a slot may style, it always is.
function mayGenerate(el, labels) {
  if (labels.documentGenerates || rootOf(el) !== document) return true;
  const parent = parentElementOf(el);
  return parent !== null && shadowOf(parent) !== null;
}

const styleSheetsOf = reader(Document, 'styleSheets');
const adoptedSheetsOf = reader(Document, 'adoptedStyleSheets');
const knownSheets = new WeakMap();

function documentGenerates() {
  const sheets = styleSheetsOf(document);
  for (let i = 0; i < sheets.length; i += 1) if (sheetGenerates(sheets[i])) return true;
  for (const sheet of adoptedSheetsOf(document)) if (sheetGenerates(sheet)) return true;
  return false;
}

// Remembered as long as the sheet has the same number of rules and the same last one.
function sheetGenerates(sheet) {
  let rules;
  try {
    rules = sheet.cssRules;
  } catch {
    return true; // of another origin, unreadable
  }
  const last = rules.length ? rules[rules.length - 1] : null;
  const known = knownSheets.get(sheet);
  if (known && known.length === rules.length && known.last === last) return known.generates;
  let generates = false;
  for (let i = 0; i < rules.length && !generates; i += 1) {
    const rule = rules[i];
    const imported = rule instanceof CSSImportRule ? rule.styleSheet : null;
    generates = imported ? sheetGenerates(imported) : /::(?:before|after)/.test(rule.cssText);
  }
  knownSheets.set(sheet, { length: rules.length, last, generates });
  return generates;
}

// The text of a ::before or ::after box, by its alternative text if it has one.
function generated(el, pseudo) {
  const style = styleOf(el, pseudo);
  const value = style.content;
  if (value === 'none' || value === 'normal' || value === '' || value === '-moz-alt-content') return '';
  if (style.display === 'none' || style.visibility !== 'visible') return '';
  const text = contentText(el, value.slice(0, 4096));
  return INLINE.has(style.display) ? text : ' ' + text + ' ';
}

// Reads a computed `content` value: strings and attr(); after a slash the alternative text.
function contentText(el, value) {
  const tokens = /"((?:[^"\\]|\\[\s\S])*)"|attr\(\s*([-\w]+)[^)]*\)|url\((?:"(?:[^"\\]|\\.)*"|[^)]*)\)|(\/)|[^"\s/]+/g;
  let text = '';
  for (let token = tokens.exec(value); token; token = tokens.exec(value)) {
    if (token[3]) text = '';
    else if (token[1] !== undefined) text += unescape_(token[1]);
    else if (token[2] !== undefined) text += attr(el, token[2]) || '';
  }
  return text;
}

const unescape_ = (text) =>
  text.replace(/\\(?:([0-9a-fA-F]{1,6})\s?|\n|([\s\S]))/g, (_, hex, plain) =>
    hex ? String.fromCodePoint(Math.min(parseInt(hex, 16), 0x10ffff) || 0xfffd) : plain || '',
  );
