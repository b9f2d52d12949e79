// DOM members taken from the prototypes, so that no element's name or id can stand in for them,
// and the few questions about one element that every other file asks.

const getter = (type, name) => Object.getOwnPropertyDescriptor(type.prototype, name).get;
const reader = (type, name) => {
  const get = getter(type, name);
  return (node) => get.call(node);
};
const method = (type, name) => {
  const call = type.prototype[name];
  return (node, ...args) => call.apply(node, args);
};

// Asked of every node: written out one by one, because the engine inlines a call whose target is
// always the same and cannot do so for closures that share their code.
const getNodeType = getter(Node, 'nodeType');
const getParent = getter(Node, 'parentNode');
const getFirstChild = getter(Node, 'firstChild');
const getNext = getter(Node, 'nextSibling');
const getLength = getter(CharacterData, 'length');
const getData = getter(CharacterData, 'data');
const getTag = getter(Element, 'localName');
const getNamespace = getter(Element, 'namespaceURI');
const getShadowRoot = getter(Element, 'shadowRoot');
const getFirstElement = getter(Element, 'firstElementChild');
const getNextElement = getter(Element, 'nextElementSibling');
const getClientWidth = getter(Element, 'clientWidth');
const getClientHeight = getter(Element, 'clientHeight');
const getScrollWidth = getter(Element, 'scrollWidth');
const getScrollHeight = getter(Element, 'scrollHeight');
const getBox = Element.prototype.getBoundingClientRect;
const getAttribute = Element.prototype.getAttribute;
const getAttributeNames = Element.prototype.getAttributeNames;
const hasAttribute = Element.prototype.hasAttribute;
const hasAttributes = Element.prototype.hasAttributes;
const checkVisibility = Element.prototype.checkVisibility;
const getX = getter(DOMRectReadOnly, 'x');
const getY = getter(DOMRectReadOnly, 'y');
const getWidth = getter(DOMRectReadOnly, 'width');
const getHeight = getter(DOMRectReadOnly, 'height');

// A box that is asked many times: the browser's own answers each question anew.
class Box {
  constructor(rect) {
    this.x = getX.call(rect);
    this.y = getY.call(rect);
    this.width = getWidth.call(rect);
    this.height = getHeight.call(rect);
  }
  get left() {
    return this.x;
  }
  get top() {
    return this.y;
  }
  get right() {
    return this.x + this.width;
  }
  get bottom() {
    return this.y + this.height;
  }
}

const nodeTypeOf = (node) => getNodeType.call(node);
const parentOf = (node) => getParent.call(node);
const firstChildOf = (node) => getFirstChild.call(node);
const nextOf = (node) => getNext.call(node);
const lengthOf = (text) => getLength.call(text);
const dataOf = (text) => getData.call(text);
const tagOf = (el) => getTag.call(el);
const namespaceOf = (el) => getNamespace.call(el);
const openRootOf = (el) => getShadowRoot.call(el);
const firstElementOf = (el) => getFirstElement.call(el);
const nextElementOf = (el) => getNextElement.call(el);
const clientWidthOf = (el) => getClientWidth.call(el);
const clientHeightOf = (el) => getClientHeight.call(el);
const scrollWidthOf = (el) => getScrollWidth.call(el);
const scrollHeightOf = (el) => getScrollHeight.call(el);
const boxOf = (el) => new Box(getBox.call(el));

const isConnected = reader(Node, 'isConnected');
const ownerDocumentOf = reader(Node, 'ownerDocument');
const rootOf = method(Node, 'getRootNode');
const contains = method(Node, 'contains');
const dataPart = method(CharacterData, 'substringData');
const assignedSlotOf = reader(Element, 'assignedSlot');
const assignedTextSlotOf = reader(Text, 'assignedSlot');
const hostOf = reader(ShadowRoot, 'host');
const previousElementOf = reader(Element, 'previousElementSibling');
const parentElementOf = reader(Node, 'parentElement');
const clientLeftOf = reader(Element, 'clientLeft');
const clientTopOf = reader(Element, 'clientTop');
const offsetWidthOf = (el) => property(el, 'offsetWidth');
const offsetHeightOf = (el) => property(el, 'offsetHeight');
const isContentEditable = (el) => property(el, 'isContentEditable') === true;
const rectsOf = method(Element, 'getClientRects');
const matches = method(Element, 'matches');
const closest = method(Element, 'closest');
const find = method(Element, 'querySelector');
const findAll = method(Element, 'querySelectorAll');
const documentFindAll = method(Document, 'querySelectorAll');
const fragmentFindAll = method(DocumentFragment, 'querySelectorAll');
const createTreeWalker = method(Document, 'createTreeWalker');
const documentById = method(Document, 'getElementById');
const fragmentById = method(DocumentFragment, 'getElementById');
const assignedNodesOf = method(HTMLSlotElement, 'assignedNodes');
const labelControlOf = reader(HTMLLabelElement, 'control');

