// One pass over the composed tree of this frame. WEB-020 to WEB-028.
//
// `walk(request)` answers a JSON string, so that one protocol reply carries one string. Keys of a
// node are short and absent where they would say nothing:
//   r ref, p index of the nearest emitted ancestor, ro role, n name (nt: cut), t own visible text
//   where it differs from the name, d description, v value, id, ti test id, tag, path css chain,
//   b box [x,y,w,h], s states, f flags, h href, fa form action, im form facts, fm form number,
//   fr frame, cb its content box, broken image, sr/sn the pair of older scenario files.

const FLAG = {
  actionable: 1, editable: 2, secret: 4, inViewport: 8, obscured: 16, ariaHidden: 32, seedView: 64, scrollable: 128,
  submit: 256, withheld: 512, valueCut: 1024, hasBox: 2048, opensPage: 4096, tabbable: 8192,
};

const MAX_NODES = 5000;
const MAX_TEXT = 200;
const MAX_HREF = 2000;
const MAX_PATH_LEVELS = 64;
// Names may visit elements again; so often in all, then they are left out and the walk says so.
const NAME_VISITS = 50000;
const NAME_VISITS_PER_ELEMENT = 20;
// Deeper in each other than any real page has them, elements are named by their bare text.
const MAX_NAMED_DEPTH = 8;
const DEFAULT_TEXT_BYTES = 16 * 1024 * 1024;

const WIDGET_ROLES = new Set([
  'button', 'link', 'checkbox', 'radio', 'switch', 'tab', 'menuitem', 'menuitemcheckbox', 'menuitemradio', 'option',
  'treeitem', 'textbox', 'searchbox', 'combobox', 'slider', 'spinbutton', 'scrollbar',
]);
const CELL_ROLES = new Set(['gridcell', 'columnheader', 'rowheader']);
// What stands inside these is part of their look, not of the tree.
const CHILDREN_PRESENTATIONAL = new Set([
  'button', 'checkbox', 'image', 'math', 'menuitemcheckbox', 'menuitemradio', 'meter', 'option', 'progressbar',
  'radio', 'scrollbar', 'separator', 'slider', 'switch', 'tab',
]);
const INTERACTIVE =
  'a[href],button,input,select,textarea,summary,[role=button],[role=link],[role=checkbox],[role=radio],[role=switch],' +
  '[role=tab],[role=menuitem],[role=option],[role=treeitem],[role=textbox],[role=combobox],[role=slider],[contenteditable]';
const CONTROLS = new Set(['button', 'input', 'select', 'textarea']);
const UNWALKED = new Set([
  'script', 'style', 'template', 'noscript', 'head', 'svg:title', 'svg:desc', 'svg:defs', 'svg:metadata', 'svg:script', 'svg:style',
]);
// Elements whose children are never part of the page: fallbacks, or the parts of a control.
const LEAVES = new Set(['input', 'textarea', 'img', 'iframe', 'frame', 'embed', 'audio', 'video', 'progress', 'meter', 'canvas']);
const TEST_IDS = ['data-testid', 'data-test-id', 'data-test', 'data-cy', 'data-qa'];

const clickables = new WeakSet();

const documentElementOf = reader(Document, 'documentElement');
const bodyOf = reader(Document, 'body');
const urlOf = reader(Document, 'URL');
const baseOf = reader(Node, 'baseURI');
const titleOf = reader(Document, 'title');
const readyStateOf = reader(Document, 'readyState');
const activeInDocument = reader(Document, 'activeElement');
const activeInRoot = reader(ShadowRoot, 'activeElement');
const animationsOf = method(Document, 'getAnimations');
const animationsInRoot = method(ShadowRoot, 'getAnimations');
const pointInDocument = method(Document, 'elementFromPoint');
const pointInRoot = method(ShadowRoot, 'elementFromPoint');
const formActionOf = reader(HTMLFormElement, 'action');

