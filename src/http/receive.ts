import type { IncomingMessage } from 'node:http';
import { Refusal } from '../base/errors.ts';
import type { CheckTransport } from './transport.ts';

/** Before anything of a request is looked at: are we open, is it HTTP, and did it come in the right way? */
export type Receive = (request: IncomingMessage) => void;

export function createReceive(isClosing: () => boolean, checkTransport: CheckTransport | null): Receive {
  return (request) => {
    if (isClosing()) throw new Refusal('shutting_down');
    checkHead(request);
    checkTransport?.({
      peerAddress: request.socket.remoteAddress,
      isEncrypted: 'encrypted' in request.socket,
      forwardedProto: request.headers['x-forwarded-proto'] as string | undefined,
    });
  };
}

/** What RFC 9112 asks of the head of a request and Node lets pass: a version we speak, and one Host. */
export function checkHead({ httpVersionMajor, httpVersionMinor, headers }: IncomingMessage): void {
  if (httpVersionMajor !== 1) throw new Refusal('bad_request', { detail: 'HTTP version' });
  // Two Host headers arrive joined by a comma (see http/limits).
  const hasOneHost = headers.host !== undefined && !headers.host.includes(',');
  if (!hasOneHost && httpVersionMinor > 0) throw new Refusal('bad_request', { detail: 'Host header' });
}
