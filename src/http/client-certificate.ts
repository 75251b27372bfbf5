import type { IncomingMessage } from 'node:http';
import type { BlockList, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { Refusal } from '../base/errors.ts';
import { isTrustedProxy } from './client-address.ts';

interface CertificateParts {
  readonly proxies: BlockList;
  /** Our own TLS asks for certificates. */
  readonly isAskedFor: boolean;
  /** In which header a trusted proxy hands on the one that it was shown; null where none does. */
  readonly header: string | null;
  /** Throws for a certificate that proves nothing. */
  readonly thumbprintOf: (der: Uint8Array) => string;
  /** The DER of a certificate in that header; null when it is none. */
  readonly readForwarded: (value: string) => Uint8Array | null;
}

/** How the sender of a request has shown a certificate whose key it has. */
export interface ClientCertificates {
  /** Its thumbprint; null when it has shown none. Throws for one that proves nothing. */
  thumbprintOf(request: IncomingMessage): string | null;
  /** Throws when somebody else than a trusted proxy says which certificate it was shown. */
  refuseForeign(request: IncomingMessage): void;
}

/**
 * The certificate of the connection counts when the caller is at its other end. A trusted proxy is not the caller: of what
 * comes through it only the header counts, or a token that is bound to the proxy's own certificate would be good for
 * everybody behind it.
 */
export function createClientCertificates(parts: CertificateParts): ClientCertificates {
  const { proxies, isAskedFor, header, thumbprintOf, readForwarded } = parts;
  /** Once for each connection. */
  const known = new WeakMap<Socket, string | null>();

  const ofConnection = (socket: Socket): string | null => {
    const found = known.get(socket);
    if (found !== undefined) return found;
    const certificate = (socket as TLSSocket).getPeerX509Certificate?.();
    const thumbprint = certificate === undefined ? null : thumbprintOf(certificate.raw);
    known.set(socket, thumbprint);
    return thumbprint;
  };

  const handedOn = (name: string, value: string | undefined): string | null => {
    // Empty where the caller has shown none, and the proxy sets the header all the same.
    if (value === undefined || value === '') return null;
    const der = readForwarded(value);
    if (der === null) throw unusable(name, 'no certificate');
    return thumbprintOf(der);
  };

  return {
    thumbprintOf({ socket, headers }) {
      if (!isTrustedProxy(proxies, socket.remoteAddress)) return isAskedFor ? ofConnection(socket) : null;
      return header === null ? null : handedOn(header, headers[header] as string | undefined);
    },
    refuseForeign({ socket, headers }) {
      if (header !== null && headers[header] !== undefined && !isTrustedProxy(proxies, socket.remoteAddress))
        throw unusable(header, 'a certificate handed on by no trusted proxy');
    },
  };
}

function unusable(header: string, detail: string): Refusal {
  return new Refusal('header_invalid', { detail, members: { header } });
}
