// Opens reports in a browser: looks for violations with axe-core, and measures what the large one
// costs. `node check.mjs BROWSER USUAL CHINESE [LARGE]`; ends with 1 if something is not as it must be.
import { createRequire } from 'node:module';
import { readFileSync, statSync } from 'node:fs';
import { chromium } from 'playwright-core';

const [browserPath, usual, chinese, large] = process.argv.slice(2);
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const noSandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
const browser = await chromium.launch({ executablePath: browserPath, args: noSandbox });
const url = (file) => `file://${file}`;
let faults = 0;

function fault(text) {
  faults += 1;
  console.log(`FAULT ${text}`);
}

/** A page that tells what it should not do: a word on its console, an error, a request. */
async function open(file, options, name) {
  const page = await browser.newPage(options);
  page.on('console', (message) => fault(`${name}: console: ${message.text()}`));
  page.on('pageerror', (error) => fault(`${name}: error: ${error.message}`));
  page.on('dialog', (dialog) => fault(`${name}: dialog: ${dialog.message()}`));
  page.on('request', (request) => {
    const at = request.url();
    if (at !== url(file) && !at.startsWith('data:')) fault(`${name}: request to ${at}`);
  });
  await page.goto(url(file));
  return page;
}

/** Everybody can use it: in each scheme, at each width, with all parts open, closed, and with help. */
async function accessible() {
  const views = [
    [390, ['open', 'help']],
    [820, ['open']],
    [1440, ['closed', 'open']],
  ];
  let runs = 0;
  for (const [language, file] of [['English', usual], ['Chinese', chinese]]) {
    for (const colorScheme of ['light', 'dark']) {
      for (const [width, states] of views) {
        const name = `${language}, ${colorScheme}, ${width} px`;
        const page = await open(file, { colorScheme, viewport: { width, height: 900 } }, name);
        for (const state of states) {
          if (state === 'open') {
            await page.evaluate(() => {
              for (const details of document.querySelectorAll('details')) details.open = true;
            });
          }
          if (state === 'help') await page.keyboard.press('?');
          await page.evaluate(axe);
          const { violations } = await page.evaluate(() => axe.run(document));
          runs += 1;
          for (const { id, impact, help, nodes } of violations) {
            const text = `${name}, ${state}: ${impact}: ${id}: ${help}: ${nodes[0].target}`;
            if (impact === 'serious' || impact === 'critical') fault(`${text} (${nodes.length}×)`);
            else console.log(`note ${text} (${nodes.length}×)`);
          }
        }
        const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
        if (wide) fault(`${name}: the page scrolls sideways`);
        await page.close();
      }
    }
  }
  console.log(`axe-core: ${runs} runs`);
}

/** Memory of the process that shows a page, in MiB. */
async function memory(page) {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  await session.send('HeapProfiler.collectGarbage');
  const { metrics } = await session.send('Performance.getMetrics');
  const heap = metrics.find((metric) => metric.name === 'JSHeapUsedSize').value;
  const nodes = metrics.find((metric) => metric.name === 'Nodes').value;
  const all = await browser.newBrowserCDPSession();
  const { processInfo } = await all.send('SystemInfo.getProcessInfo');
  const resident = processInfo
    .filter((process) => process.type === 'renderer')
    .map(({ id }) => /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${id}/status`, 'utf8'))[1] / 1024);
  return { heap: heap / 2 ** 20, resident: Math.max(...resident), nodes };
}

async function measured() {
  const size = statSync(large).size / 2 ** 20;
  if (size > 32) fault(`the large report has ${size.toFixed(1)} MiB`);
  const name = 'large';
  const page = await open(large, { viewport: { width: 1440, height: 900 } }, name);
  const [timing, steps, pictures] = await page.evaluate(async () => {
    const navigation = performance.getEntriesByType('navigation')[0];
    const paint = performance.getEntriesByName('first-contentful-paint')[0];
    return [
      { paint: paint?.startTime, ready: navigation.domContentLoadedEventEnd, load: navigation.loadEventEnd },
      document.querySelectorAll('.steps > li').length,
      document.querySelectorAll('.store image').length,
    ];
  });
  const first = await memory(page);
  const timed = async (what, act) => {
    // As a text: the report's policy lets nothing else become code.
    const took = await page.evaluate(`(async () => {
      const start = performance.now();
      ${act}
      await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
      return performance.now() - start;
    })()`);
    console.log(`  ${what}: ${took.toFixed(0)} ms`);
  };
  console.log(`large report: ${size.toFixed(1)} MiB, ${steps} steps, ${pictures} pictures`);
  console.log(
    `  first paint ${timing.paint?.toFixed(0)} ms, ready ${timing.ready.toFixed(0)} ms, loaded ${timing.load.toFixed(0)} ms`,
  );
  const told = ({ resident, heap, nodes }) =>
    `${resident.toFixed(0)} MiB resident, ${heap.toFixed(0)} MiB of script, ${nodes} nodes`;
  console.log(`  after loading: ${told(first)}`);
  await timed('search', `const s = document.getElementById('search'); s.value = 'number 1999'; s.dispatchEvent(new Event('input'));`);
  await timed('search again', `const s = document.getElementById('search'); s.value = 'number 77'; s.dispatchEvent(new Event('input'));`);
  await timed('reset', `document.getElementById('reset').click();`);
  await timed('deep link', `location.hash = '#step-1500'; await new Promise((d) => setTimeout(d));`);
  await timed('open 100 steps', `[...document.querySelectorAll('.steps details')].slice(0, 100).forEach((d) => { d.open = true; });`);
  await timed('to the end', `scrollTo(0, document.documentElement.scrollHeight);`);
  console.log(`  after that: ${told(await memory(page))}`);
  await page.close();
}

await accessible();
if (large) await measured();
await browser.close();
process.exit(faults > 0 ? 1 : 0);
