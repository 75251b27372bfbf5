import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { request as httpsRequest } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { generate } from 'selfsigned';
import { describe, type ErrorCode } from '../../src/base/errors.ts';
import type { Reply } from './request.ts';

/** A certificate of a caller's own, which no authority knows, and its key. */
export interface ClientCertificate {
  readonly cert: string;
  readonly key: string;
  /** What `cnf` of a token that is bound to it says. */
  readonly confirmation: { readonly 'x5t#S256': string };
  readonly der: Buffer;
}

interface CertificateOptions {
  readonly notAfterDate?: Date;
  /** Of its RSA key, in bits. */
  readonly keySize?: number;
}

export async function newClientCertificate(options: CertificateOptions = {}): Promise<ClientCertificate> {
  const { notAfterDate, keySize = 2048 } = options;
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'a caller' }], {
    algorithm: 'sha256',
    keySize,
    ...(notAfterDate === undefined ? {} : { notAfterDate, notBeforeDate: new Date(0) }),
  });
  const { raw, fingerprint256 } = new X509Certificate(cert);
  const thumbprint = Buffer.from(fingerprint256.replaceAll(':', ''), 'hex').toString('base64url');
  return { cert, key, confirmation: { 'x5t#S256': thumbprint }, der: raw };
}

/** As nginx hands it on ($ssl_client_escaped_cert). */
export function escapedPem({ cert }: ClientCertificate): string {
  return encodeURIComponent(`${cert.trim().replaceAll('\r\n', '\n')}\n`);
}

/** As RFC 9440 has it. */
export function byteSequence({ der }: ClientCertificate): string {
  return `:${der.toString('base64')}:`;
}

interface Call {
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** What the caller shows of itself. */
  readonly shows?: ClientCertificate | null;
  /** The caller's own address: all of 127.0.0.0/8 is this machine. */
  readonly from?: string;
  /** An earlier session to go on with. */
  readonly session?: Buffer | undefined;
  /** Whose signature on a certificate is believed. */
  readonly ca: string;
}

interface TlsReply extends Reply {
  readonly isResumed: boolean;
  readonly session: Buffer | undefined;
}

/** A request over a TLS connection of its own. */
export function callByTls(url: string, { headers = {}, shows, from, session, ca }: Call): Promise<TlsReply> {
  const { promise, resolve, reject } = Promise.withResolvers<TlsReply>();
  // Node itself would not show a certificate whose key is small.
  const own = shows ? { cert: shows.cert, key: shows.key, ciphers: 'DEFAULT@SECLEVEL=0' } : {};
  const place = { localAddress: from ?? '127.0.0.9', agent: false } as const;
  let latest = session;
  let isResumed = false;
  const resuming = session === undefined ? {} : { session };
  const sent = httpsRequest(url, { ...place, ...own, ...resuming, ca, headers }, async (response) => {
    let text = '';
    for await (const chunk of response.setEncoding('utf8')) text += chunk;
    const entries = Object.entries(response.headersDistinct).flatMap(([name, values = []]) =>
      values.map((value) => [name, value] as [string, string]),
    );
    const reply = { status: Number(response.statusCode), headers: new Headers(entries), text };
    resolve({ ...reply, json: () => JSON.parse(text), isResumed, session: latest });
  });
  sent.on('socket', (socket) => {
    const secure = socket as TLSSocket;
    secure.on('secureConnect', () => {
      isResumed = secure.isSessionReused();
    });
    secure.on('session', (next: Buffer) => {
      latest = next;
    });
  });
  sent.on('error', reject).end();
  return promise;
}

/** Refused with that code; what is about the token has its challenge. */
export function assertRefusal(reply: Reply, code: ErrorCode, what = ''): void {
  const { status, challenge } = describe(code);
  assert.deepEqual([reply.status, reply.json().code], [status, code], `${what} ${reply.text}`);
  assert.equal(reply.headers.has('www-authenticate'), challenge !== undefined, what);
}
