import { type Html, html } from '../base/html.ts';
import { methods, type OpenApiDocument, type Tag } from './openapi-types.ts';
import { type Entry, operationOf, paragraphs } from './page-operation.ts';

/** The reference page: the document for people. No script, and nothing from outside. */
export function referencePage(document: OpenApiDocument): string {
  const { info, servers, tags } = document;
  const entries = entriesOf(document);
  const sections = tags.map((tag) => ({
    tag,
    entries: entries.filter(({ operation }) => operation.tags.includes(tag.name)),
  }));
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${info.title} API</title>
<link rel="stylesheet" href="docs/style.css">
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<nav aria-label="Contents">
<p><a href="#top">${info.title} API</a></p>
<ul>${sections.map(({ tag, entries: each }) => contentsOf(tag, each))}<li><a href="#errors">Errors</a></li></ul>
</nav>
<main id="content" tabindex="-1">
<header id="top">
<h1>${info.title} API</h1>
<p class="version">${info.version} · <code>${servers[0]?.url ?? ''}</code> · <a href="openapi.json">OpenAPI</a></p>
<p>${info.description}</p>
</header>
${sections.map(({ tag, entries: each }) => sectionOf(tag, each, document))}
${errorsSection(document)}
</main>
</body>
</html>
`.markup;
}

function entriesOf({ paths }: OpenApiDocument): readonly Entry[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item[method];
      return operation === undefined ? [] : [{ path, method, operation }];
    }),
  );
}

function contentsOf({ name }: Tag, entries: readonly Entry[]): Html {
  return html`<li><a href="#${anchor(name)}">${name}</a>
<ul>${entries.map(
    ({ operation, method }) =>
      html`<li><a href="#${operation.operationId}"><span class="method ${method}">${method}</span> ${operation.summary}</a></li>
`,
  )}</ul></li>
`;
}

function sectionOf({ name, description }: Tag, entries: readonly Entry[], document: OpenApiDocument): Html {
  return html`<section aria-labelledby="${anchor(name)}">
<h2 id="${anchor(name)}">${name}</h2>
${paragraphs(description)}
${entries.map((entry) => operationOf(entry, document))}
</section>
`;
}

function errorsSection({ components }: OpenApiDocument): Html {
  const { properties } = components.schemas.Problem as {
    readonly properties: {
      readonly code: { readonly 'x-enumDescriptions': Readonly<Record<string, string>> };
    };
  };
  const rows = Object.entries(properties.code['x-enumDescriptions']).map(
    ([
      name,
      sentence,
    ]) => html`<tr id="error-${name}"><th scope="row"><code>${name}</code></th><td>${sentence}</td></tr>
`,
  );
  return html`<section aria-labelledby="errors">
<h2 id="errors">Errors</h2>
<p>An error is a problem document (RFC 9457). Decide by its code, which is never renamed and never reused.</p>
<div class="scroll" tabindex="0" role="group" aria-label="Errors"><table>
<thead><tr><th scope="col">code</th><th scope="col">meaning</th></tr></thead>
<tbody>${rows}</tbody></table></div>
</section>`;
}

/** Names of tags have spaces at most, and those of collections no capitals: no two become one. */
function anchor(name: string): string {
  return `about-${name.replaceAll(' ', '-')}`;
}
