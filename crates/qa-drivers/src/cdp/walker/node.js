// The nodes of an observation, and how one is made from its element. WEB-024, WEB-025.
//
// Keys are short, and absent where they would say nothing:
//   r ref, p index of the nearest emitted ancestor, ro role, n name (nt: cut), t own visible text
//   where it differs from the name, d description, v value, id, ti test id, tag, path css chain,
//   b box [x,y,w,h], s states, f flags, h href, fa form action, im form facts, fm form number,
//   fr frame, cb its content box, broken image, sr/sn the pair of older scenario files.

const FLAG = {
  actionable: 1, editable: 2, secret: 4, inViewport: 8, obscured: 16, ariaHidden: 32, seedView: 64, scrollable: 128,
  submit: 256, withheld: 512, valueCut: 1024, hasBox: 2048, opensPage: 4096, tabbable: 8192, textCut: 16384, download: 32768,
};

const MAX_NODES = 5000;
const DEFAULT_TEXT_BYTES = 16 * 1024 * 1024;
const MAX_TEXT = 200;
// Of a text on the screen that is longer than a name.
const MAX_SEEN_TEXT = 20000;
const MAX_HREF = 2000;
const MAX_PATH_LEVELS = 64;
// Names may visit elements again; so often in all, then they are left out and the walk says so.
const NAME_VISITS = 50000;
const NAME_VISITS_PER_ELEMENT = 20;
// Deeper in each other than any real page has them, elements are named by their bare text.
const MAX_NAMED_DEPTH = 8;

const WIDGET_ROLES = new Set([
  'button', 'link', 'checkbox', 'radio', 'switch', 'tab', 'menuitem', 'menuitemcheckbox', 'menuitemradio', 'option',
  'treeitem', 'textbox', 'searchbox', 'combobox', 'slider', 'spinbutton', 'scrollbar',
]);
const INTERACTIVE =
  'a[href],button,input,select,textarea,summary,[role=button],[role=link],[role=checkbox],[role=radio],[role=switch],' +
  '[role=tab],[role=menuitem],[role=option],[role=treeitem],[role=textbox],[role=combobox],[role=slider],[contenteditable]';
const CONTROLS = new Set(['button', 'input', 'select', 'textarea']);
const TEST_IDS = ['data-testid', 'data-test-id', 'data-test', 'data-cy', 'data-qa'];

const baseOf = reader(Node, 'baseURI');
const formActionOf = reader(HTMLFormElement, 'action');
const NAMING_TRAITS = TRAIT.label | TRAIT.labelledby | TRAIT.title;
const HAS_STATES = new Set(['button', 'option', 'optgroup', 'fieldset', 'details', 'summary', 'dialog']);

function testIdOf(el) {
  for (const name of TEST_IDS) {
    const value = attr(el, name);
    if (value) return cut(value, MAX_TEXT);
  }
  return undefined;
}

const resolve = (href) => {
  try {
    return new URL(href, baseOf(document)).href;
  } catch {
    return href;
  }
};

// The characters a node carries; JSON keys and numbers are not worth counting.
const textLength = (node) =>
  (node.n ? node.n.length : 0) + (node.t ? node.t.length : 0) + (node.d ? node.d.length : 0) + (node.v ? node.v.length : 0) +
  (node.h ? node.h.length : 0) + (node.sn ? node.sn.length : 0) + (node.path ? node.path.length : 0);

// The element around, or the host of the shadow root that an element is at the top of.
function hostOrParent(el) {
  const parent = parentOf(el);
  const type = parent ? nodeTypeOf(parent) : 0;
  if (type === ELEMENT) return parent;
  return type === FRAGMENT && parent instanceof ShadowRoot ? hostOf(parent) : null;
}

function textOfRun(run, most) {
  let text = '';
  for (const node of run) {
    if (text.length > most / 2) break;
    text += startOf(node, most);
  }
  return text;
}

