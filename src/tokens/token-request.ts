import { Refusal } from '../base/errors.ts';
import { decodePart, decodeText, FormError, isForm, readFields } from '../base/form.ts';
import type { Input } from '../base/handler.ts';
import { readScopes } from '../base/scopes.ts';
import { isJsonObject, type JsonObject, readPlainJson } from '../base/strict-json.ts';
import { text } from '../openapi/schemas.ts';

export type ClientProof =
  | { readonly kind: 'secret'; readonly clientId: string; readonly secret: string }
  | { readonly kind: 'assertion'; readonly clientId: string | null; readonly assertion: string };

/** A token request, sent as JSON or as an OAuth form. Errors and members of the answer follow the same dialect. */
export interface TokenRequest {
  readonly dialect: 'json' | 'oauth';
  readonly proof: ClientProof;
  /** Null if no scope was requested: the client gets all of its scopes. */
  readonly scopes: readonly string[] | null;
}

/** A form is standard OAuth (RFC 6749); everything else is read as JSON, as the specification says. */
export function readTokenRequest(input: Input): TokenRequest {
  return isForm(input.contentType) ? readForm(input) : readJson(input);
}

/** The media type of the specification; a `charset` parameter may follow if it is UTF-8. */
const jsonType = /^application\/json(?:[ \t]*;[ \t]*charset=(?:"[uU][tT][fF]-8"|[uU][tT][fF]-8))?[ \t]*$/;

/** Anything but a JSON object with two non-empty strings has no credentials: 400 with an empty object. */
export function readJson({ contentType, authorization, body }: Input): TokenRequest {
  if (/^basic\b/i.test(authorization ?? ''))
    throw incomplete('credentials: one set in the body and one in a header');
  const { client_id: clientId, client_secret: clientSecret } = readObject(contentType, body);
  if (typeof clientId !== 'string' || clientId === '') throw incomplete('client_id');
  if (typeof clientSecret !== 'string' || clientSecret === '') throw incomplete('client_secret');
  return { dialect: 'json', proof: { kind: 'secret', clientId, secret: clientSecret }, scopes: null };
}

function readObject(contentType: string | undefined, body: Uint8Array | undefined): JsonObject {
  if (!jsonType.test(contentType ?? '')) throw incomplete('content type');
  const value = parseJson(body ?? new Uint8Array());
  if (!isJsonObject(value)) throw incomplete('object');
  return value;
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return readPlainJson(bytes);
  } catch {
    throw incomplete('JSON, with each name once');
  }
}

function incomplete(missing: string): Refusal {
  return new Refusal('credentials_missing', { detail: `no usable ${missing}` });
}

const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** The credentials in a form, for the OpenAPI document. */
export const credentialFields = {
  client_id: text,
  client_secret: text,
  client_assertion_type: { const: assertionType },
  client_assertion: { ...text, description: 'A JWT that the client signed with a key of its own.' },
};

/** A form as RFC 6749 section 4.4 defines it: one grant, and the credentials of one client sent in one way. */
export function readForm(input: Input): TokenRequest {
  return withFields(input, (form) => {
    const grant = form.get('grant_type');
    if (grant === undefined) throw invalid('no grant_type');
    const proof = readProof(form, input.authorization);
    if (grant !== 'client_credentials') throw new Refusal('oauth_grant_not_supported');
    return { dialect: 'oauth', proof, scopes: wantedScopes(form.get('scope')) };
  });
}

/** A form as RFC 7009 section 2.1 defines it: a token, and the credentials of the client that it was issued to. */
export function readRevocation(input: Input): { readonly token: string; readonly proof: ClientProof } {
  return withFields(input, (form) => {
    const token = form.get('token');
    if (token === undefined) throw invalid('no token');
    return { token, proof: readProof(form, input.authorization) };
  });
}

function withFields<T>({ body }: Input, read: (form: ReadonlyMap<string, string>) => T): T {
  try {
    return read(readFields(body ?? new Uint8Array()));
  } catch (error) {
    throw error instanceof FormError ? invalid(error.message) : error;
  }
}

function readProof(form: ReadonlyMap<string, string>, authorization: string | undefined): ClientProof {
  const clientId = form.get('client_id');
  const secret = form.get('client_secret');
  const assertion = form.get('client_assertion');
  const ways = [secret, assertion, authorization].filter((way) => way !== undefined).length;
  if (ways !== 1) throw invalid(`credentials sent in ${ways} ways instead of one`);
  if (assertion !== undefined) {
    if (form.get('client_assertion_type') !== assertionType) throw invalid('client_assertion_type');
    return { kind: 'assertion', clientId: clientId ?? null, assertion };
  }
  if (secret !== undefined) {
    if (clientId === undefined) throw invalid('no client_id');
    return { kind: 'secret', clientId, secret };
  }
  const basic = readBasic(authorization ?? '');
  if (clientId !== undefined && clientId !== basic.clientId) throw invalid('two different client ids');
  return basic;
}

/** HTTP Basic: each half is form-encoded (RFC 6749 section 2.3.1 and appendix B). */
function readBasic(authorization: string): ClientProof {
  const encoded = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(authorization)?.[1];
  if (encoded === undefined) throw wrong('the Authorization header is not HTTP Basic');
  const text = decodeText(Buffer.from(encoded, 'base64'));
  const colon = text.indexOf(':');
  if (colon < 1 || colon === text.length - 1) throw wrong('HTTP Basic without an id or a secret');
  return {
    kind: 'secret',
    clientId: decodePart(text.slice(0, colon)),
    secret: decodePart(text.slice(colon + 1)),
  };
}

function wantedScopes(scope: string | undefined): readonly string[] | null {
  if (scope === undefined) return null;
  const scopes = readScopes(scope);
  if (scopes === null) throw new Refusal('oauth_scope_invalid');
  return [...new Set(scopes)];
}

function invalid(detail: string): Refusal {
  return new Refusal('oauth_request_invalid', { detail });
}

function wrong(detail: string): Refusal {
  return new Refusal('oauth_client_wrong', { detail });
}
