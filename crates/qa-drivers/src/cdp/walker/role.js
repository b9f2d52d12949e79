// The ARIA role of an element: the first valid token of its `role` attribute, else what HTML-AAM
// gives its element. `image` stands for `img` and `none` for `presentation`; `generic` is said
// where a mapping says so or says nothing.

const ROLES = new Set(
  ('alert alertdialog application article banner blockquote button caption cell checkbox code columnheader ' +
    'combobox comment complementary contentinfo definition deletion dialog directory document emphasis feed figure ' +
    'form generic grid gridcell group heading image img insertion link list listbox listitem log main mark marquee ' +
    'math menu menubar menuitem menuitemcheckbox menuitemradio meter navigation none note option paragraph ' +
    'presentation progressbar radio radiogroup region row rowgroup rowheader scrollbar search searchbox separator ' +
    'slider spinbutton status strong subscript suggestion superscript switch tab table tablist tabpanel term textbox ' +
    'time timer toolbar tooltip tree treegrid treeitem graphics-document graphics-object graphics-symbol').split(' '),
);
const SYNONYMS = { img: 'image', presentation: 'none' };

// Attributes that keep an element in the tree although its role is `none`.
const GLOBAL_ATTRIBUTES =
  ('atomic busy controls current describedby details dropeffect flowto grabbed hidden keyshortcuts label ' +
    'labelledby live owns relevant roledescription')
    .split(' ')
    .map((name) => 'aria-' + name);

const SECTIONING =
  'article,aside,main,nav,section,[role=article],[role=complementary],[role=main],[role=navigation],[role=region]';
const ASIDE_SCOPES = 'article,aside,nav,section,[role=article],[role=complementary],[role=navigation],[role=region]';

const PLAIN_ROLES = {
  address: 'group', article: 'article', b: 'strong', blockquote: 'blockquote', button: 'button', caption: 'caption',
  code: 'code', datalist: 'listbox', dd: 'definition', del: 'deletion', details: 'group', dfn: 'term',
  dialog: 'dialog', dt: 'term', em: 'emphasis', fieldset: 'group', figure: 'figure', form: 'form', frame: 'iframe',
  h1: 'heading', h2: 'heading', h3: 'heading', h4: 'heading', h5: 'heading', h6: 'heading', hgroup: 'group',
  hr: 'separator', html: 'document', iframe: 'iframe', ins: 'insertion', main: 'main', mark: 'mark', math: 'math',
  menu: 'list', meter: 'meter', nav: 'navigation', ol: 'list', optgroup: 'group', option: 'option',
  output: 'status', p: 'paragraph', progress: 'progressbar', s: 'deletion', search: 'search', strong: 'strong',
  sub: 'subscript', sup: 'superscript', table: 'table', textarea: 'textbox', time: 'time', ul: 'list',
  'xml:math': 'math', 'svg:image': 'image',
};
const INPUT_ROLES = {
  button: 'button', checkbox: 'checkbox', file: 'button', hidden: 'none', image: 'button', number: 'spinbutton',
  radio: 'radio', range: 'slider', reset: 'button', search: 'searchbox', submit: 'button',
};
const LISTABLE = new Set(['text', 'search', 'tel', 'url', 'email']);
const TABLE_PARTS = new Set(['tbody', 'thead', 'tfoot', 'tr', 'td', 'th']);

const inputType = (el) => property(el, 'type') || 'text';

const named = (el) =>
  !!(attr(el, 'aria-label') || '').trim() || referenced(el, 'aria-labelledby', 'ariaLabelledByElements').length > 0;
const titled = (el) => named(el) || !!(attr(el, 'title') || '').trim();

function isEditingHost(el) {
  const value = attr(el, 'contenteditable');
  return value !== null && value.toLowerCase() !== 'false' && value.toLowerCase() !== 'inherit';
}

// Could hold the focus, by tab or by script. Enough for the conflict rule of role `none`.
function isFocusable(el, kind) {
  const tabindex = attr(el, 'tabindex');
  if (tabindex !== null && /^\s*[-+]?\d/.test(tabindex)) return true;
  switch (kind) {
    case 'button': case 'input': case 'select': case 'textarea':
      return !matches(el, ':disabled');
    case 'a': case 'area':
      return has(el, 'href');
    case 'summary':
      return isDetailsSummary(el);
    case 'iframe': case 'frame':
      return true;
    case 'audio': case 'video':
      return has(el, 'controls');
    default:
      return isEditingHost(el);
  }
}

