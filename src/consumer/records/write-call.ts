import { Buffer } from 'node:buffer';
import type { Answer } from '../../base/handler.ts';
import type { PlainError } from '../../base/plain-error.ts';
import { type Write, type WriteHeader, type WriteInput, type Writer, writeHeaders } from './write-handler.ts';

/** A write on its way to the thread that does it. One line of JSON. */
export interface WriteCall {
  readonly id: number;
  readonly collection: string;
  readonly write: Write;
  /** What time it is: there is one clock. */
  readonly now: number;
  readonly contentType: string | undefined;
  readonly headers: Readonly<Partial<Record<WriteHeader, string>>>;
  readonly params: Readonly<Record<string, string>>;
  /** Byte by byte, since it may be anything; null when none was sent. */
  readonly body: string | null;
  readonly writer: Writer;
}

export type WriteReply =
  | { readonly id: number; readonly answer: Answer }
  | { readonly id: number; readonly error: PlainError };

type Told = Pick<WriteCall, 'contentType' | 'headers' | 'params' | 'body'>;

export function tell(input: WriteInput): Told {
  const { contentType, params, body } = input;
  const headers = Object.fromEntries(writeHeaders.map((name) => [name, input.header(name)]));
  return {
    contentType,
    headers,
    params,
    body:
      body === undefined
        ? null
        : Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1'),
  };
}

export function asTold({ contentType, headers, params, body }: Told): WriteInput {
  return {
    contentType,
    params,
    body: body === null ? undefined : Buffer.from(body, 'latin1'),
    header: (name) => headers[name],
  };
}
