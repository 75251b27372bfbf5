import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { contentPolicy } from '../base/content-policy.ts';
import { type Answer, answer, type PublicHandler } from '../base/handler.ts';
import { answersJson, answersText, type Description, tags } from './description.ts';
import type { OpenApiDocument } from './openapi-types.ts';
import { object } from './schemas.ts';

/** The documents change only with a restart. */
const keptForAWhile = 'public, max-age=300';
/** For `dev`, which restarts whenever a collection changes. */
export const noCache = 'no-cache';

/** The script may only call this service. */
export const pageContentPolicy = contentPolicy("connect-src 'self'");

/** GET /openapi.json */
export function openapi(document: () => OpenApiDocument, cacheControl = keptForAWhile): PublicHandler {
  return once('application/json', () => JSON.stringify(document()), cacheControl);
}

export function describeOpenapi(): Description {
  const document = object({
    openapi: { const: '3.1.1' },
    info: { type: 'object' },
    paths: { type: 'object' },
  });
  const answers = answersJson('An OpenAPI document.', { ...document, additionalProperties: true });
  return { name: 'readOpenapi', tag: tags.about, summary: 'This description', answers };
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
function once(contentType: string, write: () => string, cacheControl = keptForAWhile): PublicHandler {
  let ready: Answer | undefined;
  return () => {
    ready ??= answer(contentType, write(), { cacheControl });
    return ready;
  };
}
