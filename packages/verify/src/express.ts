import type { NodeRequest } from './authorization.ts';
import { type Caller, requireCaller, setCaller } from './caller.ts';
import { type Needs, readNeeds } from './needs.ts';
import { type NodeResponse, sendTo, whenKnown } from './send.ts';
import type { Verifier } from './verifier.ts';

/** `app.use(protect(verifier))` for Express, and whatever else takes middleware of that form. */
export function protect(verifier: Pick<Verifier, 'check'>, needs?: Needs) {
  const asked = readNeeds(needs);
  return (request: NodeRequest, response: NodeResponse, next: (error?: unknown) => void): void =>
    whenKnown(
      verifier.check(request, asked),
      (verdict) => {
        if (!verdict.ok) return sendTo(response, verdict);
        setCaller(request, verdict.caller);
        next();
      },
      next,
    );
}

/** The caller of a request that `protect` has admitted; it is `request.caller`, too. */
export function callerOf(request: NodeRequest): Caller {
  return requireCaller((request as { caller?: unknown }).caller);
}