class Nodes {
  constructor(request) {
    this.maxNodes = request.maxNodes > 0 ? request.maxNodes : MAX_NODES;
    this.bytesLeft = request.maxTextBytes > 0 ? request.maxTextBytes : DEFAULT_TEXT_BYTES;
    this.tests = request.hit !== false; // what lies over an element's middle
    this.nodes = [];
    this.reasons = new Set(); // why the observation is not complete
    this.stopped = false;
    this.visited = 0;
    this.hidden = 0;
    this.labels = new Labels();
    this.forms = new Map();
    this.positions = new Map();
    this.paths = new Map(); // of what stands above many
    this.range = new Range();
    this.vw = globalThis.innerWidth;
    this.vh = globalThis.innerHeight;
    const modals = documentFindAll(document, 'dialog:modal');
    this.modal = modals.length ? modals[modals.length - 1] : null;
    this.active = deepActive();
    const base = documentFindAll(document, 'base[target]')[0];
    this.baseTarget = (base && attr(base, 'target')) || '';
  }

  // Adds the node. False if the element takes no part after all, or the budget is spent.
  emit(frame, parent, role, actionable, canScroll, box) {
    const { el, kind } = frame;
    if (this.nodes.length >= this.maxNodes) {
      this.stop('node-budget-exceeded');
      return false;
    }
    const isArea = !box || (box.width > 0 && box.height > 0);
    frame.isEmpty = !box || !isArea;
    const node = { r: refOf(el) };
    if (frame.index >= 0) node.p = frame.index;
    node.ro = role;
    let flags = isArea && box ? FLAG.hasBox : 0;
    if (actionable) flags |= FLAG.actionable;
    if (canScroll) flags |= FLAG.scrollable;
    if (frame.isAriaHidden) flags |= FLAG.ariaHidden;
    if (frame.isOpaque && isArea && box) flags |= FLAG.seedView;
    else if (frame.isSeed && !frame.isEmpty) this.hidden += 1;

    this.nameNode(node, frame, role, actionable);

    const isField = kind === 'input' || kind === 'textarea' || kind === 'select';
    const traits = frame.traits;
    const hasAria = (traits & TRAIT.aria) !== 0;
    if (frame.isEditor || kind === 'textarea' || (kind === 'input' && !UNTYPED_INPUTS.has(inputType(el)))) flags |= FLAG.editable;
    if (isField || frame.isEditor || hasAria || RANGES.has(role)) {
      const secret = isSecret(el, kind);
      if (secret) flags |= FLAG.secret;
      flags |= readNodeValue(node, el, kind, secret || frame.isAriaHidden);
    }
    if (traits & TRAIT.id) node.id = cut(attr(el, 'id'), MAX_TEXT);
    if (traits & TRAIT.test) node.ti = testIdOf(el);
    node.tag = tagOf(el);
    if (actionable && !node.ti && !node.id) node.path = this.pathOf(el);
    if (box) node.b = boxArray(box);

    if (hasAria || frame.isDisabled || isField || HAS_STATES.has(kind) || role === 'heading') {
      const states = statesOf(el, kind, role, frame.isDisabled, hasAria);
      if (states) node.s = states;
    }
    if (el === this.active) (node.s = node.s || {}).focused = true;
    if (traits & TRAIT.tabindex) flags |= FLAG.tabbable;

    flags |= this.readTarget(node, el, kind);
    if (isField) node.im = formFacts(el, kind, this.labels);
    if (CONTROLS.has(kind)) {
      const form = property(el, 'form');
      if (form) node.fm = this.formNumber(form);
    } else if (kind === 'form') {
      node.fm = this.formNumber(el);
    }
    if (kind === 'iframe' || kind === 'frame' || (kind === 'object' && property(el, 'contentWindow'))) {
      node.fr = 1;
      if (box) node.cb = contentBox(el, box);
    }
    if (kind === 'img' && property(el, 'complete') && property(el, 'naturalWidth') === 0 && attr(el, 'src')) {
      node.broken = 1;
      node.src = cut(resolve(attr(el, 'src')), MAX_HREF);
    }
    if (frame.isSeed || actionable) {
      const name = seedNameOf(el, kind, this.labels);
      if (frame.isSeed) this.readSeed(node, el, kind, name);
      noteIdentity(el, kind, role, name);
    }

    if (box && isArea && this.meetsViewport(box)) {
      flags |= FLAG.inViewport;
      if (actionable && this.tests && !this.isReachable(el, box)) flags |= FLAG.obscured;
    }
    if (actionable && this.modal && !frame.isInModal) flags |= FLAG.obscured;
    if (flags) node.f = (node.f || 0) | flags;
    return this.push(node, frame);
  }

