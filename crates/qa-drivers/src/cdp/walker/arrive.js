// Whether a press arrived at the element that it was meant for. WEB-052.
//
// What lies at a point may change between the last look and the press, and a frame of another
// process gets input only once the compositor has told the browser where the frame is.

let expected = null;
let landed = null;
let pointed = 0;
let hovered = null;
const HIT = JSON.stringify({ ok: true });

const listen = method(EventTarget, 'addEventListener');

function onPointer(event) {
  if (!event.isTrusted) return;
  if (event.type === 'pointermove') pointed += 1;
  if (!expected) return;
  const hit = deepestAt(event.clientX, event.clientY);
  const answer = isHitFor(expected, hit, new Labels()) ? HIT : refuse('TARGET_MISSED', { by: hit ? describe(hit) : 'the document' });
  if (event.type === 'pointerdown') landed = answer;
  // What the page shows for the pointer may push the element away from under it.
  else if (hovered !== HIT) hovered = answer;
}

function listenForPointer() {
  for (const type of ['pointerover', 'pointermove', 'pointerdown']) listen(globalThis, type, onPointer, { capture: true, passive: true });
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
const arrived = (answer) => answer || (expected && FRAMES.has(kindOf(expected)) ? HIT : refuse('INPUT_NOT_SEEN'));
const pressArrived = () => arrived(landed);
const hoverArrived = () => arrived(hovered);

const pointerArrived = () => (pointed > 0 ? HIT : refuse('INPUT_NOT_SEEN'));
