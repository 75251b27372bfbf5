import { Refusal } from '../base/errors.ts';
import type { Input } from '../base/handler.ts';
import { isJsonObject, type JsonObject } from '../base/json-object.ts';
import { readPlainJson } from '../base/strict-json.ts';
import type { TokenRequest } from './request-types.ts';

/** Exactly as the specification writes it; a charset may follow when it is the one JSON has. */
const jsonType = /^application\/json(?:[ \t]*;[ \t]*charset=(?:"[uU][tT][fF]-8"|[uU][tT][fF]-8))?[ \t]*$/;

/** Whatever is not a JSON object with two non-empty strings carries no credentials: 400 with an empty object. */
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
