// Boxes, and what lies at a point of the viewport.

const documentElementOf = reader(Document, 'documentElement');
const bodyOf = reader(Document, 'body');
const activeInDocument = reader(Document, 'activeElement');
const activeInRoot = reader(ShadowRoot, 'activeElement');
const pointInDocument = method(Document, 'elementFromPoint');
const pointInRoot = method(ShadowRoot, 'elementFromPoint');

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

// The focused element, through every shadow root; null if only the document has the focus.
function deepActive() {
  let active = activeInDocument(document);
  for (;;) {
    const root = active && shadowOf(active);
    const inner = root && activeInRoot(root);
    if (!inner) return active === bodyOf(document) || active === documentElementOf(document) ? null : active;
    active = inner;
  }
}

// Where a frame's document begins and ends, in this document's viewport; scaled as the frame is.
function contentBox(el, box) {
  const { left, top, scaleX, scaleY } = contentOrigin(el, box);
  const style = styleOf(el);
  const width = clientWidthOf(el) - pixels(style.paddingLeft) - pixels(style.paddingRight);
  const height = clientHeightOf(el) - pixels(style.paddingTop) - pixels(style.paddingBottom);
  return [tenth(left), tenth(top), tenth(width * scaleX), tenth(height * scaleY)];
}

function contentOrigin(el, box) {
  const style = styleOf(el);
  const scaleX = box.width / (offsetWidthOf(el) || box.width || 1);
  const scaleY = box.height / (offsetHeightOf(el) || box.height || 1);
  const left = box.x + (clientLeftOf(el) + pixels(style.paddingLeft)) * scaleX;
  const top = box.y + (clientTopOf(el) + pixels(style.paddingTop)) * scaleY;
  return { left, top, scaleX, scaleY };
}

const pixels = (value) => parseFloat(value) || 0;

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