function isDetailsSummary(el) {
  const parent = parentElementOf(el);
  if (!parent || kindOf(parent) !== 'details') return false;
  for (let at = previousElementOf(el); at; at = previousElementOf(at)) if (kindOf(at) === 'summary') return false;
  return true;
}

// The first valid token of the attribute, or null.
function roleToken(el) {
  const value = attr(el, 'role');
  if (!value) return null;
  for (const token of value.slice(0, 256).toLowerCase().split(/[ \t\n\r\f]+/)) {
    if (ROLES.has(token) || token.startsWith('doc-')) return SYNONYMS[token] || token;
  }
  return null;
}

function roleOf(el, kind = kindOf(el)) {
  const token = roleToken(el);
  if (token === null) return implicitRole(el, kind);
  if (token !== 'none') return token;
  // A focusable element, or one with a global ARIA attribute, cannot be presentational.
  if (isFocusable(el, kind) || GLOBAL_ATTRIBUTES.some((name) => has(el, name))) return implicitRole(el, kind);
  return 'none';
}

function implicitRole(el, kind) {
  const plain = PLAIN_ROLES[kind];
  if (plain !== undefined) return plain;
  switch (kind) {
    case 'div': case 'span': case 'body':
      return 'generic';
    case 'a': case 'area':
      return has(el, 'href') ? 'link' : 'generic';
    case 'svg:a':
      return has(el, 'href') || has(el, 'xlink:href') ? 'link' : 'generic';
    case 'input':
      return inputRole(el);
    case 'select':
      return isListBox(el) ? 'listbox' : 'combobox';
    case 'summary':
      return isDetailsSummary(el) ? 'button' : 'generic';
    case 'img':
      return attr(el, 'alt') === '' && !titled(el) && !isFocusable(el, kind) ? 'none' : 'image';
    case 'li':
      return listItemRole(el);
    case 'section':
      return titled(el) ? 'region' : 'generic';
    case 'aside':
      return titled(el) || !insideOf(el, ASIDE_SCOPES) ? 'complementary' : 'generic';
    case 'header':
      return insideOf(el, SECTIONING) ? 'generic' : 'banner';
    case 'footer':
      return insideOf(el, SECTIONING) ? 'generic' : 'contentinfo';
    case 'svg:svg':
      return titled(el) || svgTitle(el) ? 'image' : 'generic';
    default:
      return TABLE_PARTS.has(kind) ? tablePartRole(el, kind) : 'generic';
  }
}

function inputRole(el) {
  const type = inputType(el);
  if (LISTABLE.has(type) && has(el, 'list')) {
    const list = byId(rootOf(el), attr(el, 'list'));
    if (list && kindOf(list) === 'datalist') return 'combobox';
  }
  return INPUT_ROLES[type] || 'textbox';
}

const isListBox = (el) => property(el, 'multiple') || property(el, 'size') > 1;

function insideOf(el, selector) {
  const parent = parentElementOf(el);
  return parent !== null && closest(parent, selector) !== null;
}

// The parent that decides a list item's or a table part's meaning, looking through slots.
function ownerOf(el) {
  let parent = composedParent(el);
  while (parent && kindOf(parent) === 'slot') parent = composedParent(parent);
  return parent;
}

function listItemRole(el) {
  const parent = ownerOf(el);
  if (!parent) return 'generic';
  const kind = kindOf(parent);
  const role = roleToken(parent);
  if (kind === 'ul' || kind === 'ol' || kind === 'menu') {
    return role === 'none' && roleOf(parent, kind) === 'none' ? 'none' : 'listitem';
  }
  return role === 'list' ? 'listitem' : 'generic';
}

function tablePartRole(el, kind) {
  const table = closest(el, 'table');
  if (!table) return 'generic';
  const tableRole = roleToken(table);
  if (tableRole === 'none' && roleOf(table) === 'none') return 'none';
  if (kind === 'tr') return 'row';
  if (kind === 'td') return tableRole === 'grid' || tableRole === 'treegrid' ? 'gridcell' : 'cell';
  if (kind !== 'th') return 'rowgroup';
  const scope = (attr(el, 'scope') || '').toLowerCase();
  if (scope === 'row' || scope === 'rowgroup') return 'rowheader';
  if (scope === 'col' || scope === 'colgroup') return 'columnheader';
  const row = parentElementOf(el);
  if (row && !previousElementOf(el) && closest(row, 'thead') === null) {
    for (let at = nextElementOf(el); at; at = nextElementOf(at)) if (kindOf(at) === 'td') return 'rowheader';
  }
  return 'columnheader';
}

function svgTitle(el) {
  for (let at = firstElementOf(el); at; at = nextElementOf(at)) if (kindOf(at) === 'svg:title') return at;
  return null;
}
