// What an explorer must never touch reports each touch to the server.

function report(name) {
  navigator.sendBeacon(`/api/trap/${name}`);
}

/** Marks an element as a trap: a press by pointer or keyboard is counted once. */
export function trap(name, element) {
  element.addEventListener('pointerdown', () => report(name));
  element.addEventListener('click', (event) => {
    // A click without a pointer: Enter, Space or element.click().
    if (event.detail === 0) report(name);
  });
  return element;
}

/** Marks a form as a trap: each submission is counted. */
export function trapForm(name, form) {
  form.addEventListener('submit', () => report(name));
  return form;
}

export const foreignOrigin = document.querySelector('meta[name=foreign-origin]').content;
