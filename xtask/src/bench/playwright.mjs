// Does with Playwright what the benchmark asks, one JSON request a line, and answers each with the
// time it took. Arguments: the folder with node_modules, the browser's program.
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';

const [modules, executablePath] = process.argv.slice(2);
const { chromium } = createRequire(`${modules}/`)('playwright-core');

const browser = await chromium.launch({
  executablePath,
  chromiumSandbox: process.getuid?.() !== 0,
  args: ['--disable-quic', '--disable-background-networking', '--disable-component-update'],
});
const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
const page = await context.newPage();

const POLL_MS = 50;
const QUIET_MS = 600;

async function timed(work) {
  const start = performance.now();
  const value = await work();
  return { ms: performance.now() - start, ...value };
}

const operations = {
  async open({ url }) {
    await page.goto(url);
    return { title: await page.title() };
  },
  async title() {
    return { title: await page.title() };
  },
  observe() {
    return timed(async () => ({ bytes: (await page.locator('body').ariaSnapshot()).length }));
  },
  async click({ css }) {
    const element = await page.$(css);
    return timed(async () => {
      await element.click();
      return {};
    });
  },
  // A click and the wait for what it must bring, both found anew, as a test script does.
  check({ role, name, text }) {
    return timed(async () => {
      await page.getByRole(role, { name, exact: true }).click();
      await page.getByText(text, { exact: true }).waitFor();
      return {};
    });
  },
  // A click, then looks until nothing has changed for a while: what settles a page without a
  // clock of its own.
  async step({ css }) {
    const element = await page.$(css);
    return timed(async () => {
      await element.click();
      let seen = null;
      let since = performance.now();
      while (performance.now() - since < QUIET_MS) {
        const look = await page.locator('body').ariaSnapshot();
        if (look !== seen) {
          seen = look;
          since = performance.now();
        }
        await new Promise((resume) => setTimeout(resume, POLL_MS));
      }
      return {};
    });
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  let answer;
  try {
    answer = await operations[request.do](request);
  } catch (error) {
    answer = { error: String(error) };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
await browser.close();
