// A small client of the DevTools protocol that stays beside whoever drives the browser. It sees
// every page, frame and worker from its first instruction on, and collects what went wrong and
// which code ran.
import { createRequire } from 'node:module';

const SAMPLE_MS = 250;
const ANSWER_MS = 5000;

export class DevTools {
  #socket;
  #calls = new Map();
  #last = 0;
  #ended = false;
  // Sessions by id: type, target, and the addresses of requests on their way.
  sessions = new Map();
  // What went wrong, each once: JSON of {kind, text}.
  evidence = new Set();
  // Which characters of each script ran, by the path of its address.
  scripts = new Map();
  listeners = new Map();

  static async connect(modules, port) {
    const WebSocket = createRequire(`${modules}/`)('ws');
    const version = await (await fetch(`http://127.0.0.1:${port}/json/version`)).json();
    const client = new DevTools();
    client.#socket = new WebSocket(version.webSocketDebuggerUrl, { maxPayload: 1 << 28 });
    await new Promise((resolve, reject) => {
      client.#socket.once('open', resolve);
      client.#socket.once('error', reject);
    });
    client.#socket.on('message', (data) => client.#receive(JSON.parse(data)));
    client.#socket.on('close', () => (client.#ended = true));
    await client.call('Target.setAutoAttach', ATTACH);
    client.#sample();
    return client;
  }

  // Resolves with the result; rejects when the browser refuses, does not answer, or is gone.
  call(method, params = {}, sessionId = undefined) {
    return new Promise((resolve, reject) => {
      const id = ++this.#last;
      const late = setTimeout(() => {
        this.#calls.delete(id);
        reject(new Error(`${method}: no answer`));
      }, ANSWER_MS);
      this.#calls.set(id, { resolve, reject, late });
      this.#socket.send(JSON.stringify({ id, method, params, sessionId }));
    });
  }

  // As `call`, where nobody needs to know how it went.
  tell(method, params, sessionId) {
    this.call(method, params, sessionId).catch(() => {});
  }

  pages() {
    return [...this.sessions].filter(([, session]) => session.type === 'page');
  }

  async close() {
    await this.sample();
    this.#ended = true;
    this.#socket.close();
  }

  note(kind, text) {
    this.evidence.add(JSON.stringify({ kind, text: String(text).slice(0, 2000) }));
  }

  report() {
    const scripts = {};
    for (const [path, ran] of this.scripts) {
      scripts[path] = { length: ran.length, covered: ran.reduce((sum, bit) => sum + bit, 0) };
    }
    return { evidence: [...this.evidence].map((line) => JSON.parse(line)), scripts };
  }

  #receive(message) {
    if (message.id === undefined) {
      this.#event(message);
      return;
    }
    const call = this.#calls.get(message.id);
    if (!call) return;
    this.#calls.delete(message.id);
    clearTimeout(call.late);
    if (message.error) call.reject(new Error(message.error.message));
    else call.resolve(message.result);
  }

  #event({ method, params, sessionId }) {
    const session = this.sessions.get(sessionId);
    switch (method) {
      case 'Target.attachedToTarget':
        this.#attached(params);
        break;
      case 'Target.detachedFromTarget':
        this.sessions.delete(params.sessionId);
        break;
      case 'Inspector.targetCrashed':
        this.note('renderer-crash', session?.url ?? '');
        break;
      case 'Runtime.exceptionThrown': {
        const details = params.exceptionDetails;
        this.note('js-exception', details.exception?.description ?? details.text);
        break;
      }
      case 'Runtime.consoleAPICalled':
        if (params.type === 'error') {
          this.note('console-error', params.args.map((a) => a.value ?? a.description).join(' '));
        }
        break;
      case 'Log.entryAdded':
        if (/Content Security Policy/.test(params.entry.text)) {
          this.note('csp-violation', params.entry.text);
        }
        break;
      case 'Network.requestWillBeSent':
        session?.requests.set(params.requestId, params.request.url);
        break;
      case 'Network.responseReceived':
        if (params.response.status >= 500) this.note('http-5xx', params.response.url);
        else if (params.response.status >= 400) this.note('http-4xx', params.response.url);
        break;
      case 'Network.loadingFinished':
        session?.requests.delete(params.requestId);
        break;
      case 'Network.loadingFailed':
        if (!params.canceled && !params.blockedReason) {
          this.note('request-failed', session?.requests.get(params.requestId) ?? '');
        }
        session?.requests.delete(params.requestId);
        break;
    }
    this.listeners.get(method)?.(params, sessionId);
  }

  #attached({ sessionId, targetInfo }) {
    this.sessions.set(sessionId, {
      type: targetInfo.type,
      target: targetInfo.targetId,
      url: targetInfo.url,
      requests: new Map(),
    });
    this.listeners.get('attached')?.(sessionId, targetInfo);
    this.tell('Target.setAutoAttach', ATTACH, sessionId);
    this.tell('Profiler.enable', {}, sessionId);
    this.tell('Profiler.startPreciseCoverage', { callCount: false, detailed: true }, sessionId);
    for (const domain of ['Runtime', 'Network', 'Log', 'Inspector', 'Page']) {
      this.tell(`${domain}.enable`, {}, sessionId);
    }
    this.tell('Runtime.runIfWaitingForDebugger', {}, sessionId);
  }

  // Asks every session which code ran since the last time. The counters end with their page, so
  // this is done often.
  async sample() {
    await Promise.allSettled(
      [...this.sessions.keys()].map(async (sessionId) => {
        const { result } = await this.call('Profiler.takePreciseCoverage', {}, sessionId);
        for (const script of result) this.#cover(script);
      }),
    );
  }

  async #sample() {
    while (!this.#ended) {
      await this.sample();
      await new Promise((resume) => setTimeout(resume, SAMPLE_MS));
    }
  }

  #cover({ url, functions }) {
    if (!/^https?:.*\.js(\?|$)/.test(url)) return;
    const path = new URL(url).pathname;
    const ranges = functions.flatMap((f) => f.ranges);
    const length = Math.max(0, ...ranges.map((range) => range.endOffset));
    const now = new Uint8Array(length);
    // A range inside another one overrides it.
    ranges.sort((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset);
    for (const { startOffset, endOffset, count } of ranges) {
      now.fill(count > 0 ? 1 : 0, startOffset, endOffset);
    }
    const before = this.scripts.get(path);
    if (!before || before.length < length) {
      if (before) before.forEach((bit, at) => (now[at] |= bit));
      this.scripts.set(path, now);
      return;
    }
    now.forEach((bit, at) => (before[at] |= bit));
  }
}

const ATTACH = { autoAttach: true, waitForDebuggerOnStart: true, flatten: true };
