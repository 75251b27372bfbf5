import { type Html, html } from '../base/html.ts';
import { follow } from './follow-reference.ts';
import type { Content, OpenApiDocument, Operation, Parameter, Reference, Response } from './openapi-types.ts';
import { meaningOf, resolve, schemaTable, typeInWords } from './page-schema.ts';

export interface Entry {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
}

/** So many are shown at once. */
const fewCodes = 6;

/** One operation, all that there is to know of it. */
export function operationOf({ path, method, operation }: Entry, document: OpenApiDocument): Html {
  const { operationId, summary, description, deprecated, parameters, requestBody, responses } = operation;
  return html`<article aria-labelledby="${operationId}">
<h3 id="${operationId}">${summary}${deprecated ? html` <small class="deprecated">deprecated</small>` : null}</h3>
<p class="address"><span class="method ${method}">${method}</span> <code>${path}</code></p>
${paragraphs(description ?? '')}
${parameters === undefined ? null : parametersTable(parameters, document)}
${requestBody === undefined ? null : bodyOf(requestBody.content, document)}
<h4>Answers</h4>
<dl>${Object.entries(responses).map(([status, response]) => responseOf(status, response, document))}</dl>
<h4>Example</h4>
<pre tabindex="0"><code>${curl(document, path, method, operation)}</code></pre>
</article>
`;
}

function parametersTable(parameters: readonly Parameter[], document: OpenApiDocument): Html {
  const rows = parameters.map(
    ({ name, in: place, required, description, schema }) =>
      html`<tr><th scope="row"><code>${name}</code>${required ? html` <small>required</small>` : null}</th>
<td>${place}</td><td>${typeInWords(schema, document)}</td><td>${description} ${meaningOf(schema)}</td></tr>
`,
  );
  return html`<h4>Parameters</h4>
<div class="scroll" tabindex="0" role="group" aria-label="Parameters"><table>
<thead><tr><th scope="col">name</th><th scope="col">in</th><th scope="col">type</th><th scope="col">meaning</th></tr></thead>
<tbody>${rows}</tbody></table></div>`;
}

function bodyOf(content: Content, document: OpenApiDocument): Html {
  // A schema that is sent in several types is shown once.
  const bySchema = Map.groupBy(Object.entries(content), ([, { schema }]) => JSON.stringify(schema));
  const bodies = [...bySchema.values()].map((alike) => {
    const types = alike.map(([type]) => type).join(' or ');
    const schema = alike[0]?.[1].schema ?? {};
    return html`<p><code>${types}</code></p>
${schemaTable(schema, document)}`;
  });
  return html`<h4>Body</h4>
${bodies}`;
}

function responseOf(status: string, told: Response | Reference, document: OpenApiDocument): Html {
  const response = '$ref' in told ? (follow(told.$ref, document) as Response) : told;
  const { description, headers = {}, content = {} } = response;
  const names = Object.keys(headers);
  return html`<div class="answer"><dt class="status s${status.slice(0, 1)}">${status}</dt>
<dd><p>${description}</p>
${names.length === 0 ? null : html`<p class="headers">Headers: ${names.join(', ')}</p>`}
${isError(status) ? codesOf(content, document) : bodiesOf(content, document)}</dd></div>
`;
}

function isError(status: string): boolean {
  return Number(status) >= 400;
}

function bodiesOf(content: Content, document: OpenApiDocument): readonly Html[] {
  return Object.entries(content).flatMap(([type, { schema, example }]) => [
    html`<details><summary><code>${type}</code></summary>
${schemaTable(schema, document)}
${example === undefined ? null : html`<pre tabindex="0"><code>${JSON.stringify(example, null, 2)}</code></pre>`}</details>`,
  ]);
}

function codesOf(content: Content, document: OpenApiDocument): Html {
  const codes = Object.values(content).flatMap(({ schema }) => codesIn(resolve(schema, document)));
  const list = html`<ul class="codes">${codes.map(
    (code) => html`<li><a href="#error-${code}"><code>${code}</code></a></li>
`,
  )}</ul>`;
  if (codes.length <= fewCodes) return list;
  return html`<details><summary>${codes.length} codes</summary>${list}</details>`;
}

function codesIn({ properties }: { readonly properties?: unknown }): readonly string[] {
  const { code } = (properties ?? {}) as { readonly code?: { readonly enum?: readonly string[] } };
  return code?.enum ?? [];
}

/** An operation as a line for the shell that does it. */
function curl(document: OpenApiDocument, path: string, method: string, operation: Operation): string {
  const url = `${document.servers[0]?.url ?? ''}${path.replace('{id}', '$ID')}`;
  const [contentType, media] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  const parts = [
    `curl ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}"${url}"`,
    ...(isPublic(operation) ? [] : ['-H "Authorization: Bearer $TOKEN"']),
    ...(contentType === undefined ? [] : [`-H "Content-Type: ${contentType}"`]),
    ...(media?.example === undefined ? [] : [`-d ${quoted(JSON.stringify(media.example))}`]),
  ];
  return parts.join(' \\\n  ');
}

/** Without a token of ours, that is: POST /token has other ways. */
function isPublic({ security }: Operation): boolean {
  return security.every((way) => !('bearer' in way));
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

export function paragraphs(text: string): readonly Html[] {
  const parts = text.split(/\n\s*\n/).filter((part) => part.trim() !== '');
  return parts.map(
    (part) => html`<p>${part}</p>
`,
  );
}