const attr = (el, name) => getAttribute.call(el, name);
const has = (el, name) => hasAttribute.call(el, name);
const styleOf = globalThis.getComputedStyle.bind(globalThis);

const ELEMENT = 1;
const TEXT = 3;
const CDATA = 4;
const FRAGMENT = 11;
const HTML = 'http://www.w3.org/1999/xhtml';
const SVG = 'http://www.w3.org/2000/svg';

// An HTML element's tag; the tag of another vocabulary with its prefix, so that an SVG `a` or
// an `input` in some XML is never taken for the HTML element of that name.
function kindOf(el) {
  const space = namespaceOf(el);
  const tag = tagOf(el);
  return space === HTML ? tag : space === SVG ? 'svg:' + tag : 'xml:' + tag;
}

// Which of the attributes that matter here an element has, from one look at their names.
const TRAIT = {
  role: 1, hidden: 2, inert: 4, disabled: 8, tabindex: 16, editable: 32, label: 64, labelledby: 128, title: 256, owns: 512,
  id: 1024, test: 2048, describe: 4096, href: 8192, aria: 16384,
};
const TRAITS = new Map(Object.entries({
  role: TRAIT.role, 'aria-hidden': TRAIT.hidden, inert: TRAIT.inert, 'aria-disabled': TRAIT.disabled | TRAIT.aria,
  tabindex: TRAIT.tabindex, contenteditable: TRAIT.editable, 'aria-label': TRAIT.label, 'aria-labelledby': TRAIT.labelledby,
  title: TRAIT.title, 'aria-owns': TRAIT.owns, id: TRAIT.id, 'data-testid': TRAIT.test, 'data-test-id': TRAIT.test,
  'data-test': TRAIT.test, 'data-cy': TRAIT.test, 'data-qa': TRAIT.test, 'aria-describedby': TRAIT.describe,
  'aria-description': TRAIT.describe, href: TRAIT.href, 'xlink:href': TRAIT.href,
}));
function traitsOf(el) {
  if (!hasAttributes.call(el)) return 0;
  const names = getAttributeNames.call(el);
  let traits = 0;
  for (let i = 0; i < names.length; i += 1) {
    const name = names[i];
    const trait = TRAITS.get(name);
    if (trait !== undefined) traits |= trait;
    else if (name.charCodeAt(0) === 97 && name.startsWith('aria-')) traits |= TRAIT.aria;
  }
  return traits;
}

// A getter that several element types share by name, such as `form` or `value`. Null where the
// element's own type has none.
const sharedReaders = new Map();
function property(el, name) {
  const type = Object.getPrototypeOf(el);
  let byType = sharedReaders.get(name);
  if (!byType) sharedReaders.set(name, (byType = new Map()));
  let get = byType.get(type);
  if (get === undefined) {
    get = null;
    for (let proto = type; proto; proto = Object.getPrototypeOf(proto)) {
      const descriptor = Object.getOwnPropertyDescriptor(proto, name);
      if (descriptor) {
        get = descriptor.get || null;
        break;
      }
    }
    byType.set(type, get);
  }
  return get ? get.call(el) : null;
}

// Closed roots cannot be seen from script; the driver finds them through the protocol.
const closedRoots = new WeakMap();
const shadowOf = (el) => openRootOf(el) || closedRoots.get(el) || null;

// What the composed tree shows below an element: a list, or the first node of a sibling chain.
// Light children that no slot took are in neither, as on the screen.
function slotted(el, kind) {
  if (kind !== 'slot') return null;
  const nodes = assignedNodesOf(el);
  return nodes.length ? nodes : null;
}
const firstShownOf = (el) => firstChildOf(shadowOf(el) || el);

