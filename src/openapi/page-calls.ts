import { type Html, html } from '../base/html.ts';
import type { ApiOperation, DocumentedOperation, OpenApiDocument, Parameter } from './openapi-types.ts';

export function curl({ path, method, operation }: DocumentedOperation, { servers }: OpenApiDocument): string {
  const url = `${servers[0]?.url ?? ''}${path.replace('{id}', '$ID')}`;
  const [contentType, media] = firstBody(operation) ?? [];
  const isProven = needsProof(operation);
  const parts = [
    `curl ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}"${url}"`,
    ...(isPublic(operation) ? [] : [`-H "Authorization: ${isProven ? 'DPoP' : 'Bearer'} $TOKEN"`]),
    ...(isProven ? ['-H "DPoP: $PROOF"'] : []),
    ...(contentType === undefined ? [] : [`-H "Content-Type: ${contentType}"`]),
    ...(media?.example === undefined ? [] : [`-d ${quoted(JSON.stringify(media.example))}`]),
  ];
  return parts.join(' \\\n  ');
}

function firstBody({ requestBody }: ApiOperation) {
  return Object.entries(requestBody?.content ?? {})[0];
}

/** True if no token of ours is needed (POST /token has other ways). */
export function isPublic({ security }: ApiOperation): boolean {
  return security.every((way) => !('bearer' in way || 'dpop' in way));
}

export function needsProof({ security }: ApiOperation): boolean {
  return security.length > 0 && security.every((way) => 'dpopProof' in way);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** A form that web/reference/script.js shows and sends by fetch. None where a DPoP proof is needed: the page has no key. */
export function tryForm({ path, method, operation }: DocumentedOperation): Html | null {
  if (needsProof(operation)) return null;
  const { operationId, parameters = [] } = operation;
  const [contentType, media] = firstBody(operation) ?? [];
  const body =
    contentType === undefined
      ? null
      : html`<p><label for="try-${operationId}-body">Body</label>
<textarea id="try-${operationId}-body" name="body" rows="6" spellcheck="false">${JSON.stringify(media?.example ?? {}, null, 2)}</textarea></p>
`;
  return html`<details class="fold try" hidden><summary>Try it</summary>
<form data-method="${method}" data-path="${path}" data-type="${contentType ?? ''}" data-token="${isPublic(operation) ? 'no' : 'yes'}">
${parameters.map((parameter) => fieldOf(operationId, parameter))}${body}<p><button${method === 'delete' ? html` class="danger"` : null}>Send</button></p>
</form>
<div class="came" role="status"></div>
</details>`;
}

function fieldOf(operationId: string, { name, in: place, required }: Parameter): Html {
  const id = `try-${operationId}-${name}`;
  return html`<p class="field"><label for="${id}">${name}${required ? null : html` <small>optional</small>`}</label>
<input id="${id}" name="${name}" data-in="${place}" autocomplete="off" spellcheck="false"></p>
`;
}