  // A run of text nodes as one node with role `text`.
  emitText(run, frame) {
    const name = collapse(textOfRun(run, 8 * MAX_NAME));
    if (!name) return;
    const first = run[0];
    const last = run[run.length - 1];
    let box;
    if (run.length === 1 && lengthOf(first) > 20000) {
      box = boxOf(frame.el);
    } else {
      this.range.setStart(first, 0);
      this.range.setEnd(last, lengthOf(last));
      box = new Box(this.range.getBoundingClientRect());
    }
    if (box.width <= 0 || box.height <= 0) return;
    // Skipped text has a box if it is asked for one.
    if ((frame.style || styleOf(frame.el)).contentVisibility === 'hidden') return;
    if (this.nodes.length >= this.maxNodes) return this.stop('node-budget-exceeded');
    const short = cut(name, MAX_NAME);
    const node = { r: refOf(first) };
    if (frame.index >= 0) node.p = frame.index;
    node.ro = 'text';
    node.n = short;
    const isSeen = this.meetsViewport(box);
    let isCut = false;
    if (short.length < name.length || lengthOf(first) > 8 * MAX_NAME) {
      node.nt = 1;
      // A picture shows all of it, so all of it must be read.
      if (isSeen) {
        const whole = collapse(textOfRun(run, 2 * MAX_SEEN_TEXT));
        node.t = cut(whole, MAX_SEEN_TEXT);
        isCut = node.t.length < whole.length;
      }
    }
    node.tag = '#text';
    node.b = boxArray(box);
    node.f = FLAG.hasBox | (isSeen ? FLAG.inViewport : 0) | (isCut ? FLAG.textCut : 0);
    this.push(node, null);
  }

  push(node, frame) {
    const bytes = textLength(node);
    if (bytes > this.bytesLeft) {
      this.stop('byte-budget-exceeded');
      return false;
    }
    this.bytesLeft -= bytes;
    if (frame) {
      frame.own = this.nodes.length;
      frame.index = frame.own;
    }
    this.nodes.push(node);
    return true;
  }

  stop(reason) {
    this.reasons.add(reason);
    this.stopped = true;
  }

  // Name, description and own text. A text leaf inside an element that is named by its content
  // would only say the name again, so none is emitted there: `isNamed` tells the children.
  nameNode(node, frame, role, actionable) {
    const { el, kind } = frame;
    const traits = frame.traits;
    const byContent = NAMED_BY_CONTENT.has(role);
    let name = '';
    let source = '';
    if (byContent) frame.namedDepth += 1;
    if (this.labels.spent > NAME_VISITS + NAME_VISITS_PER_ELEMENT * this.visited) {
      this.reasons.add('scan-window-exceeded');
    } else if (byContent && frame.namedDepth > MAX_NAMED_DEPTH) {
      name = collapse(textContentOf(el, MAX_NAME));
      source = name ? 'content' : '';
    } else if (traits & NAMING_TRAITS || byContent || NATIVELY_NAMED.has(kind)) {
      ({ name, source } = nameOf(el, this.labels, role));
    }
    // ARIA names few roles by their content. Something that can be clicked is named by it in any
    // case, because there is nothing else to tell it by; not if it holds controls of its own.
    const isPlain = actionable && !byContent && !WIDGET_ROLES.has(role) && !CONTROLS.has(kind) && !frame.isEditor;
    const isLeaf = isPlain && (kind === 'label' || !find(el, INTERACTIVE));
    if (isLeaf && !name) {
      name = kind === 'label' ? this.labels.textOf(el) : contentOf(el, this.labels);
      source = 'content';
    }
    const short = cut(name, MAX_NAME);
    if (short) node.n = short;
    if (short.length < name.length) {
      node.nt = 1;
      // Nobody lists the text inside these.
      if (source === 'content' && CHILDREN_PRESENTATIONAL.has(role)) node.f = FLAG.textCut;
    }
    // Content too long for a name is listed as well, or nobody would see its end.
    if ((byContent || (isLeaf && source === 'content')) && !node.nt) frame.isNamed = true;
    // Nobody else lists the text of these.
    const holdsText = byContent || isLeaf || CHILDREN_PRESENTATIONAL.has(role);
    if (source !== 'content' && holdsText && !LEAVES.has(kind) && firstShownOf(el)) {
      const whole = contentOf(el, this.labels);
      const text = cut(whole, MAX_TEXT);
      if (text && text !== name) node.t = text;
      if (text.length < whole.length) node.f = FLAG.textCut;
    }
    if (frame.isEditor) frame.isNamed = true;
    if (traits & (TRAIT.describe | TRAIT.title)) {
      const description = cut(descriptionOf(el, this.labels, name, source), MAX_TEXT);
      if (description) node.d = description;
    }
  }

