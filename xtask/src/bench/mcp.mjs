// Clicks through @playwright/mcp what the benchmark asks, one JSON request a line, and answers each
// with the time it took. Arguments: the folder with node_modules, the browser's program.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const [modules, executablePath] = process.argv.slice(2);
// It writes down each page that it shows.
const options = [
  '--headless', '--isolated', '--executable-path', executablePath, '--output-dir', `${modules}/playwright-mcp`,
];
if (process.getuid?.() === 0) options.push('--no-sandbox');
const server = spawn(process.execPath, [`${modules}/node_modules/@playwright/mcp/cli.js`, ...options], {
  stdio: ['pipe', 'pipe', 'ignore'],
});
const waiting = new Map();
createInterface({ input: server.stdout }).on('line', (line) => {
  const message = JSON.parse(line);
  waiting.get(message.id)?.(message);
  waiting.delete(message.id);
});

let last = 0;
function call(method, params) {
  last += 1;
  const id = last;
  server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
  return new Promise((resume, refuse) => {
    waiting.set(id, ({ result, error }) => {
      const text = result?.content?.map((part) => part.text).join('\n') ?? '';
      if (error || result.isError) refuse(new Error(error?.message ?? text));
      else resume({ result, text });
    });
  });
}
const tool = (name, args) => call('tools/call', { name, arguments: args });

await call('initialize', {
  protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'bench', version: '1' },
});
server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
const { result: { tools } } = await call('tools/list', {});
const fields = Object.keys(tools.find(({ name }) => name === 'browser_click').inputSchema.properties);
const refField = fields.includes('ref') ? 'ref' : 'target';

let ref = null;
const operations = {
  async open({ url }) {
    await tool('browser_navigate', { url });
    const { text } = await tool('browser_snapshot', {});
    ref = text.match(/button "Next".*?\[ref=([^\]]+)\]/)[1];
    return {};
  },
  // Its reply shows the page as it is after the click; without that nothing was proven.
  async step() {
    const start = performance.now();
    await tool('browser_click', { element: 'Next', [refField]: ref });
    return { ms: performance.now() - start };
  },
  async title() {
    const { text } = await tool('browser_evaluate', { function: '() => document.title' });
    return { title: text.match(/"(step \d+)"/)?.[1] ?? text };
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
server.kill();
