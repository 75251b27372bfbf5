import { Buffer } from 'node:buffer';
import { Refusal } from '../base/errors.ts';
import type { Input } from '../base/handler.ts';
import { isJsonObject } from '../base/json-object.ts';
import { readStrictJson } from '../base/strict-json.ts';
import { type Collection, serviceMembers } from '../collections/collection.ts';
import { normaliseFields } from '../collections/normalise.ts';

export type Fields = Record<string, unknown>;

const jsonType = /^application\/json(?:\s*;\s*charset="?utf-8"?)?\s*$/i;
const patchType = /^application\/(?:merge-patch\+)?json(?:\s*;\s*charset="?utf-8"?)?\s*$/i;

/** The fields that were sent, without the members that the service sets. Not validated yet. */
export function ownFields(fields: Fields, collection: Collection): Fields {
  const members = serviceMembers(collection);
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !members.has(name)));
}

export function readPatch(input: Input): Fields {
  return readObject(input, patchType);
}

/** A body that is a JSON object. */
export function readObject(input: Input, type = jsonType): Fields {
  const value = readJson(input, type);
  if (!isJsonObject(value)) {
    throw new Refusal('validation_failed', {
      members: { errors: [{ pointer: '', message: 'must be an object' }] },
    });
  }
  return value;
}

export function readJson(input: Input, type = jsonType): unknown {
  // Compressed bodies are refused: a small one could expand into a large one.
  const isPacked = !/^(?:identity)?$/i.test(input.header('content-encoding') ?? '');
  if (isPacked || !type.test(input.contentType ?? '')) throw new Refusal('media_type_not_supported');
  return readStrictJson(input.body ?? new Uint8Array());
}

/** The JSON to store: checked against the size limit and the schema. */
export function toBody(collection: Collection, fields: Fields): string {
  const body = bodyOf(collection, fields);
  checkBody(collection, body, fields);
  return body;
}

export function bodyOf(collection: Collection, fields: Fields): string {
  return JSON.stringify(normaliseFields(collection, fields));
}

export function checkBody(collection: Collection, body: string, fields: Fields): void {
  const limit = collection.limits.bytes;
  // First: the schema takes the longer, the more the fields have.
  if (Buffer.byteLength(body) > limit) throw new Refusal('record_too_large', { members: { limit } });
  const errors = collection.checkFields(fields);
  if (errors.length > 0) throw new Refusal('validation_failed', { members: { errors } });
}

/** RFC 7396. base/strict-json has refused names such as `__proto__`. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isJsonObject(patch)) return patch;
  const result: Fields = isJsonObject(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else result[name] = mergePatch(result[name], value);
  }
  return result;
}
