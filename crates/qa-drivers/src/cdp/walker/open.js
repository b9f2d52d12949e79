// The walker: what qa injects into the isolated world of each frame.
//
// The files of this directory are one script, concatenated in this order:
//   open.js  dom.js  role.js  name.js  state.js  seed.js  ref.js  hit.js  node.js  walk.js  probe.js  pick.js  arrive.js  guard.js  close.js
// Only open.js and close.js do not parse alone: they are the two halves of the function around
// the others. Evaluating the script twice in one document keeps the first instance and its refs.
//
// Two dangers shape the code. The page's scripts cannot reach an isolated world, but its *markup*
// can: `<input name=parentNode>` hides a form's parentNode and `<img name=getElementById>` hides
// the document's method, in every world. So the DOM is read only through members taken from the
// prototypes (dom.js). And pages may be huge or deep: nothing here recurses over the whole tree,
// and every text is cut before it is searched.
//
// Requirements: WEB-020 to WEB-028, WEB-051, WEB-052, WEB-080, VIEW-001 to VIEW-007.
(() => {
  'use strict';
  // An element with the id `__qa` is also a property of the global object, but never its own.
  if (Object.hasOwn(globalThis, '__qa')) return;