// The parent in the composed tree; null above the document element. A closed slot hides itself
// from its nodes, so there the way up leads through the host, which is enough to compare order.
function composedParent(node) {
  const slot = nodeTypeOf(node) === ELEMENT ? assignedSlotOf(node) : nodeTypeOf(node) === TEXT ? assignedTextSlotOf(node) : null;
  if (slot) return slot;
  const parent = parentOf(node);
  if (!parent) return null;
  const type = nodeTypeOf(parent);
  if (type === ELEMENT) return parent;
  return type === FRAGMENT && parent instanceof ShadowRoot ? hostOf(parent) : null;
}
function composedContains(outer, node) {
  for (let at = node; at; at = composedParent(at)) if (at === outer) return true;
  return false;
}

function byId(root, id) {
  if (root instanceof Document) return documentById(root, id);
  return root instanceof DocumentFragment ? fragmentById(root, id) : null;
}

// The elements an attribute names by id, in its order, within the tree of `el`.
function referenced(el, name, property_) {
  const value = attr(el, name);
  if (value === null) return [];
  const found = [];
  if (value.trim()) {
    const root = rootOf(el);
    for (const id of value.slice(0, 4096).split(/[ \t\n\r\f]+/)) {
      const target = id && byId(root, id);
      if (target && !found.includes(target)) found.push(target);
    }
  } else if (property_) {
    // Set from script as elements; the attribute is then empty.
    for (const target of property(el, property_) || []) found.push(target);
  }
  return found;
}

// How an element takes part in what is shown.
const SHOWN = 0; // has a box
const CONTENTS = 1; // no box of its own, its children may have one
const VEILED = 2; // `visibility` hides it, its children may be visible again
const GONE = 3; // neither it nor anything below

const WITH_VISIBILITY = { visibilityProperty: true };
const WITH_OPACITY = { visibilityProperty: true, opacityProperty: true };

function rendering(el) {
  if (checkVisibility.call(el, WITH_VISIBILITY)) return SHOWN;
  const style = styleOf(el);
  const display = style.display;
  if (display === 'none' || display === '') return GONE;
  const visible = style.visibility === 'visible';
  if (display === 'contents') return visible ? CONTENTS : VEILED;
  // Left: `visibility`, or a subtree that is skipped (closed details, content-visibility).
  return !visible && checkVisibility.call(el) ? VEILED : GONE;
}

// Hidden from assistive technology, by its own or an ancestor's rendering or `aria-hidden`.
function hiddenFromNames(el) {
  const kind = kindOf(el);
  // The options of a closed select have no box, yet they are not hidden.
  let shown = kind === 'option' || kind === 'optgroup' ? SHOWN : rendering(el);
  if (shown === GONE || shown === VEILED) return true;
  for (let at = el; at; at = composedParent(at)) {
    if (attr(at, 'aria-hidden') === 'true') return true;
    // Without a box of its own it is the parent that tells.
    if (shown === CONTENTS && at !== el) {
      shown = rendering(at);
      if (shown === GONE) return true;
    }
  }
  return false;
}

// White space is collapsed as HTML collapses it: a no-break space is text, except at the ends.
// Single spaces are left alone, so that collapsed text costs nothing.
const SPACES = / [ \t\n\r\f]+|[\t\n\r\f][ \t\n\r\f]*/g;
const collapse = (text) => text.replace(SPACES, ' ').trim();
// Values, and the names of older scenario files, have every kind of white space collapsed.
const ALL_SPACES = / \s+|[^\S ]\s*/g;
const collapseAll = (text) => text.replace(ALL_SPACES, ' ').trim();

// The beginning of a text node, never more than `most` UTF-16 units.
const startOf = (text, most) => (lengthOf(text) > most ? dataPart(text, 0, most) : dataOf(text));

// Cuts without leaving half of a surrogate pair behind.
function cut(text, most) {
  if (text.length <= most) return text;
  const last = text.charCodeAt(most - 1);
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? most - 1 : most);
}

// The collapsed text content of a subtree up to `most` characters, hidden parts included, as
// `textContent` has it; reads no more of a huge subtree than that.
function textContentOf(node, most) {
  const only = firstChildOf(node);
  if (!only) return '';
  if (nodeTypeOf(only) === TEXT && !nextOf(only)) return startOf(only, 4 * most + 4096);
  const texts = createTreeWalker(document, node, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_CDATA_SECTION);
  let out = '';
  let left = 20000;
  for (let text = texts.nextNode(); text && left > 0; text = texts.nextNode()) {
    out += startOf(text, 4096);
    left -= 1;
    if (out.length > 4 * most + 64) {
      const short = collapseAll(out);
      if (short.length > most) break;
      out = short + (/\s$/.test(out) ? ' ' : '');
    }
  }
  return out;
}
