self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));
self.addEventListener('fetch', (event) => event.respondWith(new Response(
  '<!doctype html><html lang="en"><title>Worker</title><button>From the worker</button>',
  { headers: { 'Content-Type': 'text/html; charset=utf-8' } },
)));
