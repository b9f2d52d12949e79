// Lies about and breaks what a script in the page's own world would rely on.
(() => {
  const lie = (object, name, value) => {
    try {
      Object.defineProperty(object, name, { value, configurable: true, writable: true });
    } catch {}
  };
  const trip = (object, name) => {
    try {
      Object.defineProperty(object, name, { configurable: true, get() { throw new Error('tampered getter'); } });
    } catch {}
  };
  const stop = () => { throw new Error('tampered function'); };

  for (const name of ['push', 'map', 'filter', 'forEach', 'join', 'slice', 'concat', 'includes', 'indexOf', 'reduce', 'some', 'every', 'flatMap']) lie(Array.prototype, name, stop);
  lie(Array.prototype, Symbol.iterator, function* nothing() {});
  lie(Array, 'from', () => []);
  lie(Array, 'isArray', () => false);
  for (const name of ['trim', 'replace', 'split', 'slice', 'toLowerCase', 'startsWith']) lie(String.prototype, name, () => 'tampered');
  for (const name of ['get', 'set', 'has']) {
    lie(Map.prototype, name, stop);
    lie(WeakMap.prototype, name, stop);
  }
  lie(JSON, 'stringify', () => '"tampered"');
  lie(JSON, 'parse', () => ({ tampered: true }));
  lie(Object, 'keys', () => []);
  lie(Object, 'entries', () => []);
  lie(globalThis, 'getComputedStyle', () => ({ display: 'none', visibility: 'hidden', getPropertyValue: () => 'none' }));
  lie(globalThis, 'Promise', undefined);
  lie(globalThis, 'MutationObserver', undefined);
  lie(globalThis, 'requestAnimationFrame', stop);
  lie(performance, 'now', () => 0);
  lie(Date, 'now', () => 0);

  for (const name of ['getAttribute', 'hasAttribute', 'matches', 'closest', 'querySelector', 'querySelectorAll', 'checkVisibility']) lie(Element.prototype, name, () => null);
  lie(Element.prototype, 'getBoundingClientRect', () => ({ x: 0, y: 0, top: 0, left: 0, width: 0, height: 0 }));
  lie(Element.prototype, 'getClientRects', () => []);
  for (const name of ['tagName', 'id', 'children', 'shadowRoot', 'classList', 'localName']) trip(Element.prototype, name);
  for (const name of ['childNodes', 'firstChild', 'nextSibling', 'parentNode', 'textContent', 'nodeType', 'nodeName', 'isConnected']) trip(Node.prototype, name);
  for (const name of ['value', 'checked', 'type', 'labels', 'disabled']) trip(HTMLInputElement.prototype, name);
  for (const name of ['innerText', 'hidden', 'offsetParent', 'offsetWidth', 'offsetHeight']) trip(HTMLElement.prototype, name);
  lie(Document.prototype, 'elementFromPoint', () => null);
  lie(Document.prototype, 'createTreeWalker', stop);
  trip(Document.prototype, 'activeElement');
  trip(Document.prototype, 'documentElement');
})();
