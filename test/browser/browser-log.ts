import assert from 'node:assert/strict';
import type { Browser, BrowserContext, ConsoleMessage, Request } from 'playwright-core';
import { encodings } from '../support/faults/canaries.ts';
import { personalWords } from './browser-person.ts';

/** A request as it left the browser, in one text without the bearer token. */
type Sent = { readonly method: string; readonly url: URL; readonly text: Promise<string> };

/** A timeout for busy machines. No passing test waits that long. */
const patienceMs = 20_000;

/** A browser context of its own (cookies and storage), all of which the log sees. */
export async function watchedContext(browser: Browser, log: BrowserLog): Promise<BrowserContext> {
  const place = { locale: 'en-GB', timezoneId: 'Europe/Berlin' };
  const context = await browser.newContext({ ...place, reducedMotion: 'reduce' });
  context.setDefaultTimeout(patienceMs);
  await log.watch(context);
  return context;
}

/** Everything that a browser sends and complains about, from its first page to its last. */
export class BrowserLog {
  readonly #sent: Sent[] = [];
  readonly #violations: string[] = [];
  #errors: string[] = [];

  async watch(context: BrowserContext): Promise<void> {
    context.on('request', (request) => this.#sent.push(sentOf(request)));
    context.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') this.#errors.push(inShort(message));
    });
    context.on('weberror', (error) => this.#errors.push(String(error.error())));
    await context.exposeFunction('reportViolation', (violation: string) => this.#violations.push(violation));
    await context.addInitScript(`addEventListener('securitypolicyviolation', (event) =>
      reportViolation(event.violatedDirective + ' ' + event.blockedURI + ' on ' + location.href));`);
  }

  get violations(): readonly string[] {
    return this.#violations;
  }

  /** The errors that no test has claimed as its own. */
  get errors(): readonly string[] {
    return this.#errors;
  }

  /** Only requests to these origins, no violation of the Content-Security-Policy, and no error but those that tests caused. */
  isClean(origins: readonly string[]): void {
    const found = { otherHosts: this.outside(origins), violations: this.#violations, errors: this.#errors };
    assert.deepEqual(found, { otherHosts: [], violations: [], errors: [] });
  }

  /** The errors since the last time, sorted, for the test that caused them on purpose. */
  takeErrors(): string[] {
    const taken = this.#errors.sort();
    this.#errors = [];
    return taken;
  }

  countOf(method: string, origin: string): number {
    return this.#sent.filter((sent) => sent.method === method && sent.url.origin === origin).length;
  }

  /** The addresses of requests that went to no known origin. */
  outside(known: readonly string[]): string[] {
    return this.#sent.map(({ url }) => url).flatMap((url) => (isLocal(url, known) ? [] : [url.href]));
  }

  addressesWith(word: string): string[] {
    return this.#sent.map(({ url }) => url.href).filter((address) => address.includes(word));
  }

  /** Personal data that the service received outside the bearer token: the word, and where it was, in any encoding. */
  async tellTales(origin: string): Promise<string[]> {
    const found: string[] = [];
    for (const { method, url, text } of this.#sent.filter((sent) => sent.url.origin === origin)) {
      const bytes = Buffer.from(await text);
      const told = needles.filter(({ forms }) => forms.some((form) => bytes.includes(form)));
      found.push(...told.map(({ word }) => `${word} in ${method} ${url.pathname}`));
    }
    return found;
  }
}

const needles = personalWords.map((word) => ({
  word,
  forms: [word, word.toLowerCase()].flatMap((form) => [...encodings(form).values()]),
}));

function sentOf(request: Request): Sent {
  return { method: request.method(), url: new URL(request.url()), text: textOf(request) };
}

async function textOf(request: Request): Promise<string> {
  // For a failed request the browser reports only what it meant to send.
  const headers = await request.allHeaders().catch(() => request.headers());
  const lines = Object.entries(headers).filter(([name]) => name !== 'authorization');
  return [request.url(), ...lines.flat(), request.postData()].join('\n');
}

function isLocal({ protocol, origin, href }: URL, known: readonly string[]): boolean {
  // A URL of the page itself, such as a file to save, is no request.
  return (
    known.includes(origin) || protocol === 'data:' || known.some((one) => href.startsWith(`blob:${one}`))
  );
}

/** `422 /api/consumer/v1/stones` for an answer that the browser complains about, `net::... /token` where none came. */
function inShort(message: ConsoleMessage): string {
  const text = message.text();
  const reason = /^Failed to load resource: (?:the server responded with a status of (\d+)|(net::\w+))/.exec(
    text,
  );
  if (reason === null) return text;
  // Without the ids, which are others each time.
  const path = new URL(message.location().url).pathname.replace(/[\w-]{21,}/, '…');
  return `${reason[1] ?? reason[2]} ${path}`;
}
