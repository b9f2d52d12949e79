// One pass over the composed tree of this frame. WEB-020, WEB-021, WEB-023, WEB-027.
//
// `walk(request)` answers a JSON string, so that one protocol reply carries one string.

const CELL_ROLES = new Set(['gridcell', 'columnheader', 'rowheader']);
// What stands inside these is part of their look, not of the tree.
const CHILDREN_PRESENTATIONAL = new Set([
  'button', 'checkbox', 'image', 'math', 'menuitemcheckbox', 'menuitemradio', 'meter', 'option', 'progressbar',
  'radio', 'scrollbar', 'separator', 'slider', 'switch', 'tab',
]);
const UNWALKED = new Set([
  'script', 'style', 'template', 'noscript', 'head', 'svg:title', 'svg:desc', 'svg:defs', 'svg:metadata', 'svg:script', 'svg:style',
]);
// Elements whose children are never part of the page: fallbacks, or the parts of a control.
const LEAVES = new Set(['input', 'textarea', 'img', 'iframe', 'frame', 'embed', 'audio', 'video', 'progress', 'meter', 'canvas']);

// Elements that the protocol says have a listener for clicks.
const clickables = new WeakSet();

const urlOf = reader(Document, 'URL');
const titleOf = reader(Document, 'title');
const readyStateOf = reader(Document, 'readyState');
const animationsOf = method(Document, 'getAnimations');
const animationsInRoot = method(ShadowRoot, 'getAnimations');

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
    this.isOpaque = false; // a seed node without transparent ancestors
    this.isPointer = false; // actionable only by its cursor
    this.traits = 0;
    this.style = null; // once it has been asked for
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

class Walk extends Nodes {
  constructor(request) {
    super(request);
    this.roots = []; // shadow roots entered
    this.closed = 0;
    this.errors = [];
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
    const traits = traitsOf(el);
    const isSeed = isSeedNode(el, kind, traits);
    const isOpaque = isSeed && checkVisibility.call(el, WITH_OPACITY);
    const shown = isOpaque ? SHOWN : kind === 'slot' ? CONTENTS : rendering(el);
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
    frame.isSeed = isSeed;
    frame.isOpaque = isOpaque;
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
    frame.style = style;
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

  // An image map's areas have no boxes; theirs are cut from the image that uses the map.
  visitArea(el, parent) {
    if (!has(el, 'href') || !parent || kindOf(parent.el) !== 'map') return null;
    const box = areaBox(el, attr(parent.el, 'name'));
    if (!box) return null;
    const frame = new Frame(el, 'area', parent);
    frame.traits = traitsOf(el);
    this.emit(frame, parent, roleOf(el, 'area'), true, false, box);
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

const scrolls = (overflow) => overflow === 'auto' || overflow === 'scroll' || overflow === 'overlay';

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
    else if (finite.length < 5) {
      finite.push(cut(animation.animationName || animation.transitionProperty || animation.id || 'animation', 60));
    }
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