const tenth = (number) => Math.round(number * 10) / 10;
const boxArray = (box) => [tenth(box.x), tenth(box.y), tenth(box.width), tenth(box.height)];

// The element at a point of the viewport, through every shadow root that can be entered.
function deepestAt(x, y) {
  let hit = pointInDocument(document, x, y);
  for (;;) {
    const root = hit && shadowOf(hit);
    const inner = root && pointInRoot(root, x, y);
    if (!inner || inner === hit) return hit;
    hit = inner;
  }
}

// Would a click that lands on `hit` be a click on `el`? Yes for the element, what is in it, its
// label and, for a label, its control.
function isHitFor(el, hit, labels) {
  if (!hit) return false;
  if (composedContains(el, hit)) return true;
  const kind = kindOf(el);
  if (kind === 'label') {
    const control = labelControlOf(el);
    return control !== null && composedContains(control, hit);
  }
  // The click on an image map's area lands on the area or on its image.
  if (kind === 'area') return kindOf(hit) === 'img' && has(hit, 'usemap');
  return LABELED.has(kind) && labels.of(el).some((label) => composedContains(label, hit));
}

function deepActive() {
  let active = activeInDocument(document);
  for (;;) {
    const root = active && shadowOf(active);
    const inner = root && activeInRoot(root);
    if (!inner) return active === bodyOf(document) || active === documentElementOf(document) ? null : active;
    active = inner;
  }
}

// One open element of the walk.
class Frame {
  constructor(el, kind, parent) {
    this.el = el;
    this.kind = kind;
    this.list = slotted(el, kind);
    this.next = this.list ? null : firstShownOf(el);
    this.at = 0;
    this.own = -1; // index of its node, if it has one
    this.index = parent ? parent.index : -1; // index of the nearest node
    this.isEmpty = false; // a node without area, kept only if something inside it is shown
    this.isSeed = false;
    this.isPointer = false; // actionable only by its cursor
    this.traits = 0;
    this.isEditor = false; // an editing host
    // What holds for everything inside:
    this.isNamed = parent ? parent.isNamed : false; // its text is the name of a node
    this.namedDepth = parent ? parent.namedDepth : 0; // so many nodes around are named by content
    this.isPruned = parent ? parent.isPruned : false; // only what can be acted on counts
    this.isAriaHidden = parent ? parent.isAriaHidden : false;
    this.isDisabled = parent ? parent.isDisabled : false;
    this.isActionable = parent ? parent.isActionable : false;
    this.isInModal = parent ? parent.isInModal : false;
    this.showsText = true;
    this.text = null; // the run of text being collected
  }
  child() {
    if (this.list) return this.list[this.at++] || null;
    const node = this.next;
    if (node) this.next = nextOf(node);
    return node;
  }
}

class Walk {
  constructor(request) {
    this.maxNodes = request.maxNodes > 0 ? request.maxNodes : MAX_NODES;
    this.bytesLeft = request.maxTextBytes > 0 ? request.maxTextBytes : DEFAULT_TEXT_BYTES;
    this.roots = []; // shadow roots entered
    this.labels = new Labels();
    this.nodes = [];
    this.reasons = new Set();
    this.errors = [];
    this.hidden = 0;
    this.visited = 0;
    this.closed = 0;
    this.stopped = false;
    this.forms = new Map();
    this.positions = new Map();
    this.range = new Range();
    this.vw = globalThis.innerWidth;
    this.vh = globalThis.innerHeight;
    const modals = documentFindAll(document, 'dialog:modal');
    this.modal = modals.length ? modals[modals.length - 1] : null;
    this.active = deepActive();
    const base = documentFindAll(document, 'base[target]')[0];
    this.baseTarget = (base && attr(base, 'target')) || '';
  }

