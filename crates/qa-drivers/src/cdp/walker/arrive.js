// Whether a press arrived at the element that it was meant for. WEB-052.
//
// What lies at a point may change between the last look and the press, and a frame of another
// process gets input only once the compositor has told the browser where the frame is.

let expected = null;
let landed = null;
let pointed = 0;

const listen = method(EventTarget, 'addEventListener');

function onPointer(event) {
  if (!event.isTrusted) return;
  if (event.type === 'pointermove') pointed += 1;
  else if (expected) {
    const hit = deepestAt(event.clientX, event.clientY);
    landed = isHitFor(expected, hit, new Labels()) ? JSON.stringify({ ok: true }) : refuse('TARGET_MISSED', { by: hit ? describe(hit) : 'the document' });
  }
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
  pointed = 0;
  listenForPointer();
}

const FRAMES = new Set(['iframe', 'frame', 'object', 'embed']);

function pressArrived() {
  // What is pressed in a frame arrives in the frame's own document.
  if (!landed && expected && FRAMES.has(kindOf(expected))) return JSON.stringify({ ok: true });
  return landed || refuse('INPUT_NOT_SEEN');
}

const pointerArrived = () => (pointed > 0 ? JSON.stringify({ ok: true }) : refuse('INPUT_NOT_SEEN'));