  // Where an activation would lead.
  readTarget(node, el, kind) {
    let flags = 0;
    if ((kind === 'a' || kind === 'area') && has(el, 'href')) {
      node.h = cut(property(el, 'href'), MAX_HREF);
      if ((property(el, 'target') || this.baseTarget).toLowerCase() === '_blank') flags |= FLAG.opensPage;
      if (has(el, 'download')) flags |= FLAG.download;
    } else if (kind === 'svg:a') {
      const href = attr(el, 'href') || attr(el, 'xlink:href');
      if (href) node.h = cut(resolve(href), MAX_HREF);
    } else if (isSubmitLike(el, kind)) {
      flags |= FLAG.submit;
      const form = property(el, 'form');
      if (has(el, 'formaction')) node.fa = cut(property(el, 'formAction'), MAX_HREF);
      else if (form) node.fa = cut(formActionOf(form), MAX_HREF);
    } else if (kind === 'input') {
      // Enter in a field sends its form.
      const form = property(el, 'form');
      if (form && has(form, 'action')) node.fa = cut(formActionOf(form), MAX_HREF);
    }
    return flags;
  }

  readSeed(node, el, kind, name) {
    const role = seedRoleOf(el, kind);
    if (role !== node.ro) node.sr = role;
    if (name !== (node.n || '')) node.sn = name;
  }

  formNumber(form) {
    let number = this.forms.get(form);
    if (number === undefined) this.forms.set(form, (number = this.forms.size));
    return number;
  }

  meetsViewport(box) {
    return box.right > 0 && box.bottom > 0 && box.left < this.vw && box.top < this.vh;
  }

  isReachable(el, box) {
    const x = (Math.max(0, box.left) + Math.min(this.vw, box.right)) / 2;
    const y = (Math.max(0, box.top) + Math.min(this.vh, box.bottom)) / 2;
    if (isHitFor(el, deepestAt(x, y), this.labels)) return true;
    // A link that wraps over lines has no middle; then its first piece decides.
    const rects = rectsOf(el);
    if (rects.length < 2) return false;
    const [first] = rects;
    return isHitFor(el, deepestAt((first.left + first.right) / 2, (first.top + first.bottom) / 2), this.labels);
  }

  // `tag:nth-of-type(n)>…` from the root of the tree, `>>` where a shadow root begins.
  pathOf(el) {
    const chain = [];
    let at = el;
    let above = null;
    while (at && chain.length < MAX_PATH_LEVELS) {
      const known = this.paths.get(at);
      if (known && known.levels + chain.length <= MAX_PATH_LEVELS) {
        above = known;
        break;
      }
      chain.push(at);
      at = hostOrParent(at);
    }
    const isWhole = above !== null || !at;
    let path = above ? above.path : '';
    let levels = above ? above.levels : 0;
    for (let i = chain.length - 1; i >= 0; i -= 1) {
      const parent = parentOf(chain[i]);
      const isTop = parent !== null && nodeTypeOf(parent) === FRAGMENT && parent instanceof ShadowRoot;
      path += (isTop ? '>>' : path ? '>' : '') + tagOf(chain[i]) + ':nth-of-type(' + this.positionOf(chain[i], parent) + ')';
      levels += 1;
      if (isWhole && i > 0) this.paths.set(chain[i], { path, levels });
    }
    return path;
  }

  positionOf(el, parent) {
    let position = this.positions.get(el);
    if (position !== undefined || !parent) return position || 1;
    const counts = new Map();
    for (let at = firstChildOf(parent); at; at = nextOf(at)) {
      if (nodeTypeOf(at) !== ELEMENT) continue;
      const tag = tagOf(at);
      const count = (counts.get(tag) || 0) + 1;
      counts.set(tag, count);
      this.positions.set(at, count);
      if (at === el) position = count;
    }
    return position || 1;
  }
}
