import { type Html, html } from '../base/html.ts';
import type {
  ApiOperation,
  Content,
  DocumentedOperation,
  OpenApiDocument,
  Parameter,
  Reference,
  Response,
} from './openapi-types.ts';
import { curl, tryForm } from './page-calls.ts';
import { factRow, follow, meaningOf, resolve, schemaRows, typeInWords } from './page-schema.ts';

export function operationOf(endpoint: DocumentedOperation, document: OpenApiDocument): Html {
  const { path, method, operation } = endpoint;
  const { operationId, summary, description, deprecated, parameters, requestBody } = operation;
  return html`<article aria-labelledby="${operationId}">
<details class="operation">
<summary><h3 id="${operationId}"><span class="method ${method}">${method}</span> <span class="what">${summary}</span></h3>${deprecated ? html` <small class="deprecated">deprecated</small>` : null} <code class="path">${path}</code></summary>
<div class="inner">
${paragraphs(description ?? '')}
<pre tabindex="0" aria-label="Example for a shell"><code>${curl(endpoint, document)}</code></pre>
${tryForm(endpoint)}
${parameters === undefined ? null : parametersOf(parameters, document)}
${requestBody === undefined ? null : bodyOf(requestBody.content, document)}
${answersOf(operation, document)}
</div>
</details>
</article>
`;
}

function parametersOf(parameters: readonly Parameter[], document: OpenApiDocument): Html {
  const rows = parameters.map(({ name, in: place, required, description, schema }) =>
    factRow({
      name,
      isRequired: required === true,
      type: `${typeInWords(schema, document)}, in the ${place}`,
      meaning: `${description} ${meaningOf(schema)}`,
    }),
  );
  return html`<h4>Parameters</h4>
<dl class="rows">${rows}</dl>`;
}

function bodyOf(content: Content, document: OpenApiDocument): Html {
  const bySchema = Map.groupBy(Object.entries(content), ([, { schema }]) => JSON.stringify(schema));
  const bodies = [...bySchema.values()].map((alike) => {
    const types = alike.map(([type]) => type).join(' or ');
    const schema = alike[0]?.[1].schema ?? {};
    return html`<p><code>${types}</code></p>
${schemaRows(schema, document)}`;
  });
  return html`<h4>Body</h4>
${bodies}`;
}

function answersOf({ responses }: ApiOperation, document: OpenApiDocument): Html {
  const all = Object.entries(responses).map(([status, told]) => ({
    status,
    response: '$ref' in told ? (follow((told as Reference).$ref, document) as Response) : told,
  }));
  const errors = all.filter(({ status }) => isError(status));
  const answers = all.filter(({ status }) => !isError(status));
  return html`<h4>Answers</h4>
<dl class="answers">${answers.map((each) => answerOf(each, bodiesOf(each.response.content, document)))}</dl>
<details class="fold"><summary>Errors: ${errors.map(({ status }) => status).join(', ')}</summary>
<dl class="answers">${errors.map((each) => answerOf(each, codesOf(each.response.content, document)))}</dl></details>`;
}

function isError(status: string): boolean {
  return Number(status) >= 400;
}

interface Answered {
  readonly status: string;
  readonly response: Response;
}

function answerOf({ status, response: { description, headers = {} } }: Answered, more: Html): Html {
  const names = Object.keys(headers);
  return html`<div class="answer"><dt class="status s${status.slice(0, 1)}">${status}</dt>
<dd><p>${description}</p>
${names.length === 0 ? null : html`<p class="headers">Headers: ${names.join(', ')}</p>`}
${more}</dd></div>
`;
}

function bodiesOf(content: Content = {}, document: OpenApiDocument): Html {
  const bodies = Object.entries(content).map(
    ([type, { schema, example }]) => html`<details class="fold"><summary><code>${type}</code></summary>
${schemaRows(schema, document)}
${example === undefined ? null : html`<pre tabindex="0" aria-label="Example of ${type}"><code>${JSON.stringify(example, null, 2)}</code></pre>`}</details>`,
  );
  return html`${bodies}`;
}

function codesOf(content: Content = {}, document: OpenApiDocument): Html {
  const codes = Object.values(content).flatMap(({ schema }) => codesIn(resolve(schema, document)));
  return html`<ul class="codes">${codes.map(
    (code) => html`<li><a href="#error-${code}"><code>${code}</code></a></li>
`,
  )}</ul>`;
}

function codesIn({ properties }: { readonly properties?: unknown }): readonly string[] {
  const { code } = (properties ?? {}) as { readonly code?: { readonly enum?: readonly string[] } };
  return code?.enum ?? [];
}

export function paragraphs(text: string): readonly Html[] {
  const parts = text.split(/\n\s*\n/).filter((part) => part.trim() !== '');
  return parts.map(
    (part) => html`<p>${part}</p>
`,
  );
}
