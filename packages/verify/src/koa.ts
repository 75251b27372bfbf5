import type { NodeRequest } from './authorization.ts';
import { type Caller, requireCaller, setCaller } from './caller.ts';
import { type Needs, readNeeds } from './needs.ts';
import type { Verifier } from './verifier.ts';

interface KoaContext {
  readonly req: NodeRequest;
  readonly state: object;
  status: number;
  body: unknown;
  set(headers: Record<string, string>): void;
}

/** `app.use(protect(verifier))` for Koa. */
export function protect(verifier: Pick<Verifier, 'check'>, needs?: Needs) {
  const asked = readNeeds(needs);
  return async (context: KoaContext, next: () => Promise<unknown>): Promise<void> => {
    const verdict = await verifier.check(context.req, asked);
    if (!verdict.ok) {
      context.status = verdict.status;
      context.set({ ...verdict.headers });
      context.body = verdict.body;
      return;
    }
    setCaller(context.state, verdict.caller);
    await next();
  };
}

/** The caller of a request that `protect` has admitted; it is `context.state.caller`, too. */
export function callerOf(context: { readonly state: object }): Caller {
  return requireCaller((context.state as { caller?: unknown }).caller);
}
