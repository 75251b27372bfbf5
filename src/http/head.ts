import type { IncomingMessage } from 'node:http';
import { Refusal } from '../base/errors.ts';

/** What RFC 9112 asks of the head of a request and the platform lets pass: a version we speak, and one Host. */
export function checkHead({ httpVersionMajor, httpVersionMinor, headers }: IncomingMessage): void {
  if (httpVersionMajor !== 1) throw new Refusal('bad_request', { detail: 'HTTP version' });
  // Two Host headers arrive joined by a comma (see http/limits).
  const hasOneHost = headers.host !== undefined && !headers.host.includes(',');
  if (!hasOneHost && httpVersionMinor > 0) throw new Refusal('bad_request', { detail: 'Host header' });
}
