import type { RequestLike } from './authorization.ts';
import { type Caller, requireCaller } from './caller.ts';
import { type Needs, readNeeds } from './needs.ts';
import type { Verifier } from './verifier.ts';

interface HonoContext {
  readonly req: { readonly raw: RequestLike };
  set(name: string, value: unknown): void;
}

/** `app.use(protect(verifier))` for Hono. */
export function protect(verifier: Pick<Verifier, 'check'>, needs?: Needs) {
  const asked = readNeeds(needs);
  return async (context: HonoContext, next: () => Promise<void>): Promise<Response | undefined> => {
    const verdict = await verifier.check(context.req.raw, asked);
    if (!verdict.ok) return verdict.toResponse();
    context.set('caller', verdict.caller);
    await next();
    return undefined;
  };
}

/** The caller of a request that `protect` has admitted; it is `context.get('caller')`, too. */
export function callerOf(context: { get(name: string): unknown }): Caller {
  return requireCaller(context.get('caller'));
}
