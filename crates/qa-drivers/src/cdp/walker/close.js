
  const api = {
    walk,
    probe,
    focusForFill,
    readValue,
    selectOption,
    setPicked,
    focusOn,
    framePoint,
    scrollTo,
    pointerArrived,
    hoverArrived,
    pressArrived: pressCame,
    keyArrived,
    element,
    refOf,
    roleOf: (el) => roleOf(el),
    // What is hidden has no name, unless something else refers to it.
    nameOf: (el) => (hiddenFromNames(el) ? '' : nameOf(el).name),
    // Makes a closed shadow root part of the tree.
    registerClosedRoot(host, root) {
      closedRoots.set(host, root);
    },
    // Elements that the protocol says have a listener for clicks.
    registerClickables(...elements) {
      for (const el of elements) if (el) clickables.add(el);
    },
  };
  Object.defineProperty(globalThis, '__qa', { value: Object.freeze(api) });
})();