  run() {
    const root = documentElementOf(document);
    const stack = [];
    const first = root && this.enter(root, null);
    if (first) stack.push(first);
    while (stack.length && !this.stopped) {
      const frame = stack[stack.length - 1];
      const node = frame.child();
      if (!node) {
        this.leave(frame);
        stack.pop();
        continue;
      }
      const type = nodeTypeOf(node);
      if (type === ELEMENT) {
        this.flushText(frame);
        const inner = this.stopped ? null : this.enter(node, frame);
        if (inner) stack.push(inner);
      } else if ((type === TEXT || type === CDATA) && frame.showsText) {
        if (frame.text) frame.text.push(node);
        else frame.text = [node];
      }
    }
  }

  // Emits the element if it is a node, and opens it if there is something to see inside. A node
  // that cannot be read is left out and counted, the walk goes on.
  enter(el, parent) {
    try {
      return this.visit(el, parent);
    } catch (error) {
      this.fail(error);
      return null;
    }
  }

  fail(error) {
    this.reasons.add('walker-error');
    if (this.errors.length < 5) this.errors.push(cut(String(error), 200));
  }

  visit(el, parent) {
    this.visited += 1;
    const kind = kindOf(el);
    if (UNWALKED.has(kind)) return null;
    if (kind === 'area') return this.visitArea(el, parent);
    const shown = kind === 'slot' ? CONTENTS : rendering(el);
    const traits = traitsOf(el);
    if (shown === GONE || traits & TRAIT.inert) {
      this.countHidden(el, kind, traits);
      return null;
    }

    const frame = new Frame(el, kind, parent);
    const root = shadowOf(el);
    if (root) {
      this.roots.push(root);
      if (closedRoots.has(el)) this.closed += 1;
    }
    if (el === this.modal) frame.isInModal = true;
    frame.traits = traits;
    if (traits & TRAIT.hidden && attr(el, 'aria-hidden') === 'true') frame.isAriaHidden = true;
    if (traits & TRAIT.disabled && attr(el, 'aria-disabled') === 'true') frame.isDisabled = true;
    frame.isSeed = isSeedNode(el, kind, traits);
    frame.showsText = shown !== VEILED && !(kind === 'details' && !has(el, 'open'));
    if (shown === VEILED) {
      if (frame.isSeed) this.hidden += 1;
      return frame;
    }

    const isRoot = parent === null || kind === 'body';
    frame.isEditor = (traits & TRAIT.editable) !== 0 && isEditingHost(el);
    let style = null;
    let box = null;
    let canScroll = false;
    let isClosed = LEAVES.has(kind) || (kind === 'select' && !isListBox(el));
    // `overflow-x` is visible only if `overflow-y` is, so one look tells of both.
    if (shown === SHOWN && !isRoot && !isClosed) {
      style = styleOf(el);
      if (style.overflowX !== 'visible' && style.display !== 'inline') {
        const width = clientWidthOf(el);
        const height = clientHeightOf(el);
        if (width === 0 || height === 0) {
          box = boxOf(el);
          if (box.width <= 0 || box.height <= 0) {
            this.countHidden(el, kind, traits);
            return null;
          }
          isClosed = true; // a border around nothing
        } else if (scrollHeightOf(el) > height + 1 || scrollWidthOf(el) > width + 1) {
          canScroll = scrolls(style.overflowX) || scrolls(style.overflowY);
        }
      }
    }

    const role = traits & TRAIT.role ? roleOf(el, kind) : implicitRole(el, kind);
    let actionable = !isRoot && this.isActionable(el, kind, role, traits);
    if (!actionable && !frame.isActionable && !isRoot && shown === SHOWN) {
      style = style || styleOf(el);
      if (style.cursor === 'pointer') {
        actionable = true;
        frame.isPointer = true;
      }
    }
    if (!actionable && isRoot && styleOf(el).cursor === 'pointer') frame.isActionable = true;

    const isSemantic = role !== 'generic' && role !== 'none' && !(kind === 'html' && role === 'document');
    const wanted = frame.isAriaHidden
      ? actionable
      : frame.isPruned
        ? actionable && !frame.isPointer
        : isSemantic || actionable || canScroll || frame.isSeed;
    if (actionable) frame.isActionable = true;
    if (wanted && !(isRoot && !isSemantic && !frame.isSeed)) {
      box = box || (shown === CONTENTS ? null : boxOf(el));
      if (!this.emit(frame, parent, role, actionable, canScroll, box)) return null;
    }
    if (CHILDREN_PRESENTATIONAL.has(role) || frame.isEditor) frame.isPruned = true;
    if (isClosed) {
      if (!LEAVES.has(kind) && kind !== 'select') this.hidden += findAll(el, SEED_SELECTOR).length;
      this.leave(frame);
      return null;
    }
    return frame;
  }

