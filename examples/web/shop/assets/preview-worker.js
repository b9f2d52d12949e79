import { plant } from './plant.js';

self.addEventListener('message', (event) => {
  plant('render-preview');
  self.postMessage(`A ${event.data} shop window, painted.`);
});
