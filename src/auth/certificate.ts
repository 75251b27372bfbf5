import { Buffer } from 'node:buffer';
import { hash, X509Certificate } from 'node:crypto';
import type { Caller, TokenBinding } from '../base/caller.ts';
import { Refusal } from '../base/errors.ts';
import { RecentMap } from '../base/recent-map.ts';
import type { Possession } from './authenticate.ts';
import { faultOfKey } from './key-policy.ts';

/** A request as far as a certificate is about it. */
export interface CertifiedRequest {
  /**
   * Of the certificate whose key the sender has, in base64url; null when it has shown none. Throws for one that proves
   * nothing.
   */
  certificateThumbprint(): string | null;
}

/**
 * RFC 8705 section 3: a token that is bound to a certificate is taken from whoever has the key of that certificate, which
 * the handshake of TLS has proven. Who has issued it, and until when it is good, makes no difference: it is the token that
 * says which one is meant. Any other bound token is worth nothing as a bearer token.
 */
export function checkCertificate(boundTo: TokenBinding | null, request: CertifiedRequest): void {
  if (boundTo === null) return;
  if (boundTo.method !== 'mtls' || request.certificateThumbprint() !== boundTo.thumbprint)
    throw new Refusal('token_bound');
}

/** Where no proofs are taken, and certificates are. */
export const byCertificateOnly: Possession<Caller, CertifiedRequest> = {
  checkBearer: ({ boundTo }, request) => checkCertificate(boundTo, request),
  checkProof: null,
};

/**
 * What `cnf` of a bound token calls its certificate: "x5t#S256", the SHA-256 of its DER in base64url. Throws for what is
 * none, and for one whose key others could find out: to have it proves nothing.
 */
export function certificateThumbprint(der: Uint8Array): string {
  const thumbprint = hash('sha256', der, 'base64url');
  const fault = judged.get(thumbprint) ?? faultOf(der);
  judged.set(thumbprint, fault);
  if (fault !== 'none') throw new Refusal('token_bound', { detail: fault });
  return thumbprint;
}

type CertificateFault = 'none' | 'no certificate that can be read' | 'the key of the certificate is weak';

/** By thumbprint: through a proxy the certificate comes with every request, and to read it takes longer than all else. */
const judged = new RecentMap<string, CertificateFault>(1_000);

function faultOf(der: Uint8Array): CertificateFault {
  try {
    const { publicKey } = new X509Certificate(der);
    return faultOfKey(publicKey) === null ? 'none' : 'the key of the certificate is weak';
  } catch {
    return 'no certificate that can be read';
  }
}

const pemForm = /^-----BEGIN CERTIFICATE-----\n([A-Za-z0-9+/=\n]+)\n-----END CERTIFICATE-----\n?$/;
const byteSequenceForm = /^:([A-Za-z0-9+/=]+):$/;
const base64Form = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * The DER of the one certificate that a proxy hands on: PEM in URL encoding, as nginx writes it, or a byte sequence of
 * structured fields (RFC 9440). Null for anything else, also for two of them, which reach us joined by a comma.
 */
export function readForwardedCertificate(value: string): Uint8Array | null {
  const [, base64] = byteSequenceForm.exec(value) ?? pemForm.exec(decoded(value)) ?? [];
  const bare = base64?.replaceAll('\n', '') ?? '';
  return bare !== '' && base64Form.test(bare) ? Buffer.from(bare, 'base64') : null;
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value).replaceAll('\r\n', '\n');
  } catch {
    return '';
  }
}