  isActionable(el, kind, role, traits) {
    if (CONTROLS.has(kind) || WIDGET_ROLES.has(role)) return true;
    if (kind === 'label' && labelControlOf(el) !== null) return true;
    if (traits & TRAIT.editable && isEditingHost(el)) return true;
    if (traits & TRAIT.tabindex && CELL_ROLES.has(role)) return true;
    return clickables.has(el) && !this.isDelegate(el);
  }

  // A listener on a large container serves the elements inside it (frameworks put one on their
  // root); clicking the container's centre would be a click on whatever happens to be there.
  isDelegate(el) {
    if (!find(el, INTERACTIVE)) return false;
    const box = boxOf(el);
    return box.width * box.height * 2 > this.vw * this.vh;
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
    if (frame.isSeed && isArea && box && checkVisibility.call(el, WITH_OPACITY)) flags |= FLAG.seedView;
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
    if (kind === 'img' && property(el, 'complete') && property(el, 'naturalWidth') === 0 && attr(el, 'src')) node.broken = 1;
    if (frame.isSeed) this.readSeed(node, el, kind);

    if (box && isArea && this.meetsViewport(box)) {
      flags |= FLAG.inViewport;
      if (actionable && !this.isReachable(el, box)) flags |= FLAG.obscured;
    }
    if (actionable && this.modal && !frame.isInModal) flags |= FLAG.obscured;
    if (flags) node.f = flags;
    return this.push(node, frame);
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
    // ARIA gives a generic element no name. One that can be clicked gets its content as name,
    // because there is nothing else to tell it by; not if it holds controls of its own.
    const isPlain = actionable && !byContent && (role === 'generic' || role === 'none' || frame.isPointer);
    const isLeaf = isPlain && !frame.isEditor && (kind === 'label' || !find(el, INTERACTIVE));
    if (isLeaf && !name) {
      name = kind === 'label' ? this.labels.textOf(el) : contentOf(el, this.labels);
      source = 'content';
    }
    const short = cut(name, MAX_NAME);
    if (short) node.n = short;
    if (short.length < name.length) node.nt = 1;
    // Content too long for a name is listed as well, or nobody would see its end.
    if ((byContent || (isLeaf && source === 'content')) && !node.nt) frame.isNamed = true;
    if (source !== 'content' && (byContent || isLeaf) && kind !== 'input' && firstShownOf(el)) {
      const text = cut(contentOf(el, this.labels), MAX_TEXT);
      if (text && text !== name) node.t = text;
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
      if (has(el, 'download')) node.dl = 1;
    } else if (kind === 'svg:a') {
      const href = attr(el, 'href') || attr(el, 'xlink:href');
      if (href) node.h = cut(resolve(href), MAX_HREF);
    } else if (isSubmitLike(el, kind)) {
      flags |= FLAG.submit;
      const form = property(el, 'form');
      if (has(el, 'formaction')) node.fa = cut(property(el, 'formAction'), MAX_HREF);
      else if (form) node.fa = cut(formActionOf(form), MAX_HREF);
    }
    return flags;
  }

  readSeed(node, el, kind) {
    const role = seedRoleOf(el, kind);
    if (role !== node.ro) node.sr = role;
    const name = seedNameOf(el, kind, this.labels);
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
    return rects.length > 1 && isHitFor(el, deepestAt((rects[0].left + rects[0].right) / 2, (rects[0].top + rects[0].bottom) / 2), this.labels);
  }

