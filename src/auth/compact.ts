import { Buffer, isUtf8 } from 'node:buffer';
import { Refusal } from '../base/errors.ts';
import { isJsonObject, type JsonObject } from '../base/json-object.ts';

/** The longest token that is looked at. A real one has one or two thousand bytes. */
export const maxTokenBytes = 8192;

/** A token taken apart, nothing in it believed yet. */
export interface CompactToken {
  /** Still in base64url: most tokens of an issuer have the same. A text of its own, since it is remembered. */
  readonly header: string;
  readonly unverifiedPayload: JsonObject;
  /** What the signature is over. */
  readonly signed: Buffer;
  readonly signature: Buffer;
}

/** Shape and size, before any cryptography: garbage must cost next to nothing. */
export function parseCompact(text: string): CompactToken {
  if (text.length > maxTokenBytes) throw new Refusal('token_too_large');
  const headerEnd = text.indexOf('.');
  const payloadEnd = text.indexOf('.', headerEnd + 1);
  // One dot too many is in the signature, which `decode` refuses.
  if (payloadEnd === -1) throw new Refusal('token_malformed');
  const signed = Buffer.from(text.slice(0, payloadEnd));
  return {
    // From the bytes: V8 makes a slice of a text a reference to all of it, and so to the whole token.
    header: signed.toString('latin1', 0, headerEnd),
    unverifiedPayload: jsonObject(text.slice(headerEnd + 1, payloadEnd)),
    signed,
    signature: decode(text.slice(payloadEnd + 1)),
  };
}

export function jsonObject(segment: string): JsonObject {
  let value: unknown;
  try {
    const bytes = decode(segment);
    if (!isUtf8(bytes)) throw new Refusal('token_malformed');
    value = JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Refusal('token_malformed');
  }
  if (!isJsonObject(value)) throw new Refusal('token_malformed');
  return value;
}

/** Strict: one text has one decoding and one decoding has one text, which Node alone does not see to. */
function decode(segment: string): Buffer {
  const bytes = Buffer.from(segment, 'base64url');
  if (segment === '' || bytes.toString('base64url') !== segment) throw new Refusal('token_malformed');
  return bytes;
}
