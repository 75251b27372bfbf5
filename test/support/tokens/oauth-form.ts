import assert from 'node:assert/strict';
import { succeeded } from '../commands/outcome.ts';
import { assertClientAnswer, assertNothingPersonal } from '../http/answers.ts';
import { type Reply, request } from '../http/request.ts';
import { runVestibule, type Settings } from '../services/service.ts';
import { type Credentials, credentialsBody } from './token-endpoint.ts';

/** Fields by name, or one after the other where a name comes twice. */
export type Fields = Readonly<Record<string, string>> | readonly (readonly [string, string])[];

export const formType = 'application/x-www-form-urlencoded';
export const grant = { grant_type: 'client_credentials' } as const;

/** POST /token as RFC 6749 writes it. A text or bytes are sent as they are. */
export function postForm(
  url: string,
  form: Fields | string | Uint8Array,
  headers: Readonly<Record<string, string>> = {},
): Promise<Reply> {
  const isReady = typeof form === 'string' || form instanceof Uint8Array;
  const body = isReady ? Buffer.from(form) : encodeForm(form);
  return request(`${url}/token`, { method: 'POST', headers: { 'content-type': formType, ...headers }, body });
}

export function encodeForm(fields: Fields): string {
  const pairs = Array.isArray(fields) ? fields : Object.entries(fields);
  return new URLSearchParams(pairs.map(([name, value]) => [name, value])).toString();
}

/** The grant with the credentials in the body (client_secret_post). */
export function inBody({ id, secret }: Credentials) {
  return { ...grant, client_id: id, client_secret: secret } as const;
}

/** The header of client_secret_basic, for credentials that look the same before and after their encoding. */
export function basic({ id, secret }: Credentials) {
  return rawBasic(`${id}:${secret}`);
}

/** Any text or bytes where the two halves and their colon belong. */
export function rawBasic(halves: string | Uint8Array) {
  return { authorization: `Basic ${Buffer.from(halves).toString('base64')}` } as const;
}

/** Every character as its percent-encoding, whether it needs one or not: RFC 6749 appendix B allows it. */
export function percentEncoded(text: string): string {
  return [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
}

/** An error as RFC 6749 section 5.2 has it, in full: exactly its two members, kept nowhere, no script may read it. */
export function assertOAuthError(reply: Reply, status: number, error: string, what: string): void {
  assertClientAnswer(reply, status, what);
  const body = reply.json();
  assert.deepEqual([Object.keys(body), body.error], [['error', 'error_description'], error], what);
  assert.match(String(body.error_description), /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/, what);
  assertNothingPersonal(reply);
}

/** Adds a client with options of the command line, such as `--scope read`; its credentials. */
export async function addClientWith(
  settings: Settings,
  id: string,
  ...options: string[]
): Promise<Credentials> {
  const outcome = await runVestibule(settings, 'client', 'add', id, ...options, '--json');
  return { id, secret: JSON.parse(succeeded(outcome)).client_secret };
}

/** A request to POST /token, apart from where it goes. */
export interface TokenPost {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export const credentialForms = ['JSON', 'form', 'Basic'] as const;
export type CredentialForm = (typeof credentialForms)[number];

/** An id and a secret in each of the ways in which a client can send them. */
export function postOf(form: CredentialForm, { id, secret }: Credentials): TokenPost {
  if (form === 'JSON')
    return { headers: { 'content-type': 'application/json' }, body: credentialsBody({ id, secret }) };
  const headers = { 'content-type': formType };
  if (form === 'form') return { headers, body: encodeForm(inBody({ id, secret })) };
  const halves = `${encodeURIComponent(id)}:${encodeURIComponent(secret)}`;
  return { headers: { ...headers, ...rawBasic(halves) }, body: encodeForm(grant) };
}
