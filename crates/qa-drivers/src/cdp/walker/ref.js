// Refs: short names for elements that live as long as the element does. WEB-026.
//
// A ref is given once, counts upwards and is never bound to another node. It does not keep its
// node alive.

const refByNode = new WeakMap();
const nodeByRef = new Map();
let lastRef = 0;
const forgotten = new FinalizationRegistry((ref) => nodeByRef.delete(ref));

function refOf(node) {
  let ref = refByNode.get(node);
  if (ref === undefined) {
    lastRef += 1;
    ref = 'e' + lastRef;
    refByNode.set(node, ref);
    nodeByRef.set(ref, new WeakRef(node));
    forgotten.register(node, ref);
  }
  return ref;
}

// The element a ref was given to; for a piece of text the element around it. Null once it is gone.
function element(ref) {
  const held = nodeByRef.get(ref);
  const node = held && held.deref();
  if (!node) return null;
  return nodeTypeOf(node) === ELEMENT ? node : parentElementOf(node);
}
