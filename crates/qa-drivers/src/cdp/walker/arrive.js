// Whether a press arrived at the element that it was meant for. WEB-052.
//
// What lies at a point may change between the last look and the press, and a frame of another
// process gets input only once the compositor has told the browser where the frame is.

let expected = null;
let landed = null;
let pointed = 0;
let hovered = null;

const listen = method(EventTarget, 'addEventListener');

function onPointer(event) {
  if (!event.isTrusted) return;
  const isMove = event.type === 'pointermove';
  if (isMove) pointed += 1;
  if (!expected) return;
  const hit = deepestAt(event.clientX, event.clientY);
  const answer = isHitFor(expected, hit, new Labels()) ? JSON.stringify({ ok: true }) : refuse('TARGET_MISSED', { by: hit ? describe(hit) : 'the document' });
  if (isMove) hovered = answer;
  else landed = answer;
}

function listenForPointer() {
  for (const type of ['pointermove', 'pointerdown']) listen(globalThis, type, onPointer, { capture: true, passive: true });
}

// Before any listener of the page, which might keep an event from those after it.
listenForPointer();

// A document that is opened anew loses its listeners; adding one twice does nothing.
function expectPress(el) {
  expected = el;
  landed = null;
  hovered = null;
  pointed = 0;
  listenForPointer();
}

const FRAMES = new Set(['iframe', 'frame', 'object', 'embed']);

// What is pressed in a frame arrives in the frame's own document.
const arrived = (answer) => answer || (expected && FRAMES.has(kindOf(expected)) ? JSON.stringify({ ok: true }) : refuse('INPUT_NOT_SEEN'));
const pressArrived = () => arrived(landed);
const hoverArrived = () => arrived(hovered);

const pointerArrived = () => (pointed > 0 ? JSON.stringify({ ok: true }) : refuse('INPUT_NOT_SEEN'));
