import { Buffer } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import { contentPolicy } from '../base/content-policy.ts';
import { type Answer, answer, type PublicHandler } from '../base/handler.ts';
import { isJsonObject } from '../base/json-object.ts';
import { answersText, type Description, tags } from './description.ts';
import type { OpenApiDocument } from './document.ts';
import { always } from './headers.ts';
import { object } from './schemas.ts';

/** The documents change only with a restart. */
const keptForAWhile = 'public, max-age=300';
/** For `dev`, which restarts whenever a collection changes. */
export const noCache = 'no-cache';

/** The script may only call this service. */
export const pageContentPolicy = contentPolicy("connect-src 'self'");

type Steps<T> = Generator<unknown, T>;

/** GET /openapi.json. Made at the first request, then answered from memory. */
export function openapi(document: () => Steps<OpenApiDocument>, cacheControl = keptForAWhile): PublicHandler {
  let making: ReturnType<typeof makeBodies> | undefined;
  return async (input) => {
    making ??= makeBodies(document());
    const { plain, zipped, digest } = await making;
    const isZipped = (input.header('accept-encoding') ?? '').split(',').some((one) => takesGzip.test(one));
    const etag = isZipped ? `"${digest}-gzip"` : `"${digest}"`;
    const headers = { etag, vary: 'Accept-Encoding', ...(isZipped && { 'content-encoding': 'gzip' }) };
    const known = (input.header('if-none-match') ?? '').split(',').map((tag) => tag.trim().replace('W/', ''));
    if (known.includes(etag) || known.includes('*'))
      return answer(null, '', { status: 304, headers, cacheControl });
    return answer('application/json', isZipped ? zipped : plain, { headers, cacheControl });
  };
}

const takesGzip = /^\s*gzip\s*(?:;(?!\s*q=0(?:\.0*)?\s*$)|$)/i;

async function makeBodies(document: Steps<OpenApiDocument>) {
  const pieces: Buffer[] = [];
  await inSlices(piecesOf(await inSlices(document), pieces));
  const plain = Buffer.concat(pieces);
  const zipped = await promisify(zlib.gzip)(plain);
  // A gzip stream ends with the CRC-32 and the length of its content (RFC 1952).
  return { plain, zipped, digest: zipped.subarray(-8).toString('hex') };
}

/** JSON text. A few levels are written member by member. */
function* piecesOf(value: object, pieces: Buffer[], levels = 3): Steps<void> {
  let before = '{';
  for (const [name, member] of Object.entries(value)) {
    pieces.push(Buffer.from(`${before}${JSON.stringify(name)}:`));
    if (levels > 1 && isJsonObject(member)) yield* piecesOf(member, pieces, levels - 1);
    else pieces.push(Buffer.from(JSON.stringify(member)));
    before = ',';
    yield;
  }
  pieces.push(Buffer.from(before === '{' ? '{}' : '}'));
}

const sliceMs = 2;

/** Other callers get their turn between two slices. */
async function inSlices<T>(steps: Steps<T>): Promise<T> {
  for (let until = performance.now() + sliceMs; ; ) {
    const { done, value } = steps.next();
    if (done) return value;
    if (performance.now() < until) continue;
    await setImmediate();
    until = performance.now() + sliceMs;
  }
}

export function describeOpenapi(): Description {
  const document = object({
    openapi: { const: '3.1.1' },
    info: { type: 'object' },
    paths: { type: 'object' },
  });
  const schema = { ...document, additionalProperties: true };
  const answers = {
    200: { description: 'An OpenAPI document.', content: { 'application/json': { schema } } },
    304: { description: 'The document is the one in If-None-Match.' },
  };
  const headers = { ETag: always('The version of the document, for If-None-Match.') };
  return { name: 'readOpenapi', tag: tags.about, summary: 'This description', headers, answers };
}

export function describePage(): Description {
  const answers = answersText('A page.', 'text/html');
  return { name: 'readDocs', tag: tags.about, summary: 'This description as a page', answers };
}

/** The files of web/reference that the page loads from `/docs/<name>`. They need no build. */
export const referenceAssets = [
  { name: 'style.css', operationId: 'readDocsStyle' },
  { name: 'script.js', operationId: 'readDocsScript' },
  { name: 'element.js', operationId: 'readDocsElement' },
  { name: 'operation.js', operationId: 'readDocsOperation' },
  { name: 'schema.js', operationId: 'readDocsSchema' },
  { name: 'try.js', operationId: 'readDocsTry' },
] as const;

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.css': 'text/css',
  '.js': 'text/javascript',
};

type Asset = (typeof referenceAssets)[number];

export function referenceFile(name: 'index.html' | Asset['name']): PublicHandler {
  const file = new URL(`../../web/reference/${name}`, import.meta.url);
  return once(`${contentTypes[extname(name)]}; charset=utf-8`, () => readFileSync(file, 'utf8'));
}

export function describeAsset({ name, operationId }: Asset): Description {
  const answers = answersText('A file of the page.', contentTypes[extname(name)] ?? '');
  return { name: operationId, tag: tags.about, summary: `${name} of that page`, answers };
}

/** Built at the first request, so that it does not delay the start. */
function once(contentType: string, write: () => string): PublicHandler {
  let ready: Answer | undefined;
  return () => {
    ready ??= answer(contentType, write(), { cacheControl: keptForAWhile });
    return ready;
  };
}
