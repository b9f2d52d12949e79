// Watches a browser while somebody explores an app in it, and prints what went wrong and which
// code ran. Arguments: the folder with node_modules, the port of the browser's DevTools, and, for
// gremlins.js to do the exploring, the start address and the seconds it gets. Without those it
// watches until its input ends.
import { readFileSync } from 'node:fs';

import { DevTools } from './devtools.mjs';

const [modules, port, start, seconds] = process.argv.slice(2);
const client = await DevTools.connect(modules, port);

if (start) {
  await unleash(Number(seconds) * 1000);
} else {
  process.stdout.write('{"watching":true}\n');
  process.stdin.resume();
  await new Promise((resolve) => process.stdin.once('end', resolve));
}
await client.close();
process.stdout.write(`${JSON.stringify(client.report())}\n`);

// Gremlins with their defaults, begun again whenever a horde is through or a page is new. They get
// help that a person would give: back to the start when they left the app or broke the page, other
// windows closed, dialogs answered.
async function unleash(span) {
  const library = readFileSync(`${modules}/node_modules/gremlins.js/dist/gremlins.min.js`, 'utf8');
  const source = `if (window === window.top) {
    ${library}
    addEventListener('load', async () => {
      for (;;) {
        try { await gremlins.createHorde().unleash(); } catch { /* the next horde is new */ }
        await new Promise((resume) => setTimeout(resume, 50));
      }
    });
  }`;
  const origin = new URL(start).origin;
  let main = null;
  client.listeners.set('attached', (sessionId, info) => {
    if (info.type !== 'page') return;
    if (main === null || !client.sessions.has(main)) {
      main = sessionId;
      client.tell('Page.enable', {}, sessionId);
      client.tell('Page.addScriptToEvaluateOnNewDocument', { source }, sessionId);
    } else {
      client.tell('Target.closeTarget', { targetId: info.targetId });
    }
  });
  client.listeners.set('Page.javascriptDialogOpening', (_, sessionId) =>
    client.tell('Page.handleJavaScriptDialog', { accept: false }, sessionId),
  );
  let crashed = false;
  client.listeners.set('Inspector.targetCrashed', (_, sessionId) => {
    crashed ||= sessionId === main;
  });

  for (const [, session] of client.pages()) {
    await client.call('Target.closeTarget', { targetId: session.target }).catch(() => {});
  }
  const open = async () => {
    const old = client.sessions.get(main);
    main = null;
    crashed = false;
    const { browserContextId } = await client.call('Target.createBrowserContext');
    await client.call('Target.createTarget', {
      url: 'about:blank',
      browserContextId,
      width: 1280,
      height: 800,
    });
    await client.call('Page.navigate', { url: start }, main);
    if (old) client.tell('Target.closeTarget', { targetId: old.target });
  };

  const end = Date.now() + span;
  await open();
  while (Date.now() < end) {
    await new Promise((resume) => setTimeout(resume, 500));
    if (crashed || !client.sessions.has(main)) {
      await open();
      continue;
    }
    const expression = `({ origin: location.origin,
      blank: document.readyState === 'complete' && !document.body?.innerText.trim() })`;
    try {
      const { result } = await client.call(
        'Runtime.evaluate',
        { expression, returnByValue: true },
        main,
      );
      if (result.value.blank) {
        client.note('blank-page', '');
        await open();
      } else if (result.value.origin !== origin) {
        await client.call('Page.navigate', { url: start }, main);
      }
    } catch (error) {
      if (/no answer/.test(String(error)) && Date.now() < end) {
        client.note('hang', '');
        await open().catch(() => {});
      }
    }
  }
}
