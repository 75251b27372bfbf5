import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller } from './caller.ts';
import { type Needs, readNeeds } from './needs.ts';
import { sendTo, whenKnown } from './send.ts';
import type { Verifier } from './verifier.ts';

/** `createServer(protect(verifier, (request, response, caller) => ...))` for `node:http` and `node:https`. */
export function protect(
  verifier: Pick<Verifier, 'check'>,
  handle: (request: IncomingMessage, response: ServerResponse, caller: Caller) => unknown,
  needs?: Needs,
): (request: IncomingMessage, response: ServerResponse) => void {
  const asked = readNeeds(needs);
  return (request, response) =>
    whenKnown(verifier.check(request, asked), (verdict) => {
      if (verdict.ok) handle(request, response, verdict.caller);
      else sendTo(response, verdict);
    });
}
