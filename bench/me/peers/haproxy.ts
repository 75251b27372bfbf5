import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram, type Program } from '../../shared/processes.ts';
import type { MeSurroundings } from './given.ts';

/**
 * HAProxy on one thread: `jwt_verify` as its manual shows, the claims as its guide for OAuth checks them, and the
 * answer from its own memory. It verifies each request and remembers no token.
 */
export function haproxy(surroundings: MeSurroundings): Program {
  const { folder, publicKeyPem } = surroundings;
  const keyFile = join(folder, 'provider.pem');
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(keyFile, publicKeyPem);
  writeFileSync(file, configuration(surroundings, keyFile));
  // In the foreground, so that its id is the one that was started.
  return { command: findProgram('haproxy') ?? 'haproxy', parameters: ['-db', '-f', file], environment: {} };
}

function configuration({ port, path, issuer, audience, answer }: MeSurroundings, keyFile: string): string {
  // Its length it counts itself.
  const { 'content-type': contentType, 'content-length': _length, ...others } = answer.headers;
  const headers = Object.entries(others).map(([name, value]) => `hdr ${name} ${quoted(value)}`);
  return `global
  nbthread 1

defaults
  mode http
  timeout client 60s
  timeout http-keep-alive 60s

frontend me
  bind 127.0.0.1:${port}
  http-request deny deny_status 404 unless { path ${path} }
  http-request set-var(txn.bearer) http_auth_bearer
  http-request set-var(txn.alg) var(txn.bearer),jwt_header_query('$.alg')
  http-request set-var(txn.iss) var(txn.bearer),jwt_payload_query('$.iss')
  http-request set-var(txn.aud) var(txn.bearer),jwt_payload_query('$.aud')
  http-request set-var(txn.exp) var(txn.bearer),jwt_payload_query('$.exp','int')
  http-request set-var(txn.now) date()
  http-request deny unless { var(txn.alg) -m str RS256 }
  http-request deny unless { var(txn.iss) -m str ${issuer} }
  http-request deny unless { var(txn.aud) -m str ${audience} }
  http-request deny unless { var(txn.bearer),jwt_verify(txn.alg,"${keyFile}") 1 }
  http-request deny unless { var(txn.exp),sub(txn.now) -m int gt 0 }
  http-request return status 200 content-type ${contentType} string ${quoted(answer.body)} ${headers.join(' ')}
`;
}

/** Within double quotes a backslash, a quote and a dollar mean something, and within single ones a quote only. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
