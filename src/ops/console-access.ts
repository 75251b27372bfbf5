import { Buffer } from 'node:buffer';
import { type Answer, answer, type Input, json, type PublicHandler } from '../base/handler.ts';
import { createKeyedDigest } from '../base/keyed-digest.ts';
import { isLoopback } from '../base/loopback.ts';
import { createSecret } from '../base/random.ts';

interface AccessOptions {
  readonly host: string;
  readonly token: string | null;
}

/**
 * Who may use the console. `page` checks its files, which hold no secret, `data` what they show. On loopback only a loopback
 * Host is accepted: a foreign page could give its own name the address 127.0.0.1 (DNS rebinding). Null if other machines
 * reach the port and there is no token: then there is no console.
 */
export function createConsoleAccess({ host, token }: AccessOptions) {
  if (!isLoopback(host) && token === null) return null;
  const digest = createKeyedDigest(Buffer.from(createSecret()));
  const expected = token === null ? null : digest.of(token);

  const refuseHost = (input: Input): Answer | null =>
    !isLoopback(host) || isLoopback(nameOf(input.header('host') ?? '')) ? null : foreignHost;

  const refuseToken = ({ authorization }: Input): Answer | null => {
    if (expected === null) return null;
    const sent = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
    if (sent === undefined) return refused('token_missing');
    return digest.isOf(expected, sent) ? null : refused('token_wrong');
  };

  return {
    page:
      (handle: PublicHandler): PublicHandler =>
      (input) =>
        refuseHost(input) ?? handle(input),
    data:
      (handle: PublicHandler): PublicHandler =>
      (input) =>
        refuseHost(input) ?? refuseToken(input) ?? handle(input),
  };
}

/** The name in a Host header, without the port. */
function nameOf(hostHeader: string): string {
  return hostHeader.replace(/:\d*$/, '').toLowerCase();
}

const foreignHost = answer(
  'text/plain; charset=utf-8',
  'The console answers only requests to localhost, 127.0.0.1 and [::1]. From another machine open it through ssh -L, or set OPS_HOST and OPS_TOKEN: docs/console.md.\n',
  { status: 403 },
);

function refused(status: 'token_missing' | 'token_wrong'): Answer {
  return json({ status }, { status: 401, headers: { 'www-authenticate': 'Bearer realm="console"' } });
}