  // `tag:nth-of-type(n)>…` from the root of the tree, `>>` where a shadow root begins.
  pathOf(el) {
    let path = '';
    let at = el;
    for (let level = 0; level < MAX_PATH_LEVELS && at; level += 1) {
      const parent = parentOf(at);
      const step = tagOf(at) + ':nth-of-type(' + this.positionOf(at, parent) + ')';
      path = path ? step + (path.startsWith('>>') ? '' : '>') + path : step;
      if (!parent) break;
      const type = nodeTypeOf(parent);
      if (type === ELEMENT) at = parent;
      else if (type === FRAGMENT && parent instanceof ShadowRoot) {
        at = hostOf(parent);
        path = '>>' + path;
      } else break;
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

  // An image map's areas have no boxes; theirs are cut from the image that uses the map.
  visitArea(el, parent) {
    if (!has(el, 'href') || !parent || kindOf(parent.el) !== 'map') return null;
    const box = areaBox(el, attr(parent.el, 'name'));
    if (!box) return null;
    const frame = new Frame(el, 'area', parent);
    frame.traits = traitsOf(el);
    this.emit(frame, parent, 'link', true, false, box);
    return null;
  }

  countHidden(el, kind, traits) {
    if (isSeedNode(el, kind, traits)) this.hidden += 1;
    if (firstElementOf(el)) this.hidden += findAll(el, SEED_SELECTOR).length;
  }

  // Text between two elements is one node with role `text`.
  flushText(frame) {
    const run = frame.text;
    if (!run) return;
    frame.text = null;
    if (frame.isNamed || frame.isPruned || frame.isAriaHidden || this.stopped) return;
    try {
      this.emitText(run, frame);
    } catch (error) {
      this.fail(error);
    }
  }

  emitText(run, frame) {
    let text = '';
    for (const node of run) {
      if (text.length > 4 * MAX_NAME) break;
      text += startOf(node, 8 * MAX_NAME);
    }
    const name = collapse(text);
    if (!name) return;
    const first = run[0];
    const last = run[run.length - 1];
    let box;
    if (run.length === 1 && lengthOf(first) > 20000) {
      box = boxOf(frame.el);
    } else {
      this.range.setStart(first, 0);
      this.range.setEnd(last, lengthOf(last));
      box = this.range.getBoundingClientRect();
    }
    if (box.width <= 0 || box.height <= 0) return;
    // Skipped text has a box if it is asked for one.
    if (styleOf(frame.el).contentVisibility === 'hidden') return;
    if (this.nodes.length >= this.maxNodes) return this.stop('node-budget-exceeded');
    const short = cut(name, MAX_NAME);
    const node = { r: refOf(first) };
    if (frame.index >= 0) node.p = frame.index;
    node.ro = 'text';
    node.n = short;
    if (short.length < name.length || lengthOf(first) > 8 * MAX_NAME) node.nt = 1;
    node.tag = '#text';
    node.b = boxArray(box);
    node.f = FLAG.hasBox | (this.meetsViewport(box) ? FLAG.inViewport : 0);
    this.push(node, null);
  }

  leave(frame) {
    this.flushText(frame);
    if (frame.own >= 0 && frame.isEmpty && this.nodes.length - 1 === frame.own && !this.stopped) {
      this.nodes.pop();
      if (frame.isSeed) this.hidden += 1;
    }
  }

  answer() {
    const { finite, endless } = runningAnimations(this.roots);
    const root = documentElementOf(document);
    const answer = {
      v: 1,
      url: cut(urlOf(document), 8000),
      title: cut(collapse(titleOf(document) || ''), MAX_NAME),
      ready: readyStateOf(document),
      vw: this.vw,
      vh: this.vh,
      sx: tenth(globalThis.scrollX),
      sy: tenth(globalThis.scrollY),
      dw: root ? scrollWidthOf(root) : 0,
      dh: root ? scrollHeightOf(root) : 0,
      dpr: globalThis.devicePixelRatio,
      truncated: this.reasons.size > 0,
      reasons: [...this.reasons],
      hidden: this.hidden,
      hiddenPartial: this.reasons.size > 0,
      visited: this.visited,
      closedRoots: this.closed,
      unwalkedHosts: 0,
      finite,
      endless,
      focused: this.active ? refOf(this.active) : null,
      nodes: this.nodes,
    };
    if (this.errors.length) answer.errors = this.errors;
    return JSON.stringify(answer);
  }
}

const NAMING_TRAITS = TRAIT.label | TRAIT.labelledby | TRAIT.title;
const HAS_STATES = new Set(['button', 'option', 'optgroup', 'fieldset', 'details', 'summary', 'dialog']);

function testIdOf(el) {
  for (const name of TEST_IDS) {
    const value = attr(el, name);
    if (value) return cut(value, MAX_TEXT);
  }
  return undefined;
}


const scrolls = (overflow) => overflow === 'auto' || overflow === 'scroll' || overflow === 'overlay';

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

// Where a frame's document begins and ends, in this document's viewport; scaled as the frame is.
function contentBox(el, box) {
  const style = styleOf(el);
  const px = (value) => parseFloat(value) || 0;
  const scaleX = box.width / (offsetWidthOf(el) || box.width || 1);
  const scaleY = box.height / (offsetHeightOf(el) || box.height || 1);
  const left = clientLeftOf(el) + px(style.paddingLeft);
  const top = clientTopOf(el) + px(style.paddingTop);
  const width = clientWidthOf(el) - px(style.paddingLeft) - px(style.paddingRight);
  const height = clientHeightOf(el) - px(style.paddingTop) - px(style.paddingBottom);
  return [tenth(box.x + left * scaleX), tenth(box.y + top * scaleY), tenth(width * scaleX), tenth(height * scaleY)];
}

function areaBox(area, map) {
  const image = map && documentFindAll(document, 'img[usemap="#' + CSS.escape(map) + '"]')[0];
  if (!image) return null;
  const box = boxOf(image);
  const numbers = (attr(area, 'coords') || '').split(/[\s,]+/).map(Number).filter(Number.isFinite);
  const shape = (attr(area, 'shape') || 'rect').toLowerCase();
  if (shape === 'default') return box;
  if (shape.startsWith('circ') && numbers.length >= 3) {
    const [x, y, radius] = numbers;
    return new DOMRect(box.x + x - radius, box.y + y - radius, 2 * radius, 2 * radius);
  }
  const xs = numbers.filter((_, i) => i % 2 === 0);
  const ys = numbers.filter((_, i) => i % 2 === 1);
  if (!xs.length || xs.length !== ys.length) return null;
  const left = Math.min(...xs);
  const top = Math.min(...ys);
  return new DOMRect(box.x + left, box.y + top, Math.max(...xs) - left, Math.max(...ys) - top);
}

// Running animations on the document's own timeline, shadow roots included: up to five names of those that will end,
// and the number of those that will not.
function runningAnimations(roots) {
  const finite = [];
  let endless = 0;
  const running = [...animationsOf(document)];
  for (const root of roots) running.push(...animationsInRoot(root));
  for (const animation of running) {
    if (animation.playState !== 'running' || !(animation.timeline instanceof DocumentTimeline)) continue;
    const timing = animation.effect ? animation.effect.getComputedTiming() : null;
    if (!timing) continue;
    if (timing.endTime === Infinity || timing.iterations === Infinity) endless += 1;
    else if (finite.length < 5) finite.push(cut(String(animation.animationName || animation.transitionProperty || animation.id || 'animation'), 60));
  }
  return { finite, endless };
}

function walk(request) {
  const pass = new Walk(request || {});
  try {
    pass.run();
  } catch (error) {
    pass.fail(error);
  }
  return pass.answer();
}
