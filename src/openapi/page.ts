import { type Html, html } from '../base/html.ts';
import { type DocumentedOperation, methods, type OpenApiDocument, type Tag } from './openapi-types.ts';
import { isPublic, needsProof } from './page-calls.ts';
import { operationOf, paragraphs } from './page-operation.ts';

/** The reference page. Each operation is folded to one line; what needs the script is hidden until it runs. */
export function referencePage(document: OpenApiDocument): string {
  const { info, servers, tags } = document;
  const endpoints = endpointsOf(document);
  const sections = tags.map((tag) => ({
    tag,
    endpoints: endpoints.filter(({ operation }) => operation.tags.includes(tag.name)),
  }));
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${info.title} API</title>
<link rel="stylesheet" href="docs/style.css">
<script src="docs/script.js" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<nav aria-label="Contents">
<p class="brand"><a href="#top">${mark}${info.title} API</a></p>
<p class="filter" hidden><label for="filter">Filter</label> <input id="filter" type="search" autocomplete="off" spellcheck="false" placeholder="submit, bookings, delete"></p>
<ul class="contents">${sections.map(({ tag, endpoints: each }) => contentsOf(tag, each))}<li><a href="#errors">Errors</a></li></ul>
</nav>
<main id="content" tabindex="-1">
<header id="top">
<h1>${info.title} API</h1>
<p class="version">${info.version} · <code>${servers[0]?.url ?? ''}</code> · <a href="openapi.json">OpenAPI</a></p>
<p>${info.description}</p>
</header>
${endpoints.some(({ operation }) => !isPublic(operation) && !needsProof(operation)) ? tokenField : null}
<p class="none" role="status" hidden>Nothing here is called that.</p>
${sections.map(({ tag, endpoints: each }) => sectionOf(tag, each, document))}
${errorsSection(document)}
</main>
</body>
</html>
`.markup;
}

const mark = html`<svg viewBox="0 0 32 32" width="24" height="24" aria-hidden="true"><path class="wall" d="M4 30V15a12 12 0 0 1 24 0v15z"></path><path class="light" d="M9 30V16a7 7 0 0 1 14 0v14z"></path><path class="door" d="M14 30V18a5 5 0 0 1 7.5-4.3V30z"></path></svg>`;

/** The token is kept only in the field. */
const tokenField = html`<form class="token" hidden>
<p><label for="token">Access token, to try things with</label>
<input id="token" type="password" autocomplete="off" spellcheck="false" aria-describedby="token-note"></p>
<p id="token-note" class="note">It stays in this field: nothing stores it, and it goes nowhere but to this service. What is sent with it is really done.</p>
</form>`;

function endpointsOf({ paths }: OpenApiDocument): readonly DocumentedOperation[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item[method];
      return operation === undefined ? [] : [{ path, method, operation }];
    }),
  );
}

function contentsOf({ name }: Tag, endpoints: readonly DocumentedOperation[]): Html {
  return html`<li><a href="#${anchor(name)}">${name}</a>
<ul>${endpoints.map(
    ({ operation, method }) =>
      html`<li><a href="#${operation.operationId}"><span class="method ${method}">${method}</span> ${operation.summary}</a></li>
`,
  )}</ul></li>
`;
}

function sectionOf(
  { name, description }: Tag,
  endpoints: readonly DocumentedOperation[],
  document: OpenApiDocument,
): Html {
  return html`<section aria-labelledby="${anchor(name)}">
<h2 id="${anchor(name)}">${name}</h2>
${paragraphs(description)}
${endpoints.map((endpoint) => operationOf(endpoint, document))}
</section>
`;
}

function errorsSection({ components }: OpenApiDocument): Html {
  const { properties } = components.schemas.Problem as {
    readonly properties: {
      readonly code: { readonly 'x-enumDescriptions': Readonly<Record<string, string>> };
    };
  };
  const codes = Object.entries(properties.code['x-enumDescriptions']);
  const rows = codes.map(
    ([name, sentence]) => html`<div id="error-${name}"><dt><code>${name}</code></dt><dd>${sentence}</dd></div>
`,
  );
  return html`<section aria-labelledby="errors">
<h2 id="errors">Errors</h2>
<p>An error is a problem document (RFC 9457). Decide by its code, which is never renamed and never reused.</p>
<details class="fold"><summary>All ${codes.length} codes</summary><dl class="rows">${rows}</dl></details>
</section>`;
}

/** Unique: names of collections have no capitals, those of tags only spaces. */
function anchor(name: string): string {
  return `about-${name.replaceAll(' ', '-')}`;
}
