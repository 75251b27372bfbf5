import { Buffer, isUtf8 } from 'node:buffer';
import { Refusal } from '../base/errors.ts';

/** The longest token that is looked at. A real one has one or two thousand bytes. */
export const maxTokenBytes = 8192;

export type JsonObject = Readonly<Record<string, unknown>>;

/** A token taken apart, nothing in it believed yet. */
export interface CompactToken {
  /** Still in base64url: most tokens of an issuer have the same. A text of its own, since it is remembered. */
  readonly header: string;
  readonly unverifiedPayload: JsonObject;
  /** What the signature is over. */
  readonly signed: Buffer;
  readonly signature: Buffer;
}

const compactForm = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;

/** Shape and size, before any cryptography: garbage must cost next to nothing. */
export function parseCompact(text: string): CompactToken {
  if (text.length > maxTokenBytes) throw new Refusal('token_too_large');
  if (!compactForm.test(text)) throw new Refusal('token_malformed');
  const headerEnd = text.indexOf('.');
  const payloadEnd = text.indexOf('.', headerEnd + 1);
  const signed = Buffer.from(text.slice(0, payloadEnd), 'latin1');
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
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Refusal('token_malformed');
  return value as JsonObject;
}

/** Strict: one text has one decoding and one decoding has one text, so the bits left over at its end must be zero. */
function decode(segment: string): Buffer {
  const endings = endingsByLength[segment.length % 4] as string;
  if (endings !== '' && !endings.includes(segment.at(-1) as string)) throw new Refusal('token_malformed');
  return Buffer.from(segment, 'base64url');
}

/** By the length of a text modulo 4: the characters that leave no bits over. After one character there is no end. */
const endingsByLength = ['', ' ', 'AQgw', 'AEIMQUYcgkosw048'];
