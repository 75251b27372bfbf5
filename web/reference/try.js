/** @import { Endpoint, OpenApi, Parameter } from './openapi.ts' */
import { element } from './element.js';
import { bodyOf, codeBlock, isPublic, needsProof } from './operation.js';

/** The longest answer that is shown, in characters. */
const longestShown = 20000;

/** @typedef {{ parameter: Parameter, input: HTMLInputElement }} Field */

/**
 * A form that sends the operation to this service. Null if it needs a DPoP proof, because the page has no key.
 * @type {(endpoint: Endpoint, api: OpenApi, tokenField: HTMLInputElement) => HTMLElement | null}
 */
export function tryForm(endpoint, api, tokenField) {
  const { method, operation } = endpoint;
  if (needsProof(operation)) return null;
  const { operationId, parameters = [] } = operation;
  const fields = parameters.map((parameter) => {
    const id = `try-${operationId}-${parameter.name}`;
    const input = element('input', { id, autocomplete: 'off', spellcheck: 'false' });
    return { parameter, input };
  });
  const [contentType, example = {}] = bodyOf(operation, api);
  const bodyId = `try-${operationId}-body`;
  const body = element('textarea', { id: bodyId, rows: '6', spellcheck: 'false' });
  body.value = JSON.stringify(example, null, 2);
  const button = element('button', method === 'delete' ? { class: 'danger' } : {}, 'Send');
  const form = element(
    'form',
    {},
    ...fields.map(fieldRow),
    contentType === '' ? null : element('p', {}, element('label', { for: bodyId }, 'Body'), body),
    element('p', {}, button),
  );
  const came = element('div', { class: 'came', role: 'status' });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const problem = missing(fields, isPublic(operation) ? null : tokenField);
    if (problem !== null) return show(came, 'bad', problem);
    if (method === 'delete' && !confirm('This request deletes real data. Send it?')) return;
    const token = isPublic(operation) ? null : tokenField.value.trim();
    void send(requestOf(endpoint, fields, token, body.value), button, came);
  });
  return element('details', { class: 'fold try' }, element('summary', {}, 'Try it'), form, came);
}

/** @param {Field} field */
function fieldRow({ parameter: { name, required }, input }) {
  const optional = required ? null : element('small', {}, ' optional');
  return element('p', { class: 'field' }, element('label', { for: input.id }, name, optional), input);
}

/**
 * Names the first missing value, and focuses its field. Null if no value is missing.
 * @type {(fields: Field[], tokenField: HTMLInputElement | null) => string | null}
 */
function missing(fields, tokenField) {
  const empty = fields.find(({ parameter, input }) => parameter.in === 'path' && input.value.trim() === '');
  empty?.input.focus();
  if (empty) return `Enter a value for ${empty.parameter.name}.`;
  if (tokenField === null || tokenField.value.trim() !== '') return null;
  tokenField.focus();
  return 'Enter an access token in the field at the top first.';
}

/**
 * Empty fields are left out.
 * @type {(endpoint: Endpoint, fields: Field[], token: string | null, body: string) => [URL, RequestInit]}
 */
function requestOf({ path, method, operation }, fields, token, body) {
  const headers = new Headers();
  const query = new URLSearchParams();
  let address = path;
  for (const { parameter, input } of fields) {
    const value = input.value.trim();
    if (parameter.in === 'path') address = address.replace(`{${parameter.name}}`, encodeURIComponent(value));
    else if (value === '') continue;
    else if (parameter.in === 'query') query.set(parameter.name, value);
    else headers.set(parameter.name, value);
  }
  const [contentType = ''] = Object.keys(operation.requestBody?.content ?? {});
  if (token !== null) headers.set('authorization', `Bearer ${token}`);
  if (contentType !== '') headers.set('content-type', contentType);
  // Relative to this page: behind a proxy the service may not be at the root.
  const url = new URL(address.slice(1), new URL('.', location.href));
  url.search = query.toString();
  const sent = contentType === '' ? {} : { body };
  return [url, { method: method.toUpperCase(), headers, cache: 'no-store', credentials: 'omit', ...sent }];
}

/** @type {(request: [URL, RequestInit], button: HTMLButtonElement, came: HTMLElement) => Promise<void>} */
async function send(request, button, came) {
  button.disabled = true;
  show(came, '', 'Sent…');
  try {
    const answer = await fetch(...request);
    const text = await answer.text();
    show(came, answer.ok ? 'good' : 'bad', `${answer.status} ${answer.statusText}`, readable(text));
  } catch (error) {
    show(came, 'bad', `No answer: ${error instanceof Error ? error.message : error}`);
  } finally {
    button.disabled = false;
  }
}

/** @type {(place: HTMLElement, tone: string, heading: string, text?: string) => void} */
function show(place, tone, heading, text = '') {
  const title = element('p', { class: `came-status ${tone}` }, heading);
  const shown = text.length > longestShown ? `${text.slice(0, longestShown)}\n…` : text;
  place.replaceChildren(title, ...(text === '' ? [] : [codeBlock('The answer', shown)]));
}

/** @param {string} text */
function readable(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
