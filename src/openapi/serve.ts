import { readFileSync } from 'node:fs';
import { contentPolicy } from '../base/content-policy.ts';
import { type Answer, answer, type PublicHandler } from '../base/handler.ts';
import { answersJson, answersText, type Description, tags } from './description.ts';
import type { OpenApiDocument } from './openapi-types.ts';
import { referencePage } from './page.ts';
import { object } from './schemas.ts';

/** They change only with a restart. */
const keptForAWhile = 'public, max-age=300';
/** For `dev`, which restarts whenever a collection changes. */
export const askedForEachTime = 'no-cache';

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

/** GET /docs */
export function referencePageHandler(
  document: () => OpenApiDocument,
  cacheControl = keptForAWhile,
): PublicHandler {
  return once('text/html; charset=utf-8', () => referencePage(document()), cacheControl);
}

export function describePage(): Description {
  const answers = answersText('A page.', 'text/html');
  return { name: 'readDocs', tag: tags.about, summary: 'This description as a page', answers };
}

/** GET /docs/style.css */
export function referenceStyleHandler(): PublicHandler {
  return once('text/css; charset=utf-8', () => readPageFile('style.css'));
}

export function describeStyle(): Description {
  const answers = answersText('A stylesheet.', 'text/css');
  return { name: 'readDocsStyle', tag: tags.about, summary: 'How that page looks', answers };
}

/** GET /docs/script.js */
export function referenceScriptHandler(): PublicHandler {
  return once('text/javascript; charset=utf-8', () => readPageFile('script.js'));
}

export function describeScript(): Description {
  const answers = answersText('A script.', 'text/javascript');
  return { name: 'readDocsScript', tag: tags.about, summary: 'What that page does', answers };
}

/** Plain CSS and JavaScript: no build. */
function readPageFile(name: string): string {
  return readFileSync(new URL(`../../web/reference/${name}`, import.meta.url), 'utf8');
}

/** Built at the first request, so that it does not delay the start. */
function once(contentType: string, write: () => string, cacheControl = keptForAWhile): PublicHandler {
  let ready: Answer | undefined;
  return () => {
    ready ??= answer(contentType, write(), { cacheControl });
    return ready;
  };
}
