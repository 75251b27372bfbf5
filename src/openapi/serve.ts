import { type Answer, answer, type PublicHandler } from '../base/handler.ts';
import { answersJson, answersText, type Description, tags } from './description.ts';
import type { OpenApiDocument } from './openapi-types.ts';
import { referencePage } from './page.ts';
import { referenceStyle } from './page-style.ts';
import { object } from './schemas.ts';

/** Both change only when the service starts anew. */
const cacheControl = 'public, max-age=300';

/** What the reference page may load: its own stylesheet, and nothing that runs. */
export const pageContentPolicy =
  "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** GET /openapi.json */
export function openapi(document: () => OpenApiDocument): PublicHandler {
  return once('application/json', () => JSON.stringify(document()));
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
export function referencePageHandler(document: () => OpenApiDocument): PublicHandler {
  return once('text/html; charset=utf-8', () => referencePage(document()));
}

export function describePage(): Description {
  const answers = answersText('A page.', 'text/html');
  return { name: 'readDocs', tag: tags.about, summary: 'This description as a page', answers };
}

/** GET /docs/style.css */
export function referenceStyleHandler(): PublicHandler {
  return once('text/css; charset=utf-8', () => referenceStyle);
}

export function describeStyle(): Description {
  const answers = answersText('A stylesheet.', 'text/css');
  return { name: 'readDocsStyle', tag: tags.about, summary: 'How that page looks', answers };
}

/** Made when somebody asks for the first time, so that no start has to wait for it. */
function once(contentType: string, write: () => string): PublicHandler {
  let ready: Answer | undefined;
  return () => {
    ready ??= answer(contentType, write(), { cacheControl });
    return ready;
  };
}
